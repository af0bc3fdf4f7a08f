package main

import (
	"bytes"
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"

	"github.com/bagscope/bagscope/internal/testfile"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
	"github.com/bagscope/bagscope/tools/cmd/internal/clitest"
)

// cells is the JSON of study as a script sees it.
type cells struct {
	Cells []struct {
		Dataset, Metric, Method, Model string
		Mean, SEM                      float64
		N                              int
		NontrivialN                    int `json:"nontrivial_n"`
		Paper                          *float64
		Difference                     *float64
	}
}

// overall returns the mean over models of a method.
func (c *cells) overall(t *testing.T, metric, method string) (mean, sem float64) {
	t.Helper()
	for _, e := range c.Cells {
		if e.Metric == metric && e.Method == method && e.Model == "overall" {
			return e.Mean, e.SEM
		}
	}
	t.Fatalf("there is no cell of %s, %s", metric, method)
	return 0, 0
}

// modelFolder is a folder with copies of model files under the names of architectures.
func modelFolder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for architecture, file := range files {
		data := must.Get(os.ReadFile(file))(t)
		must.Do(t, os.WriteFile(filepath.Join(dir, architecture+".onnx"), data, 0o644))
	}
	return dir
}

// TestStudy is a whole study in small: drawn digits under the bundled network, all methods.
func TestStudy(t *testing.T) {
	models, out := modelFolder(t, map[string]string{"mi_attn": exampleModel}), t.TempDir()
	args := []string{"study", "--dataset", "digits", "--models", models, "--out", out, "--limit",
		"40", "--json"}
	var c cells
	text := succeed(t, args...)
	clitest.RequireKeys(t, clitest.Decode(t, text, &c), "cells evaluations seed small_bags")
	best := "" // best method by NDCG@n
	top := math.Inf(-1)
	for _, e := range c.Cells {
		if e.Metric == "ndcg" && e.Model == "overall" && e.Method != "oracle" && e.Mean > top {
			best, top = e.Method, e.Mean
		}
		must.Equal(t, e.Dataset, "digits", e)
		must.Equal(t, e.Paper == nil, true, e)
	}
	const byNDCG, byAOPCR = .4, .08 // margins over a random order; .57 and .18 were measured
	random, _ := c.overall(t, "ndcg", "random")
	must.Equal(t, top-random >= byNDCG, true, best, top, random)
	milli, _ := c.overall(t, "aopc-r", "milli")
	if random, _ := c.overall(t, "aopc-r", "random"); milli-random < byAOPCR {
		t.Errorf("MILLI has AOPC-R %.3f, and a random order %.3f", milli, random)
	}
	if oracle, _ := c.overall(t, "ndcg", "oracle"); !(math.Abs(oracle-1) <= 1e-9) {
		t.Errorf("an order by the truth has NDCG@n %v", oracle)
	}
	for file, word := range map[string]string{"digits.md": "| MILLI |",
		"digits.csv": "digits,ndcg,milli,mi_attn,", "digits.tex": `\toprule`} {
		t.Run(file, func(t *testing.T) {
			data := must.Get(os.ReadFile(filepath.Join(out, file)))(t)
			must.Contain(t, string(data), word)
		})
	}
	must.Equal(t, succeed(t, append(args, "--workers", "1")...), text,
		"a study that is asked for again prints something else")
	must.Contain(t, succeed(t, args[:len(args)-1]...), "# Drawn digits")
}

// inkCounter is a network with one raw output that counts ink: it adds up the brightness of its
// instances.
func inkCounter() []byte {
	const pixels = 28 * 28
	weights := make([]float32, pixels)
	for i := range weights {
		weights[i] = 1e-5
	}
	m := ot.Model{
		Opset: 17, Metadata: map[string]string{
			"bagscope": `{"classes": ["ink"], "negative": -1, "output": "raw"}`},
		Inputs: []ot.Value{ot.In("bag", "k", 1, 28, 28)}, Outputs: []ot.Value{ot.In("ink", 1)},
		Initializers: []ot.Tensor{ot.F("w", weights, pixels, 1), ot.I("all", []int64{0}, 1)},
		Nodes: ot.Nodes(`flat = Flatten(bag); each = MatMul(flat, w)
			ink = ReduceSum<keepdims=0>(each, all)`),
	}
	return m.Bytes()
}

// TestStudyOfCounting: a network with one raw output and no negative class. Ink is what any method
// finds.
func TestStudyOfCounting(t *testing.T) {
	models := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(models, "mi_net.onnx"), inkCounter(), 0o644))
	study := func(dataset string) []string {
		return []string{"study", "--dataset", dataset, "--models", models, "--out", t.TempDir(),
			"--limit", "10", "--json"}
	}
	var c cells
	clitest.Decode(t, succeed(t, study("counting")...), &c)
	best, _ := c.overall(t, "aopc-r", "single")
	random, _ := c.overall(t, "aopc-r", "random")
	for _, method := range []string{"one_removed", "combined", "milli"} {
		if got, _ := c.overall(t, "aopc-r", method); got < best/2 || random > best/3 {
			t.Errorf("%s has AOPC-R %.4f, Single %.4f and a random order %.4f", method, got, best,
				random)
		}
	}
	if code, _, errors := bagscope(t, study("digits")...); code != cli.ExitFailed ||
		!strings.Contains(errors, "it has 1 classes, and Drawn digits has 4") {
		t.Errorf("a network of another data set: exit code %d, %q", code, errors)
	}
}

// TestStudyUsage: what study cannot do is said in a sentence.
func TestStudyUsage(t *testing.T) {
	dir := t.TempDir()
	for args, says := range map[string]string{
		"":                                   "--dataset is missing",
		"--dataset digits":                   "--models is missing",
		"--dataset digits --models " + dir:   "--out is missing",
		"--dataset birds --models m --out o": "birdsong",
		"--dataset digits,counting --models m --out o --bags b.npz": "one data set",
		"--dataset digits --models m --out o --limit -1":            "--limit",
		"--dataset digits --models m --out o --metrics fame":        "ndcg",
		"--dataset mnist --data nowhere --models m --out o":         "ossci-datasets",
		"--dataset digits --out o --models " + dir:                  "contains no models",
		"--dataset digits --out o --models " +
			exampleModel: "is a file, but the models must be in a folder",
		"--dataset digits --out o --bags nowhere.npz --models examples": "contains no models",
	} {
		t.Run(args, func(t *testing.T) {
			code, out, errors := bagscope(t, append([]string{"study"}, strings.Fields(args)...)...)
			if code == cli.ExitDone || out != "" || !strings.Contains(errors, says) {
				t.Errorf("study %s: exit code %d, stderr %q, want %q", args, code, errors, says)
			}
		})
	}
	var out, errors bytes.Buffer
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	models := modelFolder(t, map[string]string{"mi_attn": exampleModel})
	must.Equal(t, program.Run(ctx, []string{"study", "--dataset", "digits", "--models", models,
		"--out", t.TempDir()}, &out, &errors), cli.ExitFailed)
	must.Contain(t, errors.String(), "interrupted before")
	must.Contain(t, errors.String(), "run the same command again to continue")
}

// TestStudyChecksAll: of several data sets none is studied when the last lacks something.
func TestStudyChecksAll(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	code, _, errors := bagscope(t, "study", "--dataset", "digits,musk1", "--data", t.TempDir(),
		"--out", out, "--limit", "1", "--method", "single",
		"--models", modelFolder(t, map[string]string{"mi_attn": exampleModel}))
	must.Equal(t, code, cli.ExitFailed, errors)
	must.Equal(t, strings.Contains(errors, "musk1"), true, code, errors)
	must.Equal(t, os.IsNotExist(must.Err(os.Stat(out))), true, code, errors)
}

// TestStudyOfRestrictedData compares networks trained for this project on restricted data with the
// paper's tables: every method but Inherent, which depends on the network alone, lies within two
// standard errors of the mean over networks, and the order is the paper's.
func TestStudyOfRestrictedData(t *testing.T) {
	if testing.Short() {
		t.Skip("a study of two data sets takes a while")
	}
	for _, s := range []struct {
		name, bags string
		models     map[string]string
		behind     map[string]float64 // first method to the lead that it has over others
		first      string
	}{
		{"mnist", "models/mnist/test_bags.npz",
			map[string]string{"mi_attn": "mi_attn", "mi_net": "mi_net_embedding"},
			map[string]float64{"single": .08, "combined": .08, "random_shap": .08,
				"guided_shap": .08, "random_lime": .05, "guided_lime": .08, "one_removed": .08},
			"milli"},
		{"crc", "data/crc/test_bags.npz", map[string]string{"mi_attn": "mi_attn",
			"mi_net_instance": "mi_net_instance"},
			map[string]float64{"milli": .01, "one_removed": .05, "random_shap": .05,
				"random_lime": .05, "guided_lime": .05}, "combined"},
	} {
		t.Run(s.name, func(t *testing.T) {
			bags := testfile.Restricted(t, s.bags)
			files := map[string]string{}
			for architecture, file := range s.models {
				files[architecture] = testfile.Restricted(t, "models/"+s.name+"/"+file+".onnx")
			}
			var c cells
			clitest.Decode(t, succeed(t, "study", "--dataset", s.name, "--data",
				testfile.Restricted(t, "data"), "--models", modelFolder(t, files), "--bags", bags,
				"--out", t.TempDir(), "--metrics", "ndcg", "--json"), &c)
			compared := 0
			for _, e := range c.Cells {
				if e.Model != "overall" || e.Method == "inherent" || e.Paper == nil {
					continue
				}
				compared++
				must.Equal(t, math.Abs(*e.Difference) <= 2*e.SEM, true, e.Method, e.Mean, e.SEM,
					*e.Paper)
			}
			must.Equal(t, compared, 8)
			top, _ := c.overall(t, "ndcg", s.first)
			for method, lead := range s.behind {
				if other, _ := c.overall(t, "ndcg", method); top-other < lead {
					t.Errorf("%s has %.3f and %s %.3f, want a lead of %.2f", s.first, top, method,
						other, lead)
				}
			}
		})
	}
}
