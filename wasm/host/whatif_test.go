package host

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/metric"
	"github.com/bagscope/bagscope/internal/kind"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/wasm/wire"
)

// gameOf returns the game of a bag without some instances. The value of the whole bag is the one of
// a prediction, as in the host: in a batch it rounds differently.
func gameOf(t *testing.T, m *onnxbackend.Model, b *core.Bag, removed []int, seed uint64) *core.Game {
	t.Helper()
	rest, _, err := without(b, removed)
	if err != nil {
		t.Fatal(err)
	}
	ev, err := m.Bind(t.Context(), rest)
	if err != nil {
		t.Fatal(err)
	}
	g, err := core.NewGame(ev, core.GameOptions{Workers: 1, Seed: seed})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := g.Full(t.Context()); err != nil {
		t.Fatal(err)
	}
	return g
}

// put returns instances by their numbers before others were removed.
func put(instances, removed []int) []int {
	out := slices.Clone(instances)
	slices.Sort(removed)
	for n := range out {
		for _, r := range removed {
			if r <= out[n] {
				out[n]++
			}
		}
	}
	return out
}

// The host returns the answers of the core, to the last bit.
func TestWhatIfs(t *testing.T) {
	c := newClient(t, nil)
	model, bag, m, b := c.openLabelled()
	removed := []int{0, 7}
	class := 2 // the largest, so that there are necessary sets
	ask := wire.Ask{Model: model, Bag: bag, Without: removed, Class: &class, Seed: 5}
	game := func() *core.Game { return gameOf(t, m, b, slices.Clone(removed), 5) }
	set := func(d core.Decisive) wire.DecisiveSet {
		return wire.DecisiveSet{Instances: put(d.Instances, removed), Values: d.Values,
			Smallest: d.Smallest, Enumerated: d.Enumerated}
	}
	t.Run("sets", func(t *testing.T) {
		level := .5
		for _, kind := range []core.SetKind{core.SetsSufficient, core.SetsNecessary} {
			got := get[wire.SetsFound](c, wire.Sets{Ask: ask, Kind: string(kind), Level: &level,
				Several: 2})
			want, err := game().Sets(t.Context(), core.SetsQuestion{Kind: kind, Class: class,
				Level: &level, Several: 2})
			if err != nil {
				t.Fatal(err)
			}
			if len(want.Found) == 0 {
				t.Fatalf("no %s set in the core, so that the test compares nothing", kind)
			}
			if !reflect.DeepEqual(got.Sets, listOf(want.Found, set)) ||
				got.Kind != string(kind) || *got.Level != level ||
				!slices.Equal(got.Answered.Prediction, want.Whole) ||
				!slices.Equal(got.Answered.Notes, want.Notes) ||
				got.Answered.Class != class || got.Answered.Seed != 5 {
				t.Errorf("got %+v, want %+v", got, want)
			}
		}
	})
	t.Run("pairs", func(t *testing.T) {
		got := get[wire.PairsFound](c, wire.Pairs{Ask: ask, Among: 8, Contexts: 16,
			Interaction: "shapley"})
		want, err := game().Pairs(t.Context(), core.PairsQuestion{Class: class, Among: 8,
			Contexts: 16, Index: core.PairsShapley})
		if err != nil {
			t.Fatal(err)
		}
		for n, p := range want.List {
			ends := put([]int{p.A, p.B}, removed)
			if w := (wire.Pair{A: ends[0], B: ends[1], Value: p.Value, Stderr: p.StdErr,
				Evident: p.Evident}); got.Pairs[n] != w {
				t.Errorf("pair %d is %+v, want %+v", n, got.Pairs[n], w)
			}
		}
		if len(got.Pairs) != 28 || !slices.Equal(got.Among, put(want.Among, removed)) ||
			!slices.Equal(got.Alone, want.Alone) || got.Interaction != "shapley" ||
			got.Unit != string(want.Unit) || got.Contexts != 16 || got.Freedom != want.Freedom {
			t.Errorf("got %+v, want %+v", got, want)
		}
	})
	t.Run("curves", func(t *testing.T) {
		scores := make([]float64, b.Len()-len(removed))
		for i := range scores {
			scores[i] = math.Sin(float64(i))
		}
		got := get[wire.CurvesFound](c, wire.Curves{Ask: ask, Scores: &scores})
		want, err := game().Curves(t.Context(), core.CurvesQuestion{Class: class, Scores: scores})
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got.Kept, listOf(want.Kept, curvePoint)) ||
			!reflect.DeepEqual(got.Removed, listOf(want.Removed, curvePoint)) {
			t.Errorf("got %+v, want %+v", got.Kept, want.Kept)
		}
		none := get[wire.CurvesFound](c, wire.Curves{Ask: ask})
		if none.Kept[0].Map != nil || none.Kept[0].Best != got.Kept[0].Best {
			t.Errorf("without a map the first point is %+v", none.Kept[0])
		}
	})
	t.Run("turn", func(t *testing.T) {
		members := []int{1, 2, 3, 4, 5, 6}
		got := get[wire.TurnFound](c, wire.Turn{Ask: ask, Members: &members, Moves: "both",
			Most: 6})
		want, err := game().Turn(t.Context(), core.TurnQuestion{Class: class,
			Bag: []int{0, 1, 2, 3, 4, 5}, Moves: core.MovesBoth, Most: 6})
		if err != nil {
			t.Fatal(err)
		}
		for n, s := range want.Steps {
			w := wire.TurnStep{Instance: put([]int{s.Instance}, removed)[0], Added: s.Added,
				Values: s.Values}
			if !reflect.DeepEqual(got.Steps[n], w) {
				t.Errorf("step %d is %+v, want %+v", n, got.Steps[n], w)
			}
		}
		if len(want.Steps) == 0 || got.Above != want.Above || got.Turned != want.Turned ||
			got.Level != nil || !slices.Equal(got.Answered.Prediction, want.From) ||
			want.Fewest == nil || !reflect.DeepEqual(*got.Fewest, set(*want.Fewest)) {
			t.Errorf("got %+v, want %+v", got, want)
		}
	})
}

// The parts of an instance, its checks and its groups are those of the core.
func TestInsideAndChecks(t *testing.T) {
	c := newClient(t, nil)
	model, bag, m, b := c.openLabelled()
	removed := []int{0, 7}
	class := 2
	ask := wire.Ask{Model: model, Bag: bag, Without: removed, Class: &class, Seed: 5}
	rest, _, err := without(b, slices.Clone(removed))
	if err != nil {
		t.Fatal(err)
	}
	game := func() *core.Game { return gameOf(t, m, b, slices.Clone(removed), 5) }
	t.Run("inside", func(t *testing.T) {
		got := get[wire.InsideFound](c, wire.Inside{Ask: ask, Instance: 8, Cell: 1, Hidden: "zero"})
		want, err := game().Inside(t.Context(), m, rest, core.InsideQuestion{Class: class,
			Instance: 6, Cell: 1, Hidden: core.HiddenZero})
		if err != nil {
			t.Fatal(err)
		}
		if len(want.Scores) < 2 || !slices.Equal(got.Scores, want.Scores) ||
			!slices.Equal(got.Stderr, want.StdErr) || !slices.Equal(got.Evident, want.Evident) ||
			!slices.Equal(got.Without, want.Without) || got.Whole != want.Whole ||
			got.Rows != want.Grid.Rows || got.Columns != want.Grid.Columns ||
			got.Instance != 8 || got.Unit != string(want.Unit) || got.Samples != want.Samples {
			t.Errorf("got %+v, want %+v", got, want)
		}
	})
	t.Run("check", func(t *testing.T) {
		got := get[wire.CheckFound](c, wire.Check{Ask: ask, Method: "single", Noise: .1})
		want, err := metric.CheckMap(t.Context(), m, rest, metric.CheckQuestion{Class: class,
			Method: core.Single{}, Noise: .1}, core.GameOptions{Workers: 1, Seed: 5})
		if err != nil {
			t.Fatal(err)
		}
		marked := put(want.Mark.Instances, removed)
		if got.Layers != nil || got.Seeds != want.Seeds ||
			got.Noise != wire.NoiseCheck(*want.Noise) ||
			!slices.Equal(got.Mark.Instances, marked) ||
			got.Mark.Sentence != want.Mark.Sentence ||
			!slices.Equal(got.Answered.Notes, want.Notes) {
			t.Errorf("got %+v, want %+v", got, want)
		}
	})
	t.Run("groups", func(t *testing.T) {
		got := get[wire.GroupsFound](c, wire.Groups{Ask: ask})
		want, err := game().Groups(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got.Groups, listOf(want, func(g []int) []int {
			return put(g, removed)
		})) {
			t.Errorf("got %v, want %v", got.Groups, want)
		}
	})
}

// The progress of a question whose evaluations are known counts to their number.
func TestWhatIfProgress(t *testing.T) {
	c := newClient(t, nil)
	model, bag := c.openTiny()
	ask := wire.Ask{Model: model, Bag: bag, Watch: true}
	for name, r := range map[string]any{
		"pairs":  wire.Pairs{Ask: ask, Among: 6},
		"inside": wire.Inside{Ask: ask, Instance: 3, Cell: 1, Samples: 40},
	} {
		t.Run(name, func(t *testing.T) {
			id, counted := c.send(r), false
			for {
				p, ok := c.next(id).(wire.Progress)
				if !ok {
					break
				}
				counted = counted || p.Total > 0 && !p.Instances
				if p.Total > 0 && p.Completed > p.Total {
					t.Errorf("%d of %d", p.Completed, p.Total)
				}
			}
			if !counted {
				t.Error("no progress has a total")
			}
		})
	}
}

// The class of a what-if is by default the largest, and the progress of a search reaches its total.
func TestWhatIfDefaults(t *testing.T) {
	c := newClient(t, nil)
	model, bag := c.openTiny()
	prediction := get[wire.Predicted](c, wire.Predict{Model: model, Bag: bag}).Prediction
	id := c.send(wire.Sets{Ask: wire.Ask{Model: model, Bag: bag, Watch: true}})
	var last wire.Progress
	for {
		body := c.next(id)
		if p, ok := body.(wire.Progress); ok {
			last = p
			continue
		}
		if last.Total == 0 || last.Completed != last.Total {
			t.Errorf("the last progress is %+v", last)
		}
		got := body.(wire.SetsFound)
		largest := slices.Index(prediction, slices.Max(prediction))
		if got.Answered.Class != largest || got.Kind != string(core.SetsSufficient) ||
			got.Level != nil || len(got.Answered.Classes) != 3 {
			t.Errorf("got %+v for the prediction %v", got, prediction)
		}
		return
	}
}

func TestWhatIfSettings(t *testing.T) {
	c := newClient(t, nil)
	model, bag := c.openTiny()
	ask := wire.Ask{Model: model, Bag: bag}
	nine, below := 9, -1
	wide := ask
	wide.Class = &nine
	low := ask
	low.Class = &below
	short := []float64{1, 2}
	for name, body := range map[string]any{
		"class":       wire.Sets{Ask: wide},
		"pairs":       wire.Pairs{Ask: low},
		"kind":        wire.Sets{Ask: ask, Kind: "minimal"},
		"several":     wire.Sets{Ask: ask, Several: core.MostSets + 1},
		"scores":      wire.Curves{Ask: ask, Scores: &short},
		"no scores":   wire.Curves{Ask: ask, Scores: &[]float64{}},
		"among":       wire.Pairs{Ask: ask, Among: 1},
		"interaction": wire.Pairs{Ask: ask, Interaction: "strong"},
		"moves":       wire.Turn{Ask: ask, Moves: "swap"},
		"empty bag":   wire.Turn{Ask: ask, Members: &[]int{}},
		"listed":      wire.Turn{Ask: ask, Members: &[]int{1, 1}},
		"beyond":      wire.Turn{Ask: ask, Members: &[]int{24}},
		"removed": wire.Turn{Ask: wire.Ask{Model: model, Bag: bag, Without: []int{3}},
			Members: &[]int{3}},
	} {
		t.Run(name, func(t *testing.T) { c.fails(kind.Setting, body) })
	}
}

// A joined bag holds the instances of both bags, and turns count them through.
func TestJoinBags(t *testing.T) {
	c := newClient(t, nil)
	model, bag := c.openTiny()
	some := get[wire.BagOpened](c, wire.SelectInstances{Bag: bag, Instances: []int{4, 2}})
	joined := get[wire.BagOpened](c, wire.JoinBags{Bag: bag, Other: some.Handle})
	values := get[wire.Values](c, wire.GetValues{Bag: joined.Handle}).Values
	first := get[wire.Values](c, wire.GetValues{Bag: bag}).Values
	rest := get[wire.Values](c, wire.GetValues{Bag: some.Handle}).Values
	if !slices.Equal(values, append(slices.Clone(first), rest...)) || joined.Info.Instances != 26 {
		t.Errorf("%d instances with values %v", joined.Info.Instances, values)
	}
	members := []int{0, 1, 2}
	got := get[wire.TurnFound](c, wire.Turn{Ask: wire.Ask{Model: model, Bag: joined.Handle},
		Members: &members, Moves: "add", Most: 2})
	alone := get[wire.BagOpened](c, wire.SelectInstances{Bag: bag, Instances: members})
	want := get[wire.Predicted](c, wire.Predict{Model: model, Bag: alone.Handle}).Prediction
	for n, v := range got.Answered.Prediction {
		if math.Abs(v-want[n]) > 1e-6 { // float32 sums in another order
			t.Errorf("class %d has %v, want %v", n, v, want[n])
		}
	}
	c.fails(kind.Setting, wire.JoinBags{Bag: bag, Other: 999})
	c.host.config.Room = func() int64 { return 100 }
	c.fails(kind.Memory, wire.JoinBags{Bag: bag, Other: some.Handle})
}
