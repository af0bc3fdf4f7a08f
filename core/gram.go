package core

import "context"

// A GramAtOnce is an Arithmetic that may compute the whole Gram matrix in one call, as a graphics
// processor does. The call ends with ctx.
type GramAtOnce interface {
	// GramAtOnce computes Gram into a zeroed dst. If it returns false, dst is unchanged and the caller
	// must use Gram.
	GramAtOnce(ctx context.Context, dst []float64, z *Coalitions, w []float64) (bool, error)
}

func gramAtOnce(ctx context.Context, by Arithmetic, dst []float64, z *Coalitions, w []float64) (bool, error) {
	if at, ok := by.(GramAtOnce); ok {
		return at.GramAtOnce(ctx, dst, z, w)
	}
	return false, nil
}
