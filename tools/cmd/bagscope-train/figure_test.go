package main

import (
	"encoding/xml"
	"fmt"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
	"github.com/bagscope/bagscope/tools/cmd/internal/clitest"
)

// svgText returns what is written in an SVG file, which must be well-formed.
func svgText(t *testing.T, name string) string {
	t.Helper()
	f := must.Get(os.Open(name))(t)
	defer f.Close()
	text := ""
	d := xml.NewDecoder(f)
	for {
		token, err := d.Token()
		if err == io.EOF {
			return text
		}
		must.Do(t, err)
		if chars, ok := token.(xml.CharData); ok {
			text += strings.TrimSpace(string(chars)) + "|"
		}
	}
}

// Tune tells each pair what evaluate tells it, and names the best.
func TestTune(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tune.svg")
	at := []string{"--model", exampleModel, "--bags", exampleBags, "--limit", "3", "--samples",
		"60", "--seed", "4", "--json"}
	var out tuneJSON
	clitest.Decode(t, succeed(t, append([]string{"tune", "--alphas", ".05,.5", "--betas",
		"-1,0,.01", "--metric", "aopc-r", "--out", file}, at...)...), &out)
	if len(out.Grid) != 6 || out.Bags != 3 || out.Samples != 60 || out.Metric != "aopc_r" {
		t.Fatalf("%+v", out)
	}
	best := math.Inf(-1)
	for _, cell := range out.Grid {
		best = max(best, float64(cell.Mean))
	}
	must.Equal(t, float64(out.Best.Mean), best, out.Best, out.Grid)
	var s clitest.Statistics
	clitest.Decode(t, succeed(t, append([]string{"evaluate", "--method", "milli", "--alpha", ".05",
		"--beta", ".01", "--metrics", "aopc-r"}, at...)...), &s)
	if want := s.Stat(t, "milli", "aopc_r"); float64(out.Grid[4].Mean) != want.Mean ||
		float64(out.Grid[4].SEM) != want.SEM || out.Grid[4].Alpha != .05 ||
		out.Grid[4].Beta != .01 {
		t.Errorf("tune says %+v, evaluate %+v", out.Grid[4], want)
	}
	must.Contain(t, svgText(t, file), "AOPC-R", "α|", "0.05|")
	clitest.Decode(t, succeed(t, append([]string{"tune", "--alphas", ".05,.5", "--betas", "-1,.01",
		"--metric", "deletion"}, at...)...), &out)
	for _, cell := range out.Grid {
		must.Equal(t, cell.Mean >= out.Best.Mean, true, out.Best, cell)
	}
	text := succeed(t, "tune", "--model", exampleModel, "--bags", exampleBags, "--limit", "2",
		"--samples", "40", "--alphas", ".05", "--betas", "0")
	must.Contain(t, text, "best: alpha 0.05, beta 0 with")
}

// More coalitions help the methods that draw them, and leave the others as they are.
func TestSamples(t *testing.T) {
	file := filepath.Join(t.TempDir(), "samples.svg")
	at := []string{"samples", "--model", exampleModel, "--bags", exampleBags, "--settings", "mnist",
		"--method", "single,random_shap,milli,consensus", "--sizes", "40,600"}
	var out samplesJSON
	clitest.Decode(t, succeed(t, append(at, "--json", "--out", file)...), &out)
	means := map[string][]sizeJSON{}
	for _, m := range out.Methods {
		means[m.Method] = m.Sizes
	}
	if len(out.Methods) != 4 || out.Metric != "ndcg" || out.Bags != 6 {
		t.Fatalf("%+v", out)
	}
	for _, name := range []string{"single", "consensus"} {
		if s := means[name]; len(s) != 2 || s[0].Mean != s[1].Mean || s[1].Samples != 600 {
			t.Errorf("%s: %+v", name, s)
		}
	}
	for _, name := range []string{"random_shap", "milli"} {
		if s := means[name]; len(s) != 2 || !(s[1].Mean > s[0].Mean) {
			t.Errorf("%s: %+v", name, s)
		}
	}
	if c, m := means["consensus"][0].Mean, means["milli"][1].Mean; !(c > m-.03) {
		t.Errorf("consensus has %v, milli with its settings %v", c, m)
	}
	cost := map[string]float64{}
	for _, m := range out.Methods {
		cost[m.Method] = float64(m.Sizes[0].Evaluations)
		must.Equal(t, m.Fixed, m.Method == "single" || m.Method == "consensus", m)
	}
	// Single evaluates each of about 29 digits alone, MILLI 40 coalitions more, Consensus
	// the neighbours of 36 contexts, and instances alone or removed.
	if k := cost["single"]; k < 25 || k > 34 || cost["milli"] <= k || cost["milli"] > k+40 ||
		cost["consensus"] < 33*k || cost["consensus"] > 36*(k+1)+2*k {
		t.Errorf("model evaluations: %v", cost)
	}
	text := svgText(t, file)
	for _, word := range []string{"NDCG@n", fmt.Sprintf("Consensus (%.0f)", cost["consensus"]),
		fmt.Sprintf("Single (%.0f)", cost["single"]), "Random SHAP|", "number of coalitions, n",
		"100"} {
		must.Contain(t, text, word)
	}
	must.Contain(t, succeed(t, append(at, "--limit", "1")...), "random_shap", "600", "evaluations")
	// Methods that draw nothing are measured once, whatever the sizes are.
	for _, methods := range []string{"single", "single,inherent"} {
		clitest.Decode(t, succeed(t, "samples", "--model", exampleModel, "--bags", exampleBags,
			"--limit", "1", "--method", methods, "--json"), &out)
		must.Equal(t, len(out.Methods), 1+strings.Count(methods, ","), methods, out.Methods)
		must.Equal(t, len(out.Methods[len(out.Methods)-1].Sizes), len(sampleSizes), methods,
			out.Methods)
	}
	succeed(t, "samples", "--model", exampleModel, "--bags", exampleBags, "--limit", "1",
		"--method", "single,milli", "--sizes", "1", "--out", file)
}

func TestFigure(t *testing.T) {
	dir := t.TempDir()
	draw := func(name string, args ...string) string {
		file := filepath.Join(dir, name)
		succeed(t, append([]string{"figure", "--out", file}, args...)...)
		return file
	}
	must.Contain(t, svgText(t, draw("curve.svg", "--kind", "curve", "--k", "50", "--pairs",
		".2:-1")), "α = 0.2, β = -1", "50 instances")
	must.Contain(t, svgText(t, draw("size.svg", "--kind", "size", "--alphas", ".1")), "E|z| / k")
	at := []string{"--kind", "bag", "--model", exampleModel, "--bag", exampleBags, "--settings",
		"mnist"}
	text := svgText(t, draw("bag.svg", at...))
	for _, title := range []string{"Inherent", "MILLI", "Consensus"} {
		must.Contain(t, text, title)
	}
	f := must.Get(os.Open(draw("bag.png", at...)))(t)
	defer f.Close()
	if picture, err := png.Decode(f); err != nil || picture.Bounds().Dx() < 1000 {
		t.Errorf("%v", err)
	}
}

// A bag of patches is put together again, and its true patches stand beside those of methods.
func TestFigureOfPatches(t *testing.T) {
	const model, bags = "../../../examples/tissue/model.onnx", "../../../examples/tissue/bags.npz"
	for _, c := range []struct{ name, index, want string }{
		{"with glands", "0", "true patches"},
		{"without glands", "1", "top 20 by Single"},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "tissue.svg")
			succeed(t, "figure", "--kind", "bag", "--model", model, "--bag", bags, "--index",
				c.index, "--method", "single", "--out", file)
			must.Contain(t, svgText(t, file), "picture", c.want)
		})
	}
}

func TestFigureUsage(t *testing.T) {
	at := []string{"--model", exampleModel, "--bags", exampleBags}
	for want, args := range map[string][]string{
		"--out":             {"figure", "--kind", "curve"},
		"use one of curve":  {"figure", "--kind", "pie", "--out", "a.svg"},
		"end in .svg or":    {"figure", "--kind", "curve", "--out", "a.pdf"},
		"ALPHA:BETA":        {"figure", "--kind", "curve", "--out", "a.svg", "--pairs", "1:2"},
		"and 1, got 2":      {"figure", "--kind", "size", "--out", "a.svg", "--alphas", "2"},
		"--pairs is empty":  {"figure", "--kind", "curve", "--out", "a.svg", "--pairs", ""},
		"--alphas":          {"figure", "--kind", "size", "--out", "a.svg", "--alphas", ""},
		"100000, got 1":     {"figure", "--kind", "size", "--out", "a.svg", "--k", "1"},
		"always uses MILLI": append([]string{"tune", "--alpha", ".1"}, at...),
		"and 1, got 0":      append([]string{"tune", "--alphas", "0"}, at...),
		"least 1, got 0":    append([]string{"samples", "--sizes", "0"}, at...),
		"use --sizes":       append([]string{"samples", "--samples", "9"}, at...),
		"a single metric":   append([]string{"samples", "--metric", "all"}, at...),
		`--metric "fame"`:   append([]string{"tune", "--metric", "fame"}, at...),
		"both select bags":  append([]string{"tune", "--dataset", "digits"}, at...),
		"--part needs":      append([]string{"samples", "--part", "test"}, at...),
		"or --dataset is":   {"tune", "--model", exampleModel},
		"birdsong":          {"tune", "--model", exampleModel, "--dataset", "birds"},
		`--part "val"`: {"tune", "--model", exampleModel, "--dataset", "digits", "--part",
			"val"},
		"--repeat: 10 does": {"tune", "--model", exampleModel, "--dataset", "digits", "--repeat",
			"10"},
		"--stride needs": {"samples", "--model", exampleModel, "--dataset", "tissue", "--stride",
			"9"},
		"must end in .svg": append([]string{"tune", "--out", "a.gif"}, at...),
	} {
		t.Run(want, func(t *testing.T) {
			if code, _, errors := bagscope(t, args...); code != cli.ExitUsage ||
				!strings.Contains(errors, want) {
				t.Errorf("%v: code %d, %q", args, code, errors)
			}
		})
	}
}
