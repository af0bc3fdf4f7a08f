package host

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/internal/kind"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/internal/testfile"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/wasm/wire"
)

// The host returns the answers of package ask for a bag without some instances, to the last bit.
func TestWhatIfs(t *testing.T) {
	c := newClient(t, nil)
	model, bag, m, b := c.openLabelled()
	removed := []int{0, 7}
	class := 2 // the largest, so that there are necessary sets
	in := func() *ask.Input {
		rest, instances, err := without(b, removed)
		must.Do(t, err)
		return &ask.Input{Engine: m, Bag: rest, Whole: b, Instances: instances}
	}
	q := ask.Ask{Index: &class, Seed: 5, Workers: 1}
	r := wire.Ask{Model: model, Bag: bag, Without: removed, Class: &class, Seed: 5}
	scores := make([]float64, b.Len()-len(removed))
	for i := range scores {
		scores[i] = math.Sin(float64(i))
	}
	var (
		level                          = .5
		two, six, eight, sixteen, cell = 2, 6, 8, 16, 1
		kind, both, zero, single       = "both", "both", "zero", "single"
		noise                          = .1
		members                        = []int{1, 2, 3, 4, 5, 6}
	)
	var (
		sets   = ask.SetsOptions{Kind: &kind, Level: &level, Several: &two}
		pairs  = ask.PairsOptions{Among: &eight, Contexts: &sixteen}
		turn   = ask.TurnOptions{Moves: &both, Most: &six}
		inside = ask.InsideOptions{Instance: &eight, Cell: &cell, Hidden: &zero}
		check  = ask.CheckOptions{Method: &single, Noise: &noise}
		curves = ask.SetsOptions{Curves: new(bool)}

		named    = "a=1-3; b=5"
		concepts = ask.GroupsOptions{Concepts: &named, Random: &eight}
	)
	*curves.Curves = true
	ctx := t.Context()
	for name, one := range map[string]struct {
		request any
		want    func() (any, error)
	}{
		"sets": {wire.Sets{Ask: r, Options: sets}, func() (any, error) {
			return answer(q.Sets(ctx, in(), sets, nil))
		}},
		"curves of sets": {wire.Sets{Ask: r, Options: curves}, func() (any, error) {
			return answer(q.Sets(ctx, in(), curves, nil))
		}},
		"curves": {wire.Curves{Ask: r, Scores: &scores}, func() (any, error) {
			return answer(q.Curves(ctx, in(), scores, nil))
		}},
		"curves without a map": {wire.Curves{Ask: r}, func() (any, error) {
			return answer(q.Curves(ctx, in(), nil, nil))
		}},
		"pairs": {wire.Pairs{Ask: r, Options: pairs}, func() (any, error) {
			return answer(q.Pairs(ctx, in(), pairs, nil))
		}},
		"turn": {wire.Turn{Ask: r, Members: &members, Options: turn}, func() (any, error) {
			from := in()
			from.Members = members
			return answer(q.Turn(ctx, from, turn, nil))
		}},
		"inside": {wire.Inside{Ask: r, Options: inside}, func() (any, error) {
			return answer(q.Inside(ctx, in(), inside, nil))
		}},
		"check": {wire.Check{Ask: r, Options: check}, func() (any, error) {
			return answer(q.Check(ctx, in(), check, nil))
		}},
		"loss": {wire.Loss{Ask: r, Instance: 8, Score: -2, LogOdds: true}, func() (any, error) {
			return answer(q.Missed(ctx, in(), 8, -2, true))
		}},
		"concepts": {wire.Groups{Ask: r, Options: concepts}, func() (any, error) {
			return answer(q.Groups(ctx, in(), concepts, nil))
		}},
		"groups": {wire.Groups{Ask: r}, func() (any, error) {
			return answer(q.Groups(ctx, in(), ask.GroupsOptions{}, nil))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			want := must.Get(one.want())(t)
			got := c.ask(one.request)
			must.EqualSlices(t, written(t, got), written(t, want), got, want)
		})
	}
}

// answer returns an answer as the body of a message.
func answer[T any](a *T, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return *a, nil
}

// written returns a body as bytes, in which NaN equals NaN.
func written(t *testing.T, body any) []byte {
	t.Helper()
	return must.Get(wire.Append(nil, wire.Message{Body: body}))(t)
}

// The progress of a question whose evaluations are known counts to their number.
func TestWhatIfProgress(t *testing.T) {
	c := newClient(t, nil)
	model, bag := c.openTiny()
	r := wire.Ask{Model: model, Bag: bag, Watch: true}
	one, three, six, forty := 1, 3, 6, 40
	for name, q := range map[string]any{
		"pairs": wire.Pairs{Ask: r, Options: ask.PairsOptions{Among: &six}},
		"inside": wire.Inside{Ask: r, Options: ask.InsideOptions{Instance: &three, Cell: &one,
			Samples: &forty}},
	} {
		t.Run(name, func(t *testing.T) {
			id, counted := c.send(q), false
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
			must.Equal(t, counted, true, "no progress has a total")
		})
	}
}

// The class of a what-if is by default the largest, and the progress of a search reaches its total.
func TestWhatIfDefaults(t *testing.T) {
	c := newClient(t, nil)
	model, bag := c.openTiny()
	prediction := get[wire.Predicted](c, wire.Predict{Model: model, Bag: bag}).Read.Values
	id := c.send(wire.Sets{Ask: wire.Ask{Model: model, Bag: bag, Watch: true}})
	var last wire.Progress
	for {
		body := c.next(id)
		if p, ok := body.(wire.Progress); ok {
			last = p
			continue
		}
		must.Equal(t, last.Total != 0, true, last)
		must.Equal(t, last.Completed, last.Total, last)
		got := body.(ask.SetsAnswer)
		largest := slices.Index(prediction, slices.Max(prediction))
		if got.Class != largest || got.Sufficient == nil || got.Necessary == nil ||
			got.Level != nil || len(got.Classes) != 3 {
			t.Errorf("got %+v for the prediction %v", got, prediction)
		}
		return
	}
}

// Scores and members of messages that do not fit the bag are errors of settings. What package ask
// checks has rows in the table of questions.
func TestWhatIfSettings(t *testing.T) {
	c := newClient(t, nil)
	model, bag := c.openTiny()
	r := wire.Ask{Model: model, Bag: bag}
	short, nine := []float64{1, 2}, 9
	wide := r
	wide.Class = &nine
	for name, body := range map[string]any{
		"class":     wire.Pairs{Ask: wide},
		"scores":    wire.Curves{Ask: r, Scores: &short},
		"no scores": wire.Curves{Ask: r, Scores: &[]float64{}},
		"empty bag": wire.Turn{Ask: r, Members: &[]int{}},
		"listed":    wire.Turn{Ask: r, Members: &[]int{1, 1}},
		"beyond":    wire.Turn{Ask: r, Members: &[]int{24}},
		"removed": wire.Turn{Ask: wire.Ask{Model: model, Bag: bag, Without: []int{3}},
			Members: &[]int{3}},
	} {
		t.Run(name, func(t *testing.T) { c.fails(kind.Setting, body) })
	}
}

// TestStateInputs opens a bag with other covariates, which shares its instances.
func TestStateInputs(t *testing.T) {
	c := newClient(t, nil)
	_, bag := c.openTiny()
	aged := get[wire.BagOpened](c, wire.StateInputs{Bag: bag, Inputs: "age=63; stage=0,1"})
	older := get[wire.BagOpened](c, wire.StateInputs{Bag: aged.Handle, Inputs: "age=70"})
	want := []core.Covariate{{Name: "age", Values: []float64{70}},
		{Name: "stage", Values: []float64{0, 1}}}
	must.Equal(t, reflect.DeepEqual(older.Info.Covariates, want), true, older.Info.Covariates, want)
	first := get[wire.Values](c, wire.GetValues{Bag: bag}).Values
	must.EqualSlices(t, get[wire.Values](c, wire.GetValues{Bag: older.Handle}).Values, first)
	c.fails(kind.Setting, wire.StateInputs{Bag: bag, Inputs: "age"})
	c.fails(kind.Setting, wire.StateInputs{Bag: 999, Inputs: "age=1"})
}

// TestProfile compares with the answer of package ask, between the values that the bags of the file
// state, also for a bag of some of the instances.
func TestProfile(t *testing.T) {
	c := newClient(t, nil)
	model, data := testfile.Read(t, "corpus/patient.onnx"), testfile.Read(t, "corpus/patients.csv")
	opened := get[wire.ModelOpened](c, wire.OpenModel{Name: "patient", Bytes: model})
	bag := get[wire.BagsRead](c, wire.ReadBags{Files: []wire.BagFile{{Name: "patients.csv",
		Bytes: slices.Clone(data)}}, Model: opened.Handle, Open: new(1)}).Opened
	m := must.Get(onnxbackend.Open(model, onnxbackend.Options{}))(t)
	set := must.Get(bagio.Read("patients.csv", data, ask.ReadOptions{}.Options(m)))(t)
	for _, without := range [][]int{nil, {2}} {
		in := must.Get(ask.NewInput(t.Context(), m, set, 1))(t)
		if without != nil {
			in.Select([]int{0, 1, 3})
		}
		want := must.Get((&ask.Ask{}).Profile(t.Context(), in, ask.ProfileOptions{}, nil))(t)
		got := get[ask.ProfileAnswer](c, wire.Profile{Ask: wire.Ask{Model: opened.Handle,
			Bag: bag.Handle, Without: without}})
		if !reflect.DeepEqual(got.Predictions, want.Predictions) || len(got.Values) != 11 ||
			got.Bag.Instances != 4-len(without) {
			t.Errorf("without %v: %+v, want %+v", without, got, want)
		}
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
	must.EqualSlices(t, values, append(slices.Clone(first), rest...))
	must.Equal(t, joined.Info.Instances, 26)
	members := []int{0, 1, 2}
	add, two := "add", 2
	got := get[ask.TurnAnswer](c, wire.Turn{Ask: wire.Ask{Model: model, Bag: joined.Handle},
		Members: &members, Options: ask.TurnOptions{Moves: &add, Most: &two}})
	alone := get[wire.BagOpened](c, wire.SelectInstances{Bag: bag, Instances: members})
	want := get[wire.Predicted](c, wire.Predict{Model: model, Bag: alone.Handle}).Read.Values
	for n, v := range got.Prediction {
		if !(math.Abs(float64(v)-want[n]) <= 1e-6) { // float32 sums in another order
			t.Errorf("class %d has %v, want %v", n, v, want[n])
		}
	}
	c.fails(kind.Setting, wire.JoinBags{Bag: bag, Other: 999})
	c.host.config.Room = func() int64 { return 100 }
	c.fails(kind.Memory, wire.JoinBags{Bag: bag, Other: some.Handle})
}
