/*
Package suffix computes the class scores of coalitions from values that were computed once for a
bag.

The suffix is the part of a graph from the first operator that mixes instances. It begins with the
boundary values, or with the bag itself if the graph has no prefix. Choose takes the fastest
strategy whose scores equal those of the whole graph on random coalitions:

	pooled    all coalitions of a batch are pooled together (pooled.go, pooledlogits.go)
	members   the same, with values of each member of a coalition (variation.go)
	batched   coalitions gather their instances; those of one size run together (batch.go)
	gathered  coalitions gather their instances and run one by one (gather.go)
	plain     the whole graph runs for every coalition

	choose.go      the choice of a strategy
	verify.go      the comparison of two strategies
	relations.go   the relations among the members of a coalition
	embeddings.go  the boundary values of instances, for callers
	ordercheck.go  whether scores depend on the order of the instances
	work.go        what a coalition costs
	least.go       the smallest bag that the model takes
	cache.go       suffixes that a model remembers
	evaluator.go   the evaluator of one bag
	share.go       coalitions that helpers share
	served.go      what a helper does for others
	members.go     how a helper compiles values of members
*/
package suffix
