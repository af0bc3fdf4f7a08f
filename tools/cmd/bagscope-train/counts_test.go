package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
	"github.com/bagscope/bagscope/tools/cmd/internal/clitest"
)

// countingRecipe is a network that learns to count drawn digits in seconds.
const countingRecipe = `{"Kind": "mi-net-instance", "Shape": [1, 28, 28], "Classes": 1,
 "Scale": "raw", "Convolutions": [{"Maps": 4, "Size": 5}, {"Maps": 8, "Size": 5}],
 "Encoder": [32], "Pool": "mean", "Rate": 3e-3}`

// TestCounting is a regression in small: a network learns how many 8s a bag holds, and the study
// of its exported file finds the 8s.
func TestCounting(t *testing.T) {
	dir := t.TempDir()
	recipe := filepath.Join(dir, "recipe.json")
	must.Do(t, os.WriteFile(recipe, []byte(countingRecipe), 0o644))
	args := []string{"train", "--dataset", "counting", "--model", "mi-net-instance", "--recipe",
		recipe, "--out", dir, "--bags", "120", "--validation-bags", "20", "--test-bags", "20",
		"--epochs", "8", "--json"}
	var trained struct {
		Reports []struct{ Test, Blind struct{ Error float64 } }
	}
	code, out, errors := bagscope(t, args...)
	must.Equal(t, code, cli.ExitDone, errors)
	clitest.Decode(t, `{"reports":`+out+`}`, &trained)
	const share = .5 // .67 of 3.00 were measured
	if r := trained.Reports[0]; !(r.Test.Error > 0 && r.Test.Error < share*r.Blind.Error) {
		t.Errorf("the network is off by %.2f on average, and one who says the mean by %.2f",
			r.Test.Error, r.Blind.Error)
	}
	var c cells
	clitest.Decode(t, succeed(t, "study", "--dataset", "counting", "--models", dir, "--limit", "10",
		"--out", filepath.Join(dir, "study"), "--json"), &c)
	const margin = .5 // over a random order; .79 was measured for most
	random, _ := c.overall(t, "ndcg", "random")
	for _, method := range methods.All() {
		if mean, _ := c.overall(t, "ndcg", method.Name); mean-random < margin {
			t.Errorf("%s has NDCG@n %.3f, and a random order %.3f", method.Name, mean, random)
		}
	}
	if mean, _ := c.overall(t, "aopc-r", "milli"); mean < 1 { // in 8s: 4 were measured
		t.Errorf("MILLI has AOPC-R %.3f", mean)
	}
}
