// Package ops holds what networks for bags are made of as operators of a Gorgonia graph: linear
// layers, convolutions with their pooling, pooling of instances, attention weights, dropout and the
// loss.
//
// Every value is a matrix (rows, columns) of float32: the instances of a bag are rows, and a
// picture lies in its row as (channel, row, column). A bag's own values are one row. The operators
// call the engine's kernels (onnxbackend/kernel) forward and backward. Gorgonia differentiates
// through them symbolically: each says which nodes compute the gradients of its inputs. Gorgonia's
// own operators, which are their slow twins in the tests, take four to five times as long for the
// layers of 4-MNIST-Bags (BenchmarkLayers).
//
// Results lie in buffers of an [Arena] that one run after another writes anew. A graph runs on one
// goroutine, and two graphs of one arena never at the same time.
package ops
