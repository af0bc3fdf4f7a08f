/*
Package signature decides what the inputs and outputs of a model mean.

A Signature says which input takes the bag and along which axis the instances lie, which output has
the class scores and what their scale is, and which output has instance scores of the model's own.
It is decided from the model card, the declared shapes and, for a model file, from its graph and
from runs on random bags. A model that a server runs has a Signature too, without a graph: see
Served.

	card.go         what a model card states
	declared.go     what declared shapes show
	input.go        the input that takes the bag, and its axis of instances
	axis.go         the axis of instances, by runs
	layout.go       how one bag lies in the input
	checkbag.go     bags that the model cannot compute with
	sizes.go        which sizes of bags the model takes
	classoutput.go  the output with the class scores
	scale.go        logits, probabilities or raw scores
	linear.go       the linear layer that scores come out of
	randombags.go   runs on random bags that prove probabilities
	inherent.go     instance scores of the model's own
	served.go       models that a server runs
*/
package signature
