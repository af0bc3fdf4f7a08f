package whatif

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/coretest"
	"github.com/bagscope/bagscope/core/internal/sampling"
	"github.com/bagscope/bagscope/internal/must"
)

// A weighted model scores a bag by a power of the sum over its instances of weighted values.
type weighted struct {
	weights []float64
	power   int // 0 means 1
	// silent reports whether the model has no answer for members of a bag; nil means never
	silent func(bag *core.Bag, members []int) bool
}

func (m weighted) Info() core.ModelInfo { return core.ModelInfo{} }

func (m weighted) Bind(_ context.Context, bag *core.Bag) (core.Evaluator, error) {
	return weightedBag{m, bag}, nil
}

type weightedBag struct {
	weighted
	bag *core.Bag
}

func (b weightedBag) Task() core.Task {
	return core.Task{Instances: b.bag.Len(), Classes: 1, Scale: core.ScaleRaw, Negative: -1}
}

func (b weightedBag) Evaluate(_ context.Context, dst []float64, z *core.Coalitions) error {
	for j := range dst {
		sum := 0.0
		for _, i := range z.Members(nil, j) {
			for at, v := range b.bag.Instance(i) {
				sum += b.weights[at] * float64(v)
			}
		}
		dst[j] = sum
		for range b.power - 1 {
			dst[j] *= sum
		}
		if b.silent != nil && b.silent(b.bag, z.Members(nil, j)) {
			dst[j] = math.NaN()
		}
	}
	return nil
}

// pictureBag returns a bag of three pictures of 4 by 6 pixels with two channels, which are the last
// axis if so given, and one weight for each value.
func pictureBag(last bool) (*core.Bag, []float64) {
	bag := &core.Bag{Name: "pictures", Shape: []int{2, 4, 6}}
	if last {
		bag.Shape = []int{4, 6, 2}
	}
	var weights []float64
	for n := range 3 * 48 {
		bag.Values = append(bag.Values, float32(n*n%23))
		if n < 48 {
			weights = append(weights, float64(n%7)-3)
		}
	}
	return bag, weights
}

func mapInside(t *testing.T, m weighted, bag *core.Bag, q InsideQuestion, seed uint64) *InsideMap {
	t.Helper()
	ev, _ := m.Bind(context.Background(), bag)
	g := must.Get(core.NewGame(ev, core.GameOptions{Seed: seed}))(t)
	return must.Get(q.Answer(context.Background(), g, m, bag))(t)
}

// hiddenOf returns the values of an instance if all of its cells are hidden.
func hiddenOf(t *testing.T, g CellGrid, bag *core.Bag, i int, how Hidden) []float32 {
	t.Helper()
	hide := must.Get(g.hide(t.Context(), shownPictures{bag: bag}, how))(t)
	return hide(bag.Instance(i))
}

// The score of a cell of an additive model is the sum of its weighted changes, whether sets of
// cells are drawn or enumerated, and whatever the other instances are.
func TestInsideOfAdditiveModel(t *testing.T) {
	for _, last := range []bool{false, true} {
		bag, weights := pictureBag(last)
		for _, how := range HiddenKinds() {
			for _, cell := range []int{0, 1, 2, 4} { // 0 stands for bands
				q := InsideQuestion{Instance: 1, Cell: cell, Hidden: how}
				if cell == 0 {
					q.Groups = PartsBands
				}
				in := mapInside(t, weighted{weights: weights}, bag, q, 1)
				want := make([]float64, in.Grid.Cells())
				if cell == 0 && len(want) != bag.Shape[0] { // up to 4 channels first
					t.Fatalf("%d bands of instances of shape %v", len(want), bag.Shape)
				}
				total := 0.0
				hidden := hiddenOf(t, in.Grid, bag, 1, how)
				for at, of := range in.Grid.cellOf() {
					d := weights[at] * float64(bag.Instance(1)[at]-hidden[at])
					want[of] += d
					total += d
				}
				coretest.Near(t, "Whole", in.Whole, total, 1e-6)
				for c := range want {
					coretest.Near(t, "score", in.Scores[c], want[c], 1e-4)
				}
				must.Equal(t, (in.StdErr == nil), len(want) <= sampling.MostEnumerated, len(want),
					in.StdErr)
			}
		}
	}
}

// TestInsideBesideUnanswered leaves out a sixteenth of the sets of cells: the scores of an additive
// model stay as they are.
func TestInsideBesideUnanswered(t *testing.T) {
	bag, weights := pictureBag(false)
	for cell, want := range map[int]string{
		1: "of 400 sets of visible cells have no answer",
		2: "of 63 sets of visible cells have no answer",
	} {
		t.Run(want, func(t *testing.T) {
			q := InsideQuestion{Instance: 1, Cell: cell, Hidden: HiddenZero, Fixed: true}
			m := weighted{weights: weights}
			whole := mapInside(t, m, bag, q, 1)
			m.silent = func(of *core.Bag, members []int) bool {
				// the first and the last cell are hidden, and another one is not
				x := of.Instance(1)
				return x[0] == 0 && x[23] == 0 && x[14] != 0 && x[9] != 0
			}
			part := mapInside(t, m, bag, q, 1)
			for c, v := range whole.Scores {
				coretest.Near(t, "score", part.Scores[c], v, 1e-4)
			}
			must.Contain(t, strings.Join(part.Notes, " "), want)
		})
	}
}

// TestInsideWithoutContext has no answer where instance 0 is absent, or instance 1 is hidden.
func TestInsideWithoutContext(t *testing.T) {
	bag, weights := pictureBag(false)
	absent := weighted{weights: weights, silent: func(_ *core.Bag, members []int) bool {
		return !slices.Contains(members, 0) && slices.Contains(members, 1)
	}}
	in := mapInside(t, absent, bag, InsideQuestion{Instance: 1, Cell: 2}, 1)
	if !strings.Contains(strings.Join(in.Notes, " "),
		"of 16 contexts of the other instances have no answer") || in.Contexts >= 16 {
		t.Errorf("%d contexts, notes %q", in.Contexts, in.Notes)
	}
	hidden := weighted{weights: weights, silent: func(of *core.Bag, _ []int) bool {
		return of.Instance(1)[1] == 0
	}}
	ev := must.Get(hidden.Bind(t.Context(), bag))(t)
	g := must.Get(core.NewGame(ev, core.GameOptions{}))(t)
	_, err := InsideQuestion{Instance: 1, Hidden: HiddenZero}.Answer(t.Context(), g, hidden, bag)
	must.As(t, err, new(*core.BagError))
}

// The differences of sets of cells and their complements have no error under a model whose cells
// interact in pairs.
func TestInsideOfPairs(t *testing.T) {
	bag, weights := pictureBag(false)
	m := weighted{weights: weights, power: 2}
	in := mapInside(t, m, bag, InsideQuestion{Cell: 1, Fixed: true}, 1)
	hidden, original := hiddenOf(t, in.Grid, bag, 0, HiddenMean), bag.Instance(0)
	// phi_c = f(mean of the others + c) - f(the same - c), as f is quadratic.
	middle := 0.0
	for at, v := range bag.Values {
		w := weights[at%len(weights)]
		if at < len(original) {
			middle += w * float64(v+hidden[at]) / 2
		} else {
			middle += w * float64(v)
		}
	}
	change := make([]float64, in.Grid.Cells())
	for at, of := range in.Grid.cellOf() {
		change[of] += weights[at] * float64(original[at]-hidden[at])
	}
	for c, d := range change {
		coretest.Near(t, "score", in.Scores[c], 2*middle*d, 1e-4*math.Abs(middle)+1e-3)
		coretest.Near(t, "standard error", in.StdErr[c], 0, 1e-4*math.Abs(middle)+1e-3)
	}
}

// A counted model counts what its bags evaluate.
type counted struct {
	weighted
	evaluated *atomic.Int64
}

func (m counted) Bind(ctx context.Context, bag *core.Bag) (core.Evaluator, error) {
	return countedBag{weightedBag{m.weighted, bag}, m.evaluated}, nil
}

type countedBag struct {
	weightedBag
	evaluated *atomic.Int64
}

func (b countedBag) Evaluate(ctx context.Context, dst []float64, z *core.Coalitions) error {
	b.evaluated.Add(int64(z.Len()))
	return b.weightedBag.Evaluate(ctx, dst, z)
}

// No budget is exceeded, also by the first evaluations of a map.
func TestInsideRespectsBudget(t *testing.T) {
	bag, weights := pictureBag(false)
	var evaluated atomic.Int64
	m := counted{weighted{weights: weights, power: 2}, &evaluated}
	refused, answered := 0, 0
	for budget := 1; budget < 6000; budget += 1 + budget/5 {
		ev, _ := m.Bind(t.Context(), bag)
		g, err := core.NewGame(ev, core.GameOptions{Budget: budget})
		must.Do(t, err)
		evaluated.Store(0)
		_, err = InsideQuestion{Cell: 2}.Answer(t.Context(), g, m, bag)
		switch {
		case err == nil:
			answered++
		case errors.As(err, new(*core.BudgetError)):
			refused++
		default:
			t.Fatal(err)
		}
		if n := evaluated.Load(); n > int64(budget) {
			t.Errorf("%d evaluations with a budget of %d: %v", n, budget, err)
		}
	}
	must.Equal(t, refused != 0, true, answered, refused)
	must.Equal(t, answered != 0, true, answered, refused)
}

// Standard errors are the standard deviation of scores over seeds.
func TestInsideErrors(t *testing.T) {
	bag, weights := pictureBag(false)
	const seeds = 60
	var scores [][]float64
	predicted := 0.0
	for seed := range uint64(seeds) {
		in := mapInside(t, weighted{weights: weights, power: 3}, bag,
			InsideQuestion{Cell: 1, Fixed: true}, seed)
		scores = append(scores, in.Scores)
		for _, e := range in.StdErr {
			predicted += e * e / seeds
		}
	}
	observed := 0.0
	for c := range scores[0] {
		sum, square := 0.0, 0.0
		for _, s := range scores {
			sum += s[c] / seeds
		}
		for _, s := range scores {
			square += (s[c] - sum) * (s[c] - sum) / (seeds - 1)
		}
		observed += square
	}
	// The mean of 24 variances over 60 seeds varies by a few per cent.
	if ratio := math.Sqrt(predicted / observed); ratio < .85 || ratio > 1.18 {
		t.Errorf("standard errors are %.3f of the standard deviation over seeds", ratio)
	}
}

// Wrong questions and bags without cells are typed errors that name the setting.
func TestInsideRefuses(t *testing.T) {
	bag, weights := pictureBag(false)
	ev, _ := weighted{weights: weights}.Bind(context.Background(), bag)
	for _, c := range []struct {
		setting string
		q       InsideQuestion
	}{
		{"class", InsideQuestion{Class: 1}},
		{"instance", InsideQuestion{Instance: 3}},
		{"cell", InsideQuestion{Cell: -1}},
		{"cell", InsideQuestion{Cell: 6}},
		{"groups", InsideQuestion{Groups: "colours"}},
		{"hidden", InsideQuestion{Hidden: "grey"}},
		{"samples", InsideQuestion{Samples: -2}},
	} {
		g, _ := core.NewGame(ev, core.GameOptions{})
		_, err := c.q.Answer(context.Background(), g, weighted{weights: weights}, bag)
		var wrong *core.SettingError
		must.Equal(t, errors.As(err, &wrong), true, c.q, err, c.setting)
		must.Equal(t, wrong.Setting, c.setting, c.q, err)
	}
	deep := &core.Bag{Shape: []int{2, 3, 4, 2}, Values: bag.Values}
	g, _ := core.NewGame(ev, core.GameOptions{})
	_, err := InsideQuestion{}.Answer(context.Background(), g, weighted{weights: weights}, deep)
	must.As(t, err, new(*core.BagError))
}

// A blur keeps a constant picture, and the default grid has at most usualCells cells.
func TestCellGrid(t *testing.T) {
	bag := &core.Bag{Shape: []int{3, 224, 224}, Values: slices.Repeat([]float32{7}, 3*224*224)}
	g, err := newCellGrid(shownPictures{bag: bag}, 0, false)
	if err != nil || g.Cells() > usualCells || g.Cells() < usualCells/2 {
		t.Fatalf("the grid of 224 pixels is %+v, error %v", g, err)
	}
	scene := &core.Bag{Shape: []int{13, 64, 64}, Values: make([]float32, 13*64*64)}
	if g, err = newCellGrid(shownPictures{bag: scene}, 0, true); err != nil || g.Cells() != 13 {
		t.Fatalf("the bands of a scene are %+v, error %v", g, err)
	}
	must.Fail(t, must.Err(newCellGrid(shownPictures{bag: &core.Bag{Shape: []int{9}}}, 0, true)))
	small := &core.Bag{Shape: []int{5, 6}, Values: slices.Repeat([]float32{7}, 30)}
	g, err = newCellGrid(shownPictures{bag: small}, 2, false)
	if err != nil || g.Rows != 3 || g.Columns != 3 {
		t.Fatalf("the grid of 5 by 6 pixels is %+v, error %v", g, err)
	}
	for _, v := range hiddenOf(t, g, small, 0, HiddenBlur) {
		coretest.Near(t, "blurred value", float64(v), 7, 1e-6)
	}
}
