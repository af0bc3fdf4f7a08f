package onnxbackend

import (
	"context"
	"errors"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
	"github.com/bagscope/bagscope/onnxbackend/internal/prefix"
)

// errNotEncoded is the error of bind if the function that encodes the bag could not do so.
var errNotEncoded = errors.New("the instances of this bag were not encoded one by one")

// Extend implements core.Extender: the instances of more follow those of the bag. What the model
// has computed of single instances of the bag is not computed again, unless the model mixes
// instances from its first operator on. The result is that of Bind for the bag that
// [core.Bag.With] returns, up to rounding; errors are those of both.
func (b *Bound) Extend(ctx context.Context, more *core.Bag) (ev core.Evaluator, err error) {
	defer fault.Rescue(&err)
	joined, err := b.suffix.Fitted.Bag.With(more)
	if err != nil {
		return nil, err
	}
	m := b.m
	if m.plain || b.hadDevice { // a device keeps no encoded values here
		return m.Bind(ctx, joined)
	}
	all, err := m.fit(joined)
	if err != nil {
		return nil, err
	}
	others, err := m.fit(more)
	if err != nil {
		return nil, err
	}
	extended, err := m.bind(ctx, all, func(a *prefix.Analysis) (*prefix.Forward, error) {
		return m.encoder.Extend(ctx, all, others, b.suffix.Whole, a)
	})
	switch {
	case err == nil:
		return extended, nil
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	}
	return m.Bind(ctx, joined) // its error is the one to return
}
