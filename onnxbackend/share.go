package onnxbackend

import (
	"context"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
	"github.com/bagscope/bagscope/onnxbackend/internal/workshare"
)

// Helpers are workers elsewhere that share the work on a bag: they do tasks by Model.RunTask.
type Helpers = workshare.Helpers

// RunTask does a task of Helpers and returns the reply. The task must come from a model of the same
// file and options: an error says if it does not. Only the process that made the task can judge the
// reply.
func (m *Model) RunTask(ctx context.Context, task []byte) (reply []byte, err error) {
	defer fault.Rescue(&err)
	kind, head, u, err := workshare.OpenTask(task, m.encoder.Fingerprint)
	if err != nil {
		return nil, err
	}
	switch kind {
	case workshare.Encode:
		return m.encoder.Serve(ctx, head, u)
	case workshare.Hold:
		return nil, m.served.Hold(m.g, m.limits.run(), head, u)
	case workshare.Score:
		return m.served.Score(ctx, head, u)
	}
	return nil, workshare.ErrMessage
}

// EvaluateWith is Evaluate with helpers that share the coalitions. Its result is the same.
func (b *Bound) EvaluateWith(
	ctx context.Context, pool *Helpers, dst []float64, z *core.Coalitions,
) (err error) {
	defer fault.Rescue(&err)
	return b.classes.Read(dst, func(raw []float64) error {
		return b.suffix.EvaluateShared(ctx, pool, raw, z)
	})
}

// BatchWith is Batch with helpers. Each helper gets as many coalitions at a time as one goroutine.
func (b *Bound) BatchWith(pool *Helpers) int { return b.suffix.BatchShared(pool) }

// Shares reports whether helpers can share the coalitions: each runs by itself, and every helper
// can keep the boundary values.
func (b *Bound) Shares(pool *Helpers) bool { return b.suffix.Shares(pool) }
