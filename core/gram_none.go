//go:build js && !gpu

package core

import "context"

// gramAtOnce does nothing in the small program for browsers, in which nothing computes a Gram matrix at once.
func gramAtOnce(context.Context, Arithmetic, []float64, *Coalitions, []float64) (bool, error) {
	return false, nil
}
