//go:build js && !gpu

package plan

import "github.com/bagscope/bagscope/onnxbackend/internal/tensor"

// far is nothing in the small program for browsers, in which every step is the CPU's.
type far struct{}

func (r *Runner) step(i int, s *Step) error { return r.compute(i, s) }

func (r *Runner) drop(t *tensor.Tensor) { r.m.Release(t) }

func (r *Runner) finish() error { return nil }
