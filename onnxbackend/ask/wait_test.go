package ask

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
)

// planOf returns the plan of methods whose clock advances by a step with each look at it.
func planOf(t *testing.T, step time.Duration, said *[]string, methods ...string) *Plan {
	t.Helper()
	p := must.Get((&Settings{Methods: methods}).Plan())(t)
	clock := time.Unix(0, 0)
	p.now = func() time.Time {
		clock = clock.Add(step)
		return clock
	}
	p.Slow = func(s string) { *said = append(*said, s) }
	return p
}

// TestLongWaitIsAnnounced checks the sentence against its numbers, and that short work has none.
func TestLongWaitIsAnnounced(t *testing.T) {
	for _, c := range []struct {
		name       string
		step       time.Duration // time between two reports
		neighbours bool
		methods    []string
		classes    int
		want       string
	}{
		{"short", time.Millisecond, false, []string{"one_removed"}, 1, ""},
		{"long", 20 * time.Second, false, []string{"one_removed"}, 1,
			"This takes up to about 34 min: up to 102 evaluations of the model, 20 s each."},
		{"quicker", time.Second, false, []string{"guided_shap", "milli"}, 1,
			"This takes up to about 15 min: up to 901 evaluations of the model, 1.0 s each. " +
				"Quicker: the method random_shap (up to 401 evaluations, about 6.7 min), " +
				"the method one_removed (up to 102 evaluations, about 1.7 min), " +
				"the method single (up to 101 evaluations, about 1.7 min), fewer samples."},
		{"neighbours", time.Second, true, []string{"milli"}, 1,
			"This takes up to about 8.3 min: up to 501 evaluations of the model, 1.0 s each. " +
				"Quicker: the method one_removed (up to 102 evaluations), " +
				"the method single (up to 101 evaluations), fewer samples."},
	} {
		t.Run(c.name, func(t *testing.T) {
			var said []string
			w := wait{planOf(t, c.step, &said, c.methods...), core.Task{Instances: 100,
				Classes: c.classes}, c.classes, c.neighbours}
			total := 1
			for _, m := range w.plan.Methods {
				total += m.Evaluations(100, c.classes)
			}
			report := w.announced(nil)
			for done := 1; done < 5; done++ {
				report(done, total)
			}
			must.Equal(t, strings.Join(said, "|"), c.want)
		})
	}
}

// TestWaitOfOneClass: of all evaluations of the methods, one class needs those of one class.
func TestWaitOfOneClass(t *testing.T) {
	var said []string
	w := wait{planOf(t, time.Second, &said, "consensus", "milli"),
		core.Task{Instances: 100, Classes: 3}, 3, false}
	all, one := 1, 1
	for _, m := range w.plan.Methods {
		all += m.Evaluations(100, 3)
		one += m.Evaluations(100, 1)
	}
	if got := w.ofOneClass(all); one == all || got < one-1 || got > one {
		t.Errorf("one class of %d evaluations needs %d, want %d", all, got, one)
	}
}

// TestRoughly writes times with two digits, or as whole numbers from 10 on, in units that a person
// would choose.
func TestRoughly(t *testing.T) {
	for d, want := range map[time.Duration]string{
		1500:                    "1.5 µs",
		999 * time.Microsecond:  "999 µs",
		time.Millisecond:        "1.0 ms",
		9940 * time.Microsecond: "9.9 ms",
		9960 * time.Microsecond: "10 ms",
		time.Second:             "1.0 s",
		99 * time.Second:        "99 s",
		100 * time.Second:       "1.7 min",
		99 * time.Minute:        "99 min",
		100 * time.Minute:       "1.7 h",
	} {
		must.Equal(t, roughly(d), want, d)
	}
}

// TestSlowExplanation checks that an explanation announces its time once, before it ends, and what
// one class of several costs.
func TestSlowExplanation(t *testing.T) {
	model := enginetest.Open(t, enginetest.ScoreModel("", 3, enginetest.Unary("Softmax", "l",
		"scores")).Bytes(), onnxbackend.Options{Plain: true})
	bag := enginetest.SmallBag(20, 4)
	var said []string
	done := 0
	p := planOf(t, time.Second, &said, "consensus")
	x := must.Get(p.Explain(context.Background(), &Input{Engine: model, Bag: bag, Whole: bag},
		func(n, _ int) { done = n }))(t)
	must.Equal(t, len(said), 1, said)
	must.Equal(t, strings.Contains(said[0], "the method one_removed (up to 22 eval"), true, said)
	must.Equal(t, done, x.Report.Evaluations)
}
