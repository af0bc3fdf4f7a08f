//go:build js && !gpu

package onnxbackend

import (
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend/internal/masked"
	"github.com/bagscope/bagscope/onnxbackend/internal/plan"
	"github.com/bagscope/bagscope/onnxbackend/signature"
)

// An accelerator is nothing in the small program for browsers, which holds no Device that a model could be opened with.
type accelerator struct{}

func newAccelerator(Options) *accelerator { return nil }

func (*accelerator) takes(*Model, signature.Fitted) bool             { return false }
func (*accelerator) fits(_ *Model, _ signature.Fitted, rows int) int { return rows }
func (*accelerator) begin(*Model, *plan.Runner, signature.Layout)    {}
func (*accelerator) end(*plan.Runner, error) bool                    { return false }
func (*accelerator) lose(string)                                     {}
func (*accelerator) notes(*forward) []string                         { return nil }
func (*accelerator) encoded(*forward) bool                           { return false }

// What a device has to do with a bound bag is nothing, too.
type (
	farBound = struct{}
	farWay   = struct{}
)

func (*maskedWay) prove(bool)                                    {}
func (*Bound) meetFar()                                          {}
func (*Bound) holdFar(*maskedWay)                                {}
func (*Bound) askFar(*maskedWay, *masked.Runner, masked.Set)     {}
func (*Bound) refusedFar(*maskedWay, *masked.Runner, error) bool { return false }
func (*Bound) tookFar(way) bool                                  { return false }
func (*Bound) notePool(*maskedWay)                               {}
func (b *Bound) told() []string                                  { return slices.Clone(b.notes) }
func (*Bound) products() core.Arithmetic                         { return arithmetic{} }
