package ask

import (
	"context"
	"image"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/internal/must"
)

// A formula is a model whose scores follow from the members of a coalition.
type formula struct {
	task   core.Task
	heads  []core.Head
	scores func(has func(i int) bool) []float64
	// features are embeddings (instance, width), nil for none.
	features []float32
}

func (f formula) Task() core.Task { return f.task }

func (f formula) Heads() []core.Head { return f.heads }

func (f formula) Embeddings(context.Context) ([]float32, int, error) {
	if f.features == nil {
		return nil, 0, &core.UnavailableError{}
	}
	return f.features, len(f.features) / f.task.Instances, nil
}

func (f formula) Evaluate(_ context.Context, dst []float64, z *core.Coalitions) error {
	for j := range z.Len() {
		copy(dst[j*f.task.Classes:], f.scores(func(i int) bool { return z.Has(j, i) }))
	}
	return nil
}

// on returns a logit that is 4 if a condition holds, and -4 if not.
func on(holds bool) float64 {
	if holds {
		return 4
	}
	return -4
}

// alike returns a formula in which some instances have equal embeddings, and no others do.
func alike(f formula, copies ...int) formula {
	k := f.task.Instances
	f.features = make([]float32, k*k)
	for i := range k {
		at := i
		if slices.Contains(copies, i) {
			at = copies[0]
		}
		f.features[i*k+at] = 1
	}
	return f
}

// TestSummary checks the sentences about models of which it is known what decides.
func TestSummary(t *testing.T) {
	const k = 12
	classes := func(scale core.Scale, n int) core.Task {
		return core.Task{Instances: k, Classes: n, Scale: scale, Negative: -1}
	}
	number := classes(core.ScaleRaw, 1)
	two := func(holds func(has func(int) bool) bool) formula {
		return formula{task: classes(core.ScaleLogits, 2),
			scores: func(has func(int) bool) []float64 { return []float64{on(holds(has)), 0} }}
	}
	for name, c := range map[string]struct {
		model   formula
		removed int  // instances that were removed before
		placed  bool // the instances are patches of a slide
		want    string
	}{
		"any one of three": {
			model: two(func(has func(int) bool) bool { return has(2) || has(5) || has(7) }),
			want: "The model says “a” (98.2 %). 3 of 12 instances carry it, and any one of them " +
				"alone is enough. Without all 3 the model would say “b” (98.2 %).",
		},
		"one": {
			model: two(func(has func(int) bool) bool { return has(4) }),
			want: "The model says “a” (98.2 %). 1 of 12 instances carries it, and it alone is " +
				"enough. Without it the model would say “b” (98.2 %).",
		},
		"either patch of two": {
			model: two(func(has func(int) bool) bool { return has(4) || has(0) }), placed: true,
			want: "The model says “a” (98.2 %). 2 of 12 patches carry it, and either of them " +
				"alone is enough. Without both the model would say “b” (98.2 %).",
		},
		"two together": {
			model: two(func(has func(int) bool) bool { return has(3) && has(8) }), removed: 5,
			want: "Without 5 of 17 instances, the model says “a” (98.2 %). 2 of 12 instances " +
				"carry it, and together they are enough, and each is needed. Without any one of " +
				"these the model would say “b” (98.2 %).",
		},
		"nothing": {
			model: two(func(func(int) bool) bool { return false }),
			want: "The model says “b” (98.2 %). No instance stands out, and any single one gives " +
				"the same answer.",
		},
		"copies": {
			model: alike(two(func(has func(int) bool) bool {
				return has(2) || has(5) || has(7)
			}), 2, 5, 7), placed: true,
			want: "The model says “a” (98.2 %). 3 patches that look alike carry it together, and " +
				"any one of them alone is enough. Without all 3 the model would say “b” (98.2 %).",
		},
		"copies that are needed": {
			model: alike(two(func(has func(int) bool) bool { return has(3) && has(8) }), 3, 8),
			want: "The model says “a” (98.2 %). 2 instances that look alike carry it, and " +
				"together they are enough, and each is needed. Without any one of these the " +
				"model would say “b” (98.2 %).",
		},
		"copies and another": {
			model: alike(two(func(has func(int) bool) bool {
				return has(1) || has(2) || has(5)
			}), 2, 5),
			want: "The model says “a” (98.2 %). 3 of 12 instances carry it, 2 of which look " +
				"alike, and any one of them alone is enough. Without all 3 the model would say " +
				"“b” (98.2 %).",
		},
		"saturated": {
			model: formula{task: classes(core.ScaleLogits, 2),
				scores: func(func(int) bool) []float64 { return []float64{0, 50} }},
			want: "The model says “b” (100 %). No instance stands out, and any single one gives " +
				"the same answer.",
		},
		"one probability": {
			model: formula{task: classes(core.ScaleLogits, 1),
				scores: func(has func(int) bool) []float64 { return []float64{on(has(1))} }},
			want: "The model says “a” (98.2 %). 1 of 12 instances carries it, and it alone is " +
				"enough. Without it the model would not say “a” (1.8 %).",
		},
		"one small probability": {
			model: formula{task: classes(core.ScaleLogits, 1), scores: func(
				has func(int) bool,
			) []float64 {
				return []float64{on(!has(1))}
			}},
			want: "The model does not say “a” (1.8 %). 1 of 12 instances carries it, and it " +
				"alone is enough. Without it the model would say “a” (98.2 %).",
		},
		"two labels of three": {
			model: formula{task: classes(core.ScaleSigmoidLogits, 3), scores: func(
				has func(int) bool,
			) []float64 {
				return []float64{on(has(0)) / 2, on(has(1)), on(false)}
			}},
			want: "The model says “b” (98.2 %) and 1 other class. 1 of 12 instances carries it, " +
				"and it alone is enough. Without it the model would not say “b” (1.8 %).",
		},
		"no label of three": {
			model: formula{task: classes(core.ScaleSigmoidLogits, 3),
				scores: func(func(int) bool) []float64 { return []float64{-5, -4, -9} }},
			want: "The model says none of its 3 classes; “b” comes closest (1.8 %). No instance " +
				"stands out, and any single one gives the same answer.",
		},
		"three together that turn into others": {
			model: formula{task: classes(core.ScaleLogits, 4),
				scores: func(has func(int) bool) []float64 {
					if has(1) && has(5) && has(9) {
						return []float64{0, 0, 0, 4}
					}
					return []float64{on(!has(1)), on(!has(5)), on(!has(9)), 0}
				}},
			want: "The model says “d” (94.8 %). 3 of 12 instances carry it, and together they " +
				"are enough, and each is needed. Without one of these the model would say “a” " +
				"(98.1 %).",
		},
		"a number that one lowers": {
			model: formula{task: number, scores: func(has func(int) bool) []float64 {
				if has(3) {
					return []float64{-2}
				}
				return []float64{2.5}
			}},
			want: "The model gives “a” the value -2. 1 of 12 instances lowers it.",
		},
		"a number that nothing changes": {
			model: formula{task: number,
				scores: func(func(int) bool) []float64 { return []float64{3} }},
			want: "The model gives “a” the value 3. No instance stands out.",
		},
		"several heads": {
			model: formula{task: classes(core.ScaleRaw, 7), heads: []core.Head{
				{Name: "grade", Kind: core.KindClasses, Classes: 2, Scale: core.ScaleLogits,
					Negative: -1},
				{Name: "stage", Kind: core.KindClasses, Classes: 2, Scale: core.ScaleLogits,
					Negative: -1},
				{Name: "e", Kind: core.KindRegression, Classes: 1, Scale: core.ScaleRaw,
					Negative: -1, Unit: "months"},
				{Name: "risk", Kind: core.KindRegression, Classes: 1, Scale: core.ScaleRaw,
					Negative: -1},
				{Name: "size", Kind: core.KindRegression, Classes: 1, Scale: core.ScaleRaw,
					Negative: -1, Unit: "mm"}},
				scores: func(has func(int) bool) []float64 {
					return []float64{on(has(2)), 0, 0, 4, 20.25, 1, 7}
				}},
			want: "The model says “a” (98.2 % for “grade”); the largest of “stage” is “d” " +
				"(98.2 %); “e” is 20.25 months; it has 2 more heads. 1 of 12 instances carries " +
				"it, and it alone is enough. Without it the model would say “b” (98.2 %).",
		},
		"a head with a class of another name": {
			model: formula{task: classes(core.ScaleRaw, 2), heads: []core.Head{
				{Name: "months", Kind: core.KindRegression, Classes: 1, Scale: core.ScaleRaw,
					Negative: -1, Unit: "months"},
				{Name: "cells", Kind: core.KindRegression, Classes: 1, Scale: core.ScaleRaw,
					Negative: -1}},
				scores: func(func(int) bool) []float64 { return []float64{9, 4} }},
			want: "The model gives “a” the value 9 months for “months”; “cells” gives “b” the " +
				"value 4. No instance stands out.",
		},
		"a number": {
			model: formula{task: number, heads: []core.Head{{Kind: core.KindRegression, Classes: 1,
				Scale: core.ScaleRaw, Negative: -1, Unit: "months"}},
				scores: func(has func(int) bool) []float64 {
					v := 20.0
					if has(3) {
						v += 5
					}
					if has(6) {
						v -= 2.5
					}
					return []float64{v}
				}},
			want: "The model gives “a” the value 22.5 months. 1 of 12 instances raises it, and 1 " +
				"lowers it. Without the instance that raises it most it would be 17.5 months.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			bag := &core.Bag{Shape: []int{1}, Values: make([]float32, k)}
			if c.placed {
				bag.Boxes = make([]image.Rectangle, k)
			}
			in := &Input{Bag: bag, Whole: bag}
			if c.removed > 0 {
				in.Whole = &core.Bag{Shape: []int{1}, Values: make([]float32, k+c.removed)}
				in.Select([]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11})
			}
			g := must.Get(core.NewGame(c.model, core.GameOptions{}))(t)
			report := must.Get(g.Explain(t.Context(),
				core.Request{Methods: []core.Method{methods.Consensus{}}}))(t)
			x := &Explained{Input: in, Report: report,
				Classes: []string{"a", "b", "c", "d", "e", "f", "g"}[:c.model.task.Classes]}
			must.Do(t, x.summarise(t.Context(), g))
			must.Equal(t, strings.Join(x.Summary, " "), c.want)
		})
	}
}

// TestSummaryOfNumberWithoutName checks that a number to which nobody gave a name has none.
func TestSummaryOfNumberWithoutName(t *testing.T) {
	model := formula{task: core.Task{Instances: 3, Classes: 1, Scale: core.ScaleRaw, Negative: -1},
		scores: func(func(int) bool) []float64 { return []float64{1.5} }}
	bag := &core.Bag{Shape: []int{1}, Values: make([]float32, 3)}
	g := must.Get(core.NewGame(model, core.GameOptions{}))(t)
	report := must.Get(g.Explain(t.Context(),
		core.Request{Methods: []core.Method{methods.Consensus{}}}))(t)
	x := &Explained{Input: &Input{Bag: bag, Whole: bag}, Report: report,
		Classes: ClassNames(nil, 1)}
	must.Do(t, x.summarise(t.Context(), g))
	want := "The model gives the value 1.5. No instance stands out."
	must.Equal(t, strings.Join(x.Summary, " "), want)
}

// TestSummaryOfUnexplainedClass checks the sentences if the predicted class is not explained: they
// count no evidence.
func TestSummaryOfUnexplainedClass(t *testing.T) {
	model := formula{
		task:   core.Task{Instances: 12, Classes: 2, Scale: core.ScaleLogits, Negative: 1},
		scores: func(has func(int) bool) []float64 { return []float64{on(has(1) || has(2)), 0} }}
	bag := &core.Bag{Shape: []int{1}, Values: make([]float32, 12)}
	g := must.Get(core.NewGame(model, core.GameOptions{}))(t)
	report := must.Get(g.Explain(t.Context(), core.Request{
		Methods: []core.Method{methods.OneRemoved{}}, Classes: []int{1}}))(t)
	x := &Explained{Input: &Input{Bag: bag, Whole: bag}, Report: report,
		Classes: []string{"yes", "no"}}
	must.Do(t, x.summarise(t.Context(), g))
	want := "The model says “yes” (98.2 %). Any one of 2 alone is enough. Without 2 instances " +
		"the model would say “no” (98.2 %)."
	must.Equal(t, strings.Join(x.Summary, " "), want)
}
