package host

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/core/metric"
	"github.com/bagscope/bagscope/internal/kind"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/wasm/wire"
)

// truthCard is a card with a table of truth for the tiny model.
const truthCard = `{"classes": ["none", "one", "two"], "negative_class": 0,
	"truth": [{"support": [0]}, {"support": [1], "refute": [2]}, {"support": [2], "refute": [1]}]}`

// openLabelled opens the tiny model with a table of truth and the bag of 24 instances with labels.
// It also returns both as types of the core.
func (c *client) openLabelled() (model, bag int, m *onnxbackend.Model, b *core.Bag) {
	c.t.Helper()
	opened := get[wire.ModelOpened](c, wire.OpenModel{Name: "tiny", Card: truthCard,
		Bytes: testdata(c.t, "tiny.onnx")})
	set, err := bagio.Read("tiny.csv", testdata(c.t, "tiny.csv"), bagio.Options{})
	if err != nil {
		c.t.Fatal(err)
	}
	if b, err = set.Bag(3); err != nil {
		c.t.Fatal(err)
	}
	b.Labels = make([]int, b.Len())
	for i := range b.Labels {
		b.Labels[i] = i%4 - 1
	}
	if m, err = onnxbackend.Open(testdata(c.t, "tiny.onnx"),
		onnxbackend.Options{Name: "tiny", Card: []byte(truthCard)}); err != nil {
		c.t.Fatal(err)
	}
	return opened.Handle, c.host.handles.add(&heldBag{bag: b}), m, b
}

// ranked returns the explanations of a request as rankings.
func ranked(list []ask.Scored) []ask.Ranking {
	var out []ask.Ranking
	for _, e := range list {
		r2 := float64(e.R2)
		out = append(out, ask.Ranking{Method: e.Method, Class: e.Class, Scores: floats(e.Scores),
			R2: &r2})
	}
	return out
}

// floats returns numbers of an answer as those of a request.
func floats(list []ask.Number) []float64 {
	return ask.ListOf(list, func(n ask.Number) float64 { return float64(n) })
}

// The host returns the values of metric.Evaluate for the same explanations, to the last bit.
func TestJudge(t *testing.T) {
	c := newClient(t, nil)
	model, bag, m, b := c.openLabelled()
	for _, of := range []wire.Judge{
		{Judging: ask.Judging{Metrics: []string{"all"}, References: true}},
		{Judging: ask.Judging{Metrics: []string{"aopc_r", "ndcg", "auprc"}, References: true,
			Seed: 9, Orders: 3, Preset: "reference", Strict: true}},
		{Judging: ask.Judging{Metrics: []string{"srg"}, References: true, Output: "logit"},
			Without: []int{0, 5, 23}},
	} {
		r := &of.Judging
		x := get[wire.Explained](c, wire.Explain{Model: model, Bag: bag,
			Methods: new([]string{"single", "milli"}), Without: of.Without, Output: r.Output})
		of.Model, of.Bag, r.Rankings = model, bag, ranked(x.Explanations)
		got := get[ask.Judged](c, of)

		part, stay, err := without(b, of.Without)
		must.Do(t, err)
		ev := must.Get(m.Bind(t.Context(), part))(t)
		g := must.Get(core.NewGame(ev, core.GameOptions{Output: core.Output(r.Output),
			Workers: 1}))(t)
		o := metric.Options{Metrics: r.Metrics, Seed: r.Seed, Orders: r.Orders,
			Preset: methods.Preset(r.Preset), Strict: r.Strict}
		if r.Metrics[0] == "all" {
			o.Metrics = nil
		}
		var list []core.Explanation
		for _, s := range r.Rankings {
			e := core.Explanation{Method: s.Method, Class: s.Class, Scores: s.Scores,
				R2: math.NaN()}
			if s.R2 != nil {
				e.R2 = *s.R2
			}
			list = append(list, e)
		}
		rows := must.Get(metric.Evaluate(t.Context(), g, part, m.Info().Truth, list, o))(t)
		must.Equal(t, len(rows), 12)
		must.Equal(t, len(got.Judgements), len(rows))
		for i, row := range rows {
			j := got.Judgements[i]
			values, trivial := map[string]ask.Number{}, false
			for _, v := range row.Values {
				values[strings.ReplaceAll(v.Metric, "-", "_")] = ask.Number(v.Score)
				trivial = trivial || v.Trivial
			}
			if j.Method != row.Method || j.Class != row.Class || j.Trivial != trivial ||
				!reflect.DeepEqual(j.Values, values) ||
				!slices.Equal(j.MoRF, row.MoRF) || !slices.Equal(j.LeRF, row.LeRF) {
				t.Errorf("judgement\n%+v, row\n%+v", j, row)
			}
			must.Equal(t, (r.Metrics[0] != "srg"), j.Spread != nil && *j.Spread > 0, j.Method,
				j.Spread)
		}
		must.Equal(t, got.Evaluations, g.Evaluations(), len(got.Instances))
		must.EqualSlices(t, got.Instances, stay, len(got.Instances))
		must.Equal(t, got.Seed, r.Seed, len(got.Instances))
		must.Equal(t, len(got.Classes), 3, len(got.Instances))
		if want := 3; r.Metrics[0] != "srg" &&
			(len(got.Random) != want || len(got.Random[2].Mean) != len(stay) ||
				len(got.Random[2].Deviation) != len(stay)) {
			t.Errorf("random curves %+v", got.Random)
		}
	}
}

// Judging after explaining does not encode the bag again and repeats no evaluation.
func TestJudgeReusesTheEncodedBag(t *testing.T) {
	c := newClient(t, nil)
	model, bag := c.openTiny()
	x := get[wire.Explained](c, wire.Explain{Model: model, Bag: bag,
		Methods: new([]string{"single"})})
	before := c.host.bound.Load()
	r := wire.Judge{Model: model, Bag: bag, Watch: true, Judging: ask.Judging{
		Rankings: ranked(x.Explanations), Metrics: []string{"aopc-r"}}}
	id := c.send(r)
	var last wire.Progress
	var answer any
	for answer == nil {
		switch body := c.next(id).(type) {
		case wire.Progress:
			last = body
		default:
			answer = body
		}
	}
	one := answer.(ask.Judged)
	must.Equal(t, c.host.bound.Load(), before, "the bag was encoded again")
	must.Equal(t, last.Completed, last.Total, last)
	must.Equal(t, last.Total, 13*24, last)
	r.Judging.Rankings = append(r.Judging.Rankings, r.Judging.Rankings...)
	must.Equal(t, get[ask.Judged](c, r).Evaluations, one.Evaluations)
	must.Equal(t, one.Evaluations <= 13*24, true, one.Evaluations)
}

func TestJudgeFailures(t *testing.T) {
	c := newClient(t, nil)
	model, bag := c.openTiny()
	scores := make([]float64, 24)
	good := wire.Judge{Model: model, Bag: bag, Judging: ask.Judging{Metrics: []string{"aopc_r"},
		Rankings: []ask.Ranking{{Class: 1, Scores: scores}}}}
	get[ask.Judged](c, good)
	broken := slices.Clone(scores)
	broken[3] = math.NaN()
	for kind, changes := range map[string][]func(*wire.Judge){
		kind.Setting: {
			func(r *wire.Judge) { r.Judging.Metrics = []string{"beauty"} },
			func(r *wire.Judge) { r.Judging.Metrics = nil },
			func(r *wire.Judge) { r.Judging.Orders = -1 },
			func(r *wire.Judge) { r.Judging.Orders = 1 << 50 },
			func(r *wire.Judge) { r.Judging.Preset = "print" },
			func(r *wire.Judge) { r.Judging.Output = "loss" },
			func(r *wire.Judge) { r.Without = []int{24} },
			func(r *wire.Judge) { r.Judging.Rankings = nil },
			func(r *wire.Judge) { r.Judging.Rankings = []ask.Ranking{{Scores: scores[1:]}} },
			func(r *wire.Judge) { r.Judging.Rankings = []ask.Ranking{{Scores: broken}} },
			func(r *wire.Judge) {
				r.Judging.Rankings = []ask.Ranking{{Scores: scores,
					Class: 3}}
				r.Judging.References = true
			},
			func(r *wire.Judge) { r.Model = 99 },
		},
		kind.Budget: {func(r *wire.Judge) { r.Judging.Budget = 100 }},
		kind.Memory: {
			func(r *wire.Judge) { r.Judging.Orders = 1 << 20 },
			func(r *wire.Judge) { r.Judging.Memory = 1000 },
		},
	} {
		for _, change := range changes {
			r := good
			change(&r)
			c.fails(kind, r)
		}
	}
}

// TestJudgeBudget lowers the budget by one evaluation at a time from what two rankings take: each
// of them can be the one that fails, and nothing is judged then.
func TestJudgeBudget(t *testing.T) {
	c := newClient(t, nil)
	model, bag := c.openTiny()
	up, down := make([]float64, 24), make([]float64, 24)
	for i := range up {
		up[i], down[(i*7)%24] = float64(i), float64(i)
	}
	r := wire.Judge{Model: model, Bag: bag, Judging: ask.Judging{
		Metrics:  []string{"insertion", "deletion"},
		Rankings: []ask.Ranking{{Class: 1, Scores: up}, {Class: 1, Scores: down}}}}
	all := get[ask.Judged](c, r).Evaluations
	must.Equal(t, all >= 60, true, all)
	r.Judging.Budget = all
	get[ask.Judged](c, r)
	for r.Judging.Budget = all - 1; r.Judging.Budget > 0; r.Judging.Budget -= 7 {
		c.fails(kind.Budget, r)
	}
}

// A judgement waits for the explanation before it, and is cancelled while it waits or runs.
func TestJudgeCancel(t *testing.T) {
	gate, started := make(chan struct{}), make(chan struct{}, 1000)
	hold := false
	c := newClient(t, func() {
		if hold {
			select {
			case started <- struct{}{}:
			default:
			}
			<-gate
		}
	})
	model, bag := c.openTiny()
	r := wire.Judge{Model: model, Bag: bag, Judging: ask.Judging{Metrics: []string{"aopc_r"},
		Rankings: []ask.Ranking{{Scores: make([]float64, 24)}}}}
	hold = true
	running := c.send(r)
	select {
	case <-started:
	case <-time.After(patience):
		t.Fatal("the judgement does not start")
	}
	waiting := c.send(r)
	last := c.send(r)
	c.host.cancel(int(running))
	c.host.cancel(int(waiting))
	close(gate)
	for _, id := range []uint32{running, waiting} {
		if f, ok := c.wait(id).(wire.Failure); !ok || f.Kind != kind.Cancelled {
			t.Errorf("request %d was answered with %+v", id, f)
		}
	}
	if j, ok := c.wait(last).(ask.Judged); !ok {
		t.Errorf("the last one was answered with %+v", j)
	}
}

// A judgement with a helper, or with a helper that fails, equals the judgement without.
func TestHelpersJudges(t *testing.T) {
	open := func() (c *client, model, bag int) {
		c = newClient(t, nil)
		_, bag = c.openTiny()
		return c, get[wire.ModelOpened](c, wire.OpenModel{Plain: true,
			Bytes: testdata(t, "tiny.onnx")}).Handle, bag
	}
	c, model, bag := open()
	scores := make([]float64, 24)
	r := wire.Judge{Model: model, Bag: bag, Judging: ask.Judging{Metrics: []string{"all"},
		References: true, Rankings: []ask.Ranking{{Class: 2, Scores: scores}}}}
	want := get[ask.Judged](c, r)
	r.Helpers, r.Eager = 1, true
	for _, theirs := range []int{model, 1000} {
		c, _, _ := open()
		helper, _, _ := open()
		got, shared := getWith[ask.Judged](c, helper, theirs, r)
		must.Equal(t, reflect.DeepEqual(got, want), true, got, want)
		must.Equal(t, shared != 0, true, "nothing was shared")
	}
}
