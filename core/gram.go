//go:build !js || gpu

package core

import "context"

// A GramAtOnce is an Arithmetic that may compute the whole Gram matrix in one call, which ends with ctx, as a graphics processor does.
type GramAtOnce interface {
	// GramAtOnce is Gram for a dst of zeros, and leaves those behind where it reports false: then it is Gram's to do.
	GramAtOnce(ctx context.Context, dst []float64, z *Coalitions, w []float64) (bool, error)
}

func gramAtOnce(ctx context.Context, by Arithmetic, dst []float64, z *Coalitions, w []float64) (bool, error) {
	if at, ok := by.(GramAtOnce); ok {
		return at.GramAtOnce(ctx, dst, z, w)
	}
	return false, nil
}
