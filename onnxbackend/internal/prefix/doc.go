/*
Package prefix encodes bags: it runs a model's graph on all instances of a bag, once.

The prefix is the part of the graph before the first operator that mixes instances. Analysis finds
it while the graph runs. A large bag goes through it in blocks, which several goroutines and helpers
may encode. Kernels promise that a row does not depend on the rows beside it, so that no result
depends on how a bag is cut or on who encodes a block.

	encoder.go   the run of the whole graph
	analysis.go  which values belong to single instances, and the boundary of the prefix
	merges.go    values whose axis of instances must stay apart from other axes
	blocks.go    encoding in blocks
	share.go     blocks that several places encode
	ondevice.go  encoding on a device, in blocks that do not wait for each other
	rates.go     the probe of a device and the CPU
	extend.go    more instances of a bag that is encoded already
	prefix.go    the prefix as a program of its own, and tasks for helpers
*/
package prefix
