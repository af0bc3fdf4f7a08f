// Package masked computes the scores of many coalitions at once from values of the whole bag.
//
// Every value of the suffix is one of nine kinds:
//
//	constant     the same for every coalition
//	perInstance  has an axis of instances; a coalition has the places of its members
//	ratio        a perInstance value times a row, or divided by the members' sum of weights, as
//	             the result of a softmax over the instances is
//	shifted      a perInstance value minus a row, the argument of an exponential
//	repeated     a row that is repeated for each instance
//	row          one small tensor for each coalition: the result of pooling and all that follows
//	sizeList     sizes, of which one is the number of members
//	perMember    has an axis of a coalition's members, which depend on one another
//	pairwise     has two axes of members, as the scores of a self-attention
//
// A node that pools perInstance values becomes a masked sum, maximum or top-k over a table with a
// row for each instance. A linear layer behind a sum moves into that table. The nodes that follow
// run once for all coalitions if they treat rows separately, else coalition by coalition, with the
// operator's own function. A node that combines kinds in any other way computes values of members,
// see member.go. If it cannot, it has no masked form; the error of [Compile] names this node.
//
// A Plan is made once for a bag, and Runners run it. What stands where:
//
//	plan.go        Plan: steps and the slots of their results; run.go Runner: runs over coalitions
//	compile.go     Compile: from the nodes of a program to steps
//	value.go       the kinds of values
//	refusal.go     why a node has no form that pools
//	set.go         the coalitions of a run: any, or all neighbours of one
//
// Nodes that pool instances, by the kinds that they read:
//
//	pool.go        reductions, softmax and products; ratios
//	table.go       the numbers of each instance that are summed; sum.go the step that sums them
//	contract.go    tables of products that sum over instances, such as attention pooling
//	query.go       the operator Attention with learned queries
//	rowfactor.go   factors of a coalition, and shifted exponentials
//	logits.go      tables of logits, whose softmax does not underflow
//	extreme.go     maximum, minimum and top-k; ranking.go the order that they read
//	sizes.go       lists of sizes and the number of members
//	wide.go        sums as those of float64, for vectors
//	float64.go     instances of float64 as float32
//	base.go        what neighbours of a coalition share; neighbour.go sums, best.go extremes
//	device.go      pooling on a device
//
// Nodes of rows, behind pooling, from the fastest form to the slowest:
//
//	fold.go        a linear layer that moves into the table of a sum
//	narrow.go      a layer with few outputs, such as the class scores, in float64
//	batch.go       one call for the rows of all coalitions
//	row.go         one call for each coalition
//
// Nodes of members:
//
//	member.go      their values, and the choice of a step
//	block.go       coalitions in blocks, whose members lie one after another
//	together.go    one call for the members of a block
//	message.go     a layer of members plus a row, as in graph networks
//	attend.go      nodes of pairs: how they are compiled; attention.go how they run
//	lead.go        constant places before the members, such as a class token
//	apart.go       one call for each coalition
package masked
