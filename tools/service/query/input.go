package query

import (
	"context"
	"math"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/onnxbackend"
)

// An Engine is a model that explains and predicts: a model file, or a model on a server.
type Engine interface {
	core.Model
	Card() onnxbackend.Card
	// Needs estimates the memory of the bag and its binding.
	Needs(ctx context.Context, bag *core.Bag) (bytes int64, err error)
	Predict(ctx context.Context, bag *core.Bag) (*onnxbackend.Prediction, error)
}

var _ Engine = (*onnxbackend.Model)(nil)

// An Input is a bag with its model.
type Input struct {
	Engine Engine
	Set    *bagio.Set
	Index  int // of the bag in the set
	Bag    *core.Bag
}

// NewInput selects the bag with this index from a set, in the Memory of ctx. An index outside the
// set is an error.
func NewInput(
	ctx context.Context, engine Engine, set *bagio.Set, index int,
) (*Input, error) {
	bag, err := set.BagIn(ctx, index)
	if err != nil {
		return nil, err
	}
	return &Input{Engine: engine, Set: set, Index: index, Bag: bag}, nil
}

// A Cut holds the settings that select a bag in a file: the array, or how a picture is cut. A nil
// field means the value of the model card.
type Cut struct {
	// Array is the name of the array of features in an HDF5, .pt or .safetensors file.
	Array  string `json:"array"`
	Size   *int   `json:"patch_size"` // side of a patch, in pixels
	Stride *int   `json:"stride"`     // distance between patches, in pixels; default the patch size
	// Background is from 0 to 255. Patches whose mean brightness is at least this are omitted; 0
	// keeps all patches.
	Background *float64 `json:"background"`
}

// Options returns the options that read bags in the layout of the model's input.
func (c Cut) Options(m Engine) bagio.Options {
	info := m.Info()
	o := bagio.Options{InstanceShape: info.InstanceShape(), Layout: info.Layout(),
		Axis: info.InstanceAxis, ZeroCopy: true, Array: c.Array}
	o.Batch = info.MayBatch() && m.Card().InstanceAxis == nil
	if p := m.Card().Patch; p != nil {
		o.Patch = bagio.PatchOptions{Size: p.Size, Stride: p.Stride}
		if !math.IsInf(p.Background, 1) { // otherwise the card keeps every patch
			o.Patch.Background = p.Background
		}
	}
	if c.Size != nil {
		// The card's stride belongs to the card's size.
		o.Patch.Size, o.Patch.Stride = *c.Size, 0
	}
	if c.Stride != nil {
		o.Patch.Stride = *c.Stride
	}
	if c.Background != nil {
		o.Patch.Background = *c.Background
	}
	return o
}
