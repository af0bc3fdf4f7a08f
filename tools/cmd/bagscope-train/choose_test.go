package main

import (
	"math"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
	"github.com/bagscope/bagscope/tools/cmd/internal/clitest"
)

// TestChoose measures the method with the best AOPC-R on each bag of drawn digits. Consensus orders
// them better than the chosen methods: AOPC-R is measured from the whole bag, in which a second 8
// hides what the first one adds.
func TestChoose(t *testing.T) {
	args := []string{"choose", "--model", exampleModel, "--dataset", "digits", "--limit", "24"}
	var got struct {
		Metric, By string
		Mean       float64
		N          int
		Methods    []struct {
			Method           string
			Mean, Difference float64
			Chosen           int
		}
	}
	clitest.RequireKeys(t, clitest.Decode(t, succeed(t, append(args, "--json")...), &got),
		"metric bags small_bags dataset repeat part by mean sem n methods skipped")
	if got.Metric != "ndcg" || got.By != "aopc-r" || len(got.Methods) != 5 {
		t.Fatalf("%+v", got)
	}
	chosen := 0
	for _, m := range got.Methods {
		chosen += m.Chosen
		must.Equal(t, math.Abs(got.Mean-m.Mean-m.Difference) <= 1e-9, true, m.Method, got.Mean,
			m.Mean, m.Difference)
		if m.Method == "consensus" && !(m.Difference < -.01) {
			t.Errorf("the chosen methods have %.3f, Consensus %.3f", got.Mean, m.Mean)
		}
	}
	if chosen != 4*24 { // four classes
		t.Errorf("a method was chosen %d times", chosen)
	}
	// A single candidate is chosen each time.
	one := succeed(t, append(args, "--method", "single")...)
	must.Contain(t, one, "the one with the best AOPC-R", "0.0000 ± 0.0000")
	if code, _, errors := bagscope(t, append(args, "--metric", "aopc-r")...); code !=
		cli.ExitUsage || !strings.Contains(errors, "use another one") {
		t.Errorf("exit code %d, %q", code, errors)
	}
}
