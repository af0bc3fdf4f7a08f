// Package network holds the four networks for bags: what each is made of ([Architecture]), the
// paper's settings for each kind of data ([For]), their parameters, and the Gorgonia graphs that
// train them.
//
// A network is told once, in [Assemble], to whoever wants to hear it: a [Builder] makes nodes of a
// Gorgonia graph of it, or nodes of an ONNX file, or the list of its parameters. So what is
// trained, what is exported and what is initialised cannot differ in structure.
package network
