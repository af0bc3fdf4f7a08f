package ask

import (
	"context"
	"image"
	"math"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/core/whatif"
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
	Bag    *core.Bag
	Set    *bagio.Set // the bags of the file; nil if only this one is known
	// Notes are those on the file of the bag, and Picture is what the bag was cut from, or nil.
	Notes   []string
	Picture image.Image
	// Instances are the positions of Bag's instances in the bag of the file, Whole, if Select has
	// removed others; nil means all.
	Instances []int
	Whole     *core.Bag
	// Covariates are those that the file states of each of its bags; nil if it states none.
	Covariates [][]core.Covariate
	Additions
	// Concepts are those that files name, with the positions of their instances in Whole.
	Concepts []whatif.Concept
	// Randomised opens the model again with shuffled weights; nil if its file cannot be read.
	Randomised func(ctx context.Context, r onnxbackend.Randomize) (core.Model, error)
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
	return &Input{Engine: engine, Set: set, Bag: bag, Whole: bag, Notes: set.Notes(),
		Picture: set.Picture(index), Covariates: set.Covariates()}, nil
}

// Select removes all instances but some, by their positions in the bag of the file. Results keep
// these positions.
func (in *Input) Select(instances []int) {
	in.Instances, in.Bag = instances, in.Whole.Select(instances)
}

// Position returns the position of instance i of Bag in the bag of the file.
func (in *Input) Position(i int) int {
	if in.Instances == nil {
		return i
	}
	return in.Instances[i]
}

// Positions returns the position of each instance of Bag in the bag of the file.
func (in *Input) Positions() []int {
	out := make([]int, in.Bag.Len())
	for i := range out {
		out[i] = in.Position(i)
	}
	return out
}

// members returns the places in Bag of instances of the bag of the file. It returns a
// *core.SettingError for one that is listed twice, is removed or does not exist, and for none.
func (in *Input) members(instances []int) ([]int, error) {
	if len(instances) == 0 {
		return nil, wrong("members", "the bag is empty; list at least one instance")
	}
	out, seen := make([]int, len(instances)), make([]bool, in.Bag.Len())
	for n, i := range instances {
		at, ok := i, i >= 0 && i < in.Bag.Len()
		if in.Instances != nil {
			at, ok = slices.BinarySearch(in.Instances, i)
		}
		if !ok || seen[at] {
			return nil, wrong("members",
				"instance %d is listed twice, is removed or does not exist", i)
		}
		out[n], seen[at] = at, true
	}
	return out, nil
}

// removed returns the positions of the instances that Select has removed, in ascending order.
func (in *Input) removed() []int {
	if in.Instances == nil {
		return nil
	}
	remain := make([]bool, in.Whole.Len())
	for _, i := range in.Instances {
		remain[i] = true
	}
	var out []int
	for i, r := range remain {
		if !r {
			out = append(out, i)
		}
	}
	return out
}

// A Described model has a card, and inputs that determine the layout of a bag.
type Described interface {
	Info() core.ModelInfo
	Card() onnxbackend.Card
}

// Options returns the options that read bags in the layout of a model's input; m may be nil. An
// option that was not given is that of the model's card, except that the card's stride belongs to
// the card's size.
func (r ReadOptions) Options(m Described) bagio.Options {
	o := bagio.Options{ZeroCopy: true, Array: given(r.Array), Adjacency: given(r.Adjacency),
		CoordsUnit: given(r.CoordsUnit), DType: given(r.Dtype), Inputs: given(r.Inputs),
		TileNames: given(r.TileNames), Origin: given(r.Origin),
		Series: given(r.Series), SliceAxes: given(r.SliceAxes), Window: given(r.Window),
		Spacing: given(r.Spacing),
		BagBy:   given(r.BagBy), Columns: given(r.Columns)}
	if m != nil {
		info := m.Info()
		o.InstanceShape, o.Layout, o.Axis = info.InstanceShape(), info.Layout(), info.InstanceAxis
		o.Batch = info.MayBatch() && m.Card().InstanceAxis == nil
		o.Places, o.Covariates, o.Classes = info.Places, info.Covariates, info.Classes
		o.UsualMPP, o.UsualSliceAxes = m.Card().SlideMPP, m.Card().SliceAxes
		o.UsualWindow, o.UsualColumns = m.Card().Window, m.Card().Columns
		o.UsualSpacing, o.UsualNeighbours = m.Card().Spacing, m.Card().Neighbours
		if p := m.Card().Patch; p != nil {
			o.Patch = bagio.PatchOptions{Size: p.Size, Stride: p.Stride}
			if !math.IsInf(p.Background, 1) { // otherwise the card keeps every patch
				o.Patch.Background = p.Background
			}
		}
	}
	if r.PatchSize != nil {
		o.Patch.Size, o.Patch.Stride, o.PatchSide = *r.PatchSize, 0, *r.PatchSize
	}
	if r.Neighbours != nil {
		o.Neighbours = *r.Neighbours
	}
	if r.Stride != nil {
		o.Patch.Stride = *r.Stride
	}
	if r.SlideMpp != nil {
		o.SlideMPP = *r.SlideMpp
	}
	if r.Background != nil {
		o.Patch.Background = *r.Background
	}
	return o
}
