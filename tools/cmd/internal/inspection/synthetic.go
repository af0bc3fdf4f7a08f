package inspection

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend"
)

// syntheticSizes are the numbers of instances of generated bags. Two bags are bound: if one size
// equals another dimension of the model by coincidence, the two plans differ. The second pair
// is for models that reject small bags.
var syntheticSizes = [][2]int{{7, 13}, {67, 97}}

// maxSynthetic bounds the number of values of a generated bag.
const maxSynthetic = 1 << 24

// bindSynthetic binds two bags of normally distributed random values. It returns the larger bag and
// a description of it. Errors end with advice on how to name a bag.
func bindSynthetic(
	ctx context.Context, m *onnxbackend.Model, advice string,
) (b *onnxbackend.Bound, description string, err error) {
	// A dimension below 1 is open.
	shape := m.Info().InstanceShape()
	width := 1 // values of an instance
	// The product is checked before it is computed, so that it cannot overflow.
	for _, d := range shape {
		if d < 1 || d > maxSynthetic/width {
			return nil, "", msg.Errorf("the file does not specify the shape of an instance, or "+
				"the shape is too large for a generated bag; %s", advice)
		}
		width *= d
	}
	if shape == nil {
		return nil, "", msg.Errorf("the file does not specify the shape of an instance; %s", advice)
	}
	for _, sizes := range syntheticSizes {
		if width > maxSynthetic/sizes[1] {
			return nil, "", msg.Errorf(
				"instances of shape %v are too large for a generated bag; %s", shape, advice)
		}
		// The small bag is only needed to compare the strategies.
		var small *onnxbackend.Bound
		if small, err = bindRandom(ctx, m, sizes[0], shape, width); err == nil {
			b, err = bindRandom(ctx, m, sizes[1], shape, width)
		}
		if errors.As(err, new(*onnxbackend.RunError)) {
			continue // the model may need larger bags
		}
		if err != nil {
			return nil, "", err
		}
		description = fmt.Sprintf("the larger of two generated bags, of %d and %d random instances",
			sizes[0], sizes[1])
		if len(m.Info().Inputs) > 1 { // the others take relations
			description += ", each joined with the next"
		}
		if x, y := small.Strategy(), b.Strategy(); x != y {
			description += msg.Sprintf("; the strategy is %s for the smaller one and %s for the "+
				"larger one, which is shown", x, y)
		}
		return b, description, nil
	}
	return nil, "", msg.Errorf(
		"the model fails on generated bags of random values (%w); %s", err, advice)
}

// bindRandom binds a bag of k instances of a shape with width values each, of which each is joined
// with itself and with the next, for models of graphs. The seed is k, so that the output is the
// same in every run.
func bindRandom(
	ctx context.Context, m *onnxbackend.Model, k int, shape []int, width int,
) (*onnxbackend.Bound, error) {
	random := rand.New(rand.NewPCG(uint64(k), 1))
	bag := &core.Bag{Name: "synthetic", Shape: slices.Clone(shape),
		Values: make([]float32, k*width), Relations: &core.Relations{Edges: []core.Edge{}}}
	for i := range int32(k) {
		next := (i + 1) % int32(k)
		bag.Relations.Edges = append(bag.Relations.Edges, core.Edge{From: i, To: i, Weight: 1},
			core.Edge{From: i, To: next, Weight: 1}, core.Edge{From: next, To: i, Weight: 1})
	}
	for i := range bag.Values {
		bag.Values[i] = float32(random.NormFloat64())
	}
	return bind(ctx, m, bag)
}

// bind binds a bag to a model file.
func bind(ctx context.Context, m *onnxbackend.Model, bag *core.Bag) (*onnxbackend.Bound, error) {
	ev, err := m.Bind(ctx, bag)
	if err != nil {
		return nil, err
	}
	return ev.(*onnxbackend.Bound), nil
}
