package main

import (
	"crypto/sha256"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
)

// networks are how the bundled networks pool, as the engine finds it in their graphs.
var networks = map[string]string{"mi-net": "mean", "mi-net-instance": "mean",
	"mi-attn": "attention", "mi-gnn": onnxbackend.StrategyMembers}

// TestNetworks holds the bundled networks to what their README says of them: the bytes, the bundled
// bags, and how many of bags that no training has seen they put into the right class.
func TestNetworks(t *testing.T) {
	const (
		folder = "../../../examples/digits"
		drawn  = 80
		// of the rate in the README, which is that of 800 bags: these are the first of them
		within = .05
	)
	readme := must.Get(os.ReadFile(filepath.Join(folder, "README.md")))(t)
	row := regexp.MustCompile(
		"(?m)^\\| `networks/([a-z-]+)\\.onnx` *\\|.*\\| ([0-9.]+) % *\\| `([0-9a-f]{64})` *\\|$")
	rows := row.FindAllStringSubmatch(string(readme), -1)
	must.Equal(t, len(rows), len(networks))
	turns := must.Get(parseClasses("", drawn))(t)
	bundled, unseen := bundledBags(t, filepath.Join(folder, "bags.npz")), newBags(7, turns)
	for _, row := range rows {
		t.Run(row[1], func(t *testing.T) {
			file := must.Get(os.ReadFile(filepath.Join(folder, "networks", row[1]+".onnx")))(t)
			must.Equal(t, fmt.Sprintf("%x", sha256.Sum256(file)), row[3])
			rate := must.Get(strconv.ParseFloat(row[2], 64))(t)
			model := must.Get(onnxbackend.Open(file, onnxbackend.Options{}))(t)
			must.Equal(t, right(t, model, bundled), 1)
			if got := right(t, model, unseen); got < rate/100-within {
				t.Errorf("the network puts %.3f of %d bags into the right class, want %.3f", got,
					drawn, rate/100)
			}
			ev := must.Get(model.Bind(t.Context(), bundled[0]))(t)
			must.Equal(t, ev.(*onnxbackend.Bound).Strategy(), networks[row[1]])
		})
	}
}

func bundledBags(t *testing.T, path string) (bags []*core.Bag) {
	t.Helper()
	file := must.Get(os.ReadFile(path))(t)
	set := must.Get(bagio.Read(path, file, bagio.Options{}))(t)
	for i := range set.Len() {
		bag := must.Get(set.Bag(i))(t)
		bags = append(bags, bag)
	}
	return bags
}

// right returns the share of bags that a network puts into their class.
func right(t *testing.T, model *onnxbackend.Model, bags []*core.Bag) float64 {
	t.Helper()
	n := 0
	for _, bag := range bags {
		p := must.Get(model.Predict(t.Context(), bag))(t)
		if slices.Index(p.Scores, slices.Max(p.Scores)) == bag.Class[0] {
			n++
		}
	}
	return float64(n) / float64(len(bags))
}

// TestFolds holds the bundled folds to what their README says of them: the bytes, and how many of
// bags that no training has seen they put into the right class, within .1.
func TestFolds(t *testing.T) {
	const folder = "../../../examples/digits"
	row := regexp.MustCompile(
		"(?m)^\\| `(folds/fold[0-9]\\.onnx)` *\\| *([0-9.]+) % *\\| `([0-9a-f]{64})` *\\|$")
	rows := row.FindAllStringSubmatch(
		string(must.Get(os.ReadFile(filepath.Join(folder, "README.md")))(t)), -1)
	must.Equal(t, len(rows), 5)
	unseen := newBags(7, must.Get(parseClasses("", 80))(t))
	for _, row := range rows {
		file := must.Get(os.ReadFile(filepath.Join(folder, row[1])))(t)
		must.Equal(t, fmt.Sprintf("%x", sha256.Sum256(file)), row[3])
		rate := must.Get(strconv.ParseFloat(row[2], 64))(t)
		model := must.Get(onnxbackend.Open(file, onnxbackend.Options{}))(t)
		if got := right(t, model, unseen); !(math.Abs(got-rate/100) <= .1) {
			t.Errorf("%s puts %.3f of the bags into the right class, want %.3f", row[1], got,
				rate/100)
		}
	}
}
