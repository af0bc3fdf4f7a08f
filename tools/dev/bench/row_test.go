package main

import (
	"math"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		in   []float64
		want float64
	}{
		{[]float64{3}, 3},
		{[]float64{9, 1, 5}, 5},
		{[]float64{4, 1, 3, 2}, 2.5},
		{[]float64{7, 7, 1000, 7, 0, 7, 7}, 7}, // one round that another program spoilt
	} {
		before := append([]float64{}, c.in...)
		must.Equal(t, median(c.in), c.want, c.in)
		for i := range before {
			if before[i] != c.in[i] {
				t.Fatalf("median reorders %v", before)
			}
		}
	}
	must.Equal(t, math.IsNaN(median(nil)), true, "nothing has a median")
}

func TestRatio(t *testing.T) {
	if q := ratio(3, 2); q == nil || *q != 1.5 {
		t.Errorf("3/2 is %v", q)
	}
	for _, c := range [][2]float64{{1, 0}, {0, 1}, {math.NaN(), 1}, {1, math.NaN()},
		{math.Inf(1), 1}, {-1, 1}} {
		must.Equal(t, ratio(c[0], c[1]) == nil, true, c[0], c[1])
	}
}

func timed(task string, k int, engine, target string, ms ...float64) Row {
	r := Row{Job: jobName(task, "m", k), Task: task, Model: "m", Instances: k, Engine: engine,
		Target: target}
	r.setTimes(ms)
	return r
}

func TestSetTimes(t *testing.T) {
	r := timed(taskMILLI, 5, engineOurs, targetNative, 4, 2, 9)
	if r.MedianMS != 4 || r.MinMS != 2 || r.MaxMS != 9 || r.Rounds != 3 {
		t.Errorf("%+v", r)
	}
	if r := timed(taskMILLI, 5, engineOurs, targetNative); r.Rounds != 0 || r.MedianMS != 0 {
		t.Errorf("a row without rounds has times: %+v", r)
	}
}

// Rows are compared with the peer on their own target, in their own job, on a bag of their own
// size.
func TestCompare(t *testing.T) {
	rows := []Row{
		timed(taskForward, 5, engineOurs, targetNative, 6),
		timed(taskForward, 5, enginePeer, targetNative, 2),
		timed(taskForward, 5, enginePeer, targetBrowser, 8),
		timed(taskForward, 9, enginePeer, targetBrowser, 1000),
		timed(taskMILLI, 5, engineOurs, targetBrowser, 12),
		timed(taskMILLI, 5, enginePeer, targetBrowser, 48),
		timed(taskMILLI, 5, enginePlain, targetNative, 10),
		{Job: "memory m k=5", Task: taskMemory, Model: "m", Instances: 5, Engine: engineOurs,
			Target: targetNative, PeakBytes: 30},
		{Job: "memory m k=5", Task: taskMemory, Model: "m", Instances: 5, Engine: enginePeer,
			Target: targetNative, PeakBytes: 10},
	}
	compare(rows)
	for i, want := range []struct{ peer, forward float64 }{
		{3, 0}, {0, 0}, {0, 0}, {0, 0}, {0.25, 1.5}, {0, 6}, {0, 5}, {3, 0}, {0, 0},
	} {
		for _, c := range []struct {
			what string
			got  *float64
			want float64
		}{{"peer", rows[i].RatioToPeer, want.peer}, {"forward pass", rows[i].RatioToForward,
			want.forward}} {
			if (c.got == nil) != (c.want == 0) || c.got != nil && *c.got != c.want {
				t.Errorf("%s, %s, %s: ratio to the %s is %s, want %v", rows[i].Job, rows[i].Engine,
					rows[i].Target, c.what, times(c.got), c.want)
			}
		}
	}
}
