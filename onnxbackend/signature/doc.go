/*
Package signature decides what the inputs and outputs of a model mean.

A Signature says which input takes the bag and along which axis the instances lie, which output has
the class scores and what their scale is, and which output has instance scores of the model's own.
It is decided from the model card, the declared shapes and, for a model file, from its graph and
from runs on random bags. A model that a server runs has a Signature too, without a graph: see
Served.

	signature.go    Signature, and how it is decided
	card.go         what a model card states
	cardkeys.go     the keys of a card; answerkeys.go those of its key "output"
	cardcheck.go    the comparison of a card with its keys
	declared.go     what declared shapes show
	input.go        the input that takes the bag, and its axis of instances
	axis.go         the axis of instances, by runs
	layout.go       how one bag lies in the input
	checkbag.go     bags that the model cannot compute with
	relations.go    inputs that take relations of the instances
	sizes.go        which sizes of bags the model takes
	fixedcount.go   a number of instances that an exporter wrote into the graph
	classoutput.go  the output with the class scores
	answer.go       what a card states about scores that are not those of classes
	answered.go     the output under such a card; readout.go the numbers that people read
	joinheads.go    several outputs as the heads of one
	scale.go        logits, probabilities or raw scores
	linear.go       the linear layer that scores come out of
	randombags.go   runs on random bags that prove probabilities
	inherent.go     instance scores of the model's own
	served.go       models that a server runs
*/
package signature
