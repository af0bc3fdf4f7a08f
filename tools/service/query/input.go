package query

import (
	"context"
	"math"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/onnxbackend"
)

// An Engine is a model that can be asked: one of ours, or one that runs elsewhere.
type Engine interface {
	core.Model
	Card() onnxbackend.Card
	Needs(ctx context.Context, bag *core.Bag) (bytes int64, err error) // of the bag and its binding, estimated
	Predict(ctx context.Context, bag *core.Bag) (*onnxbackend.Prediction, error)
}

var _ Engine = (*onnxbackend.Model)(nil)

// An Input is a bag beside the model that takes it.
type Input struct {
	Engine Engine
	Set    *bagio.Set
	Index  int // of the bag in the set
	Bag    *core.Bag
}

// A Cut says how a picture is cut into a bag. What is nil is as the model's card says.
type Cut struct {
	Size       *int     `json:"patch_size"` // pixels, the side of a patch
	Stride     *int     `json:"stride"`     // pixels from one patch to the next; default the patch's side
	Background *float64 `json:"background"` // 0..255: patches of this mean brightness or more are left out
}

// Options returns how bags are read in the form that a model takes.
func (c Cut) Options(m Engine) bagio.Options {
	info := m.Info()
	o := bagio.Options{InstanceShape: info.InstanceShape(), Layout: info.Layout(), Axis: info.InstanceAxis, Own: true}
	o.Batch = info.MayBatch() && m.Card().InstanceAxis == nil
	if p := m.Card().Patch; p != nil {
		o.Patch = bagio.PatchOptions{Size: p.Size, Stride: p.Stride}
		if !math.IsInf(p.Background, 1) { // else the card leaves no patch out
			o.Patch.Background = p.Background
		}
	}
	if c.Size != nil {
		// The card's stride belongs to the card's size.
		o.Patch.Size, o.Patch.Stride = *c.Size, 0
	}
	take(&o.Patch.Stride, c.Stride)
	take(&o.Patch.Background, c.Background)
	return o
}
