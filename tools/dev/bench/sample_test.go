package main

import (
	"math"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
)

func TestLoops(t *testing.T) {
	s := &Subject{Model: "m", Instances: 30, Settings: "mnist", Classes: 4}
	for _, c := range []struct {
		task     string
		min, max int
	}{
		{taskForward, 1, 1},
		// the bag, each instance, 150 draws of which few repeat a single
		{taskMILLI, 1 + 30 + 140, 1 + 30 + 150},
		{taskMILLIExplained, 1 + 30 + 4*140, 1 + 30 + 4*150}, // draws for every class
		{taskSHAP, 1001, 1001},
		{taskCoalitions, 1001, 1001},
		// ten random orders and one for each class, which may share an end
		{taskAOPCR, 13 * 29, 1 + 14*29},
	} {
		z := must.Get(coalitionsOf(t.Context(), s, c.task))(t)
		if n := z.Len(); n < c.min || n > c.max {
			t.Errorf("%s evaluates %d coalitions, want %d to %d", c.task, n, c.min, c.max)
		}
		seen := map[string]bool{}
		for j := range z.Len() {
			if seen[z.String(j)] {
				t.Fatalf("%s evaluates %s twice", c.task, z.String(j))
			}
			seen[z.String(j)] = true
		}
	}
	must.Fail(t, must.Err(coalitionsOf(t.Context(), s, "guess")))
}

// A sample's mean size is that of all, so that its time scales.
func TestSample(t *testing.T) {
	s := &Subject{Model: "m", Instances: 264, Settings: "crc", Classes: 2}
	for _, task := range []string{taskMILLI, taskSHAP, taskAOPCR} {
		z := must.Get(coalitionsOf(t.Context(), s, task))(t)
		all := 0.0
		for j := range z.Len() {
			all += float64(z.Size(j)) / float64(z.Len())
		}
		for _, n := range []int{3, 10, 100} {
			members := sample(z, n)
			must.Equal(t, len(members), n)
			mean := 0.0
			for _, m := range members {
				mean += float64(len(m)) / float64(n)
			}
			if !(math.Abs(mean-all) <= 0.05*all+0.5) {
				t.Errorf("%s: %d coalitions have %.2f members each, all have %.2f", task, n, mean,
					all)
			}
		}
	}
}

func TestSampleOfAll(t *testing.T) {
	z := core.NewCoalitions(4, 3)
	z.AppendMembers(0, 1, 2)
	z.AppendMembers(3)
	z.AppendMembers(1, 2)
	got := sample(z, 9)
	if len(got) != 3 || len(got[0]) != 1 || got[0][0] != 3 || len(got[1]) != 2 || len(got[2]) != 3 {
		t.Errorf("all of three coalitions, by size: %v", got)
	}
}
