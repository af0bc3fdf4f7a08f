package parity

import (
	"context"
	"hash"
	"io"

	"github.com/bagscope/bagscope/core"
)

// A recorder is an Evaluator that hashes the evaluated coalitions, one line each.
type recorder struct {
	core.Evaluator
	hash hash.Hash
}

func (r *recorder) Evaluate(ctx context.Context, dst []float64, z *core.Coalitions) error {
	for j := range z.Len() {
		_, _ = io.WriteString(r.hash, z.String(j)+"\n") // a hash never fails
	}
	return r.Evaluator.Evaluate(ctx, dst, z)
}

func (r *recorder) Identity(instance int) uint64 {
	return r.Evaluator.(core.Identifier).Identity(instance)
}

func (r *recorder) HasNeighbours() bool {
	ev, ok := r.Evaluator.(core.NeighbourEvaluator)
	return ok && ev.HasNeighbours()
}

// EvaluateNeighbours hashes the neighbours, and the coalition after them, but for an empty one.
func (r *recorder) EvaluateNeighbours(ctx context.Context, dst []float64, z []uint64) error {
	all := core.NeighbourCoalitions(r.Task().Instances, z)
	for j := range all.Len() {
		if all.Size(j) > 0 {
			_, _ = io.WriteString(r.hash, all.String(j)+"\n")
		}
	}
	return r.Evaluator.(core.NeighbourEvaluator).EvaluateNeighbours(ctx, dst, z)
}

func (r *recorder) Embeddings(ctx context.Context) (values []float32, width int, err error) {
	e, ok := r.Evaluator.(core.Embedder)
	if !ok {
		return nil, 0, &core.UnavailableError{Method: "embeddings",
			Reason: "the model returns no embeddings of instances"}
	}
	return e.Embeddings(ctx)
}

func (r *recorder) Attention(ctx context.Context, class int) ([]float64, error) {
	a, ok := r.Evaluator.(core.Attender)
	if !ok {
		return nil, &core.UnavailableError{Method: "inherent",
			Reason: "the model has no output of instance scores"}
	}
	return a.Attention(ctx, class)
}
