// Package network provides the four networks for bags: their structure ([Architecture]), the
// paper's settings for each kind of data ([For]), their parameters, and the Gorgonia graphs that
// train them.
//
// [Assemble] is the only description of the structure. It drives a [Builder], which builds a
// Gorgonia graph, an ONNX file or the list of parameters. So training, export and initialisation
// always agree.
package network
