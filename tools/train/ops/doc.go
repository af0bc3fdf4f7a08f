// Package ops provides the operators of networks for bags as operators of a Gorgonia graph: linear
// layers, convolutions with pooling, pooling of instances, attention weights, dropout and the loss.
//
// Every value is a matrix (rows, columns) of float32. Each row is an instance; a picture is a row
// (channel, row, column). Values of the whole bag have one row. The operators call the engine's
// kernels (onnxbackend/kernel) forward and backward. Gorgonia differentiates symbolically: each
// operator returns the nodes that compute the gradients of its inputs. Gorgonia's own operators are
// the slow twins of the tests; BenchmarkLayers compares their speed.
//
// Results lie in buffers of an [Arena], which every run overwrites. A graph runs on one goroutine,
// and two graphs of an arena must not run at the same time.
package ops
