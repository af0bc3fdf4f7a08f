//go:build js && !gpu

package onnxbackend

import (
	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend/internal/plan"
)

// An accelerator is nothing in the small program for browsers, which holds no Device that a model could be opened with.
type accelerator struct{}

func newAccelerator(Options) *accelerator { return nil }

func (*accelerator) takes(*Model, *core.Bag) bool             { return false }
func (*accelerator) fits(_ *Model, _ *core.Bag, rows int) int { return rows }
func (*accelerator) begin(*Model, *plan.Runner, place)        {}
func (*accelerator) end(*plan.Runner, error) bool             { return false }
func (*accelerator) lose(string)                              {}
func (*accelerator) notes(*forward) []string                  { return nil }
func (*accelerator) encoded(*forward) bool                    { return false }
