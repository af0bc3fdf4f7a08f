package parity

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/core/whatif"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/ask"
)

var (
	update   = flag.Bool("update", false, "write testdata/expected.json again")
	networks = flag.String("networks", "", "file to write the answers of the trained networks to")
)

type cases struct {
	Tree     []source
	Networks []source
	Requests []json.RawMessage
}

type source struct {
	Model, Bag string
	Indices    []int
}

// request is the ExplainOptions of the npm package.
type request struct {
	Seed     uint64
	Settings string
	Output   core.Output
	options  []core.Setting // the options of methods
}

// readRequest parses a request. Keys that are not fields of request are options of methods.
func readRequest(t *testing.T, raw json.RawMessage) (r request) {
	t.Helper()
	given := map[string]any{}
	for _, to := range []any{&r, &given} {
		must.Do(t, json.Unmarshal(raw, to), raw)
	}
	for _, key := range []string{"seed", "settings", "output"} {
		delete(given, key)
	}
	for _, o := range methods.AllOptions() {
		if value, ok := given[ask.JavaScript.Option(o.Name)]; ok {
			r.options = append(r.options, core.Setting{Name: o.Name, Value: value})
		}
	}
	must.Equal(t, len(r.options), len(given), raw)
	return r
}

// answer holds the results that are compared.
type answer struct {
	Model       string          `json:"model"`
	Bag         string          `json:"bag"`
	Index       int             `json:"index"`
	Request     json.RawMessage `json:"request"`
	Prediction  []float64       `json:"prediction"`
	Evaluations int             `json:"evaluations"`
	// SHA-256 of all evaluated coalitions, one line each, in order
	Coalitions   string        `json:"coalitions"`
	Explanations []explanation `json:"explanations"`
	Skipped      []string      `json:"skipped"`
}

type explanation struct {
	Method string    `json:"method"`
	Class  int       `json:"class"`
	Scores []float64 `json:"scores"`
}

const (
	expectedFile = "testdata/expected.json"
	// Native and wasm scores may differ by 1e-5 (see the package documentation). Each may differ
	// from the committed numbers by half of it, because the order of float32 sums depends on the
	// kernels of a machine.
	close = 5e-6
)

// TestExpected compares the committed results with those of the core.
func TestExpected(t *testing.T) {
	got := answers(t, "testdata", readCases(t).Tree)
	if *update {
		writeAnswers(t, expectedFile, got)
	}
	text := must.Get(os.ReadFile(expectedFile))(t)
	var want []answer
	must.Do(t, json.Unmarshal(text, &want))
	must.Equal(t, len(got), len(want), expectedFile)
	for i := range want {
		must.Equal(t, differ(got[i], want[i]), "")
	}
}

// TestNetworks writes the results of the trained networks to the file in flag -networks.
func TestNetworks(t *testing.T) {
	if *networks == "" {
		t.Skip("no file is named with -networks; the tests of wasm/npm do")
	}
	writeAnswers(t, *networks, answers(t, filepath.Join("..", ".."), readCases(t).Networks))
}

func readCases(t *testing.T) (c cases) {
	t.Helper()
	text, err := os.ReadFile("testdata/cases.json")
	if err == nil {
		err = json.Unmarshal(text, &c)
	}
	must.Do(t, err)
	return c
}

func writeAnswers(t *testing.T, file string, list []answer) {
	t.Helper()
	lines := make([]string, len(list))
	for i, a := range list {
		line := must.Get(json.Marshal(a))(t)
		lines[i] = string(line)
	}
	text := "[\n" + strings.Join(lines, ",\n") + "\n]\n"
	must.Do(t, os.WriteFile(file, []byte(text), 0o666))
}

func answers(t *testing.T, dir string, sources []source) []answer {
	t.Helper()
	var list []answer
	for _, s := range sources {
		for _, index := range s.Indices {
			ev := bind(t, dir, s, index)
			for _, r := range readCases(t).Requests {
				a := explain(t, ev, r)
				a.Model, a.Bag, a.Index = s.Model, s.Bag, index
				list = append(list, a)
			}
		}
	}
	return list
}

func bind(t *testing.T, dir string, s source, index int) core.Evaluator {
	t.Helper()
	data := must.Get(os.ReadFile(filepath.Join(dir, s.Model)))(t)
	model := must.Get(onnxbackend.Open(data, onnxbackend.Options{}))(t)
	data = must.Get(os.ReadFile(filepath.Join(dir, s.Bag)))(t)
	set := must.Get(bagio.Read(s.Bag, data, bagio.Options{}))(t)
	bag := must.Get(set.Bag(index))(t)
	return must.Get(model.Bind(context.Background(), bag))(t)
}

func explain(t *testing.T, ev core.Evaluator, raw json.RawMessage) answer {
	t.Helper()
	r := readRequest(t, raw)
	methods, err := methods.New([]string{"all"}, options(t, r))
	must.Do(t, err, raw)
	seen := recorder{Evaluator: ev, hash: sha256.New()}
	request := core.Request{Methods: methods, SkipMissing: true,
		GameOptions: core.GameOptions{Seed: r.Seed, Output: r.Output, Workers: 1}}
	g := must.Get(core.NewGame(&seen, request.GameOptions))(t)
	report, err := g.Explain(context.Background(), request)
	must.Do(t, err, raw)
	ground(t, g, report)
	a := answer{
		Request: raw, Prediction: report.Prediction, Evaluations: report.Evaluations,
		Coalitions: hex.EncodeToString(seen.hash.Sum(nil)), Skipped: []string{},
	}
	for _, e := range report.Explanations {
		a.Explanations = append(a.Explanations, explanation{e.Method, e.Class, e.Scores})
	}
	for _, s := range report.Skipped {
		a.Skipped = append(a.Skipped, s.Method)
	}
	return a
}

// ground evaluates what the sentences of the engine about an explanation ask.
func ground(t *testing.T, g *core.Game, report *core.Report) {
	t.Helper()
	_, end := g.Range(0)
	q := whatif.GroundsQuestion{Class: slices.Index(report.Prediction[:end],
		slices.Max(report.Prediction[:end]))}
	of := func(e core.Explanation) bool { return e.Class == q.Class }
	if n := slices.IndexFunc(report.Explanations, of); n >= 0 {
		q.Explanation = &report.Explanations[n]
	}
	must.Get(q.Answer(t.Context(), g))(t)
	for n := range report.Explanations {
		if e := &report.Explanations[n]; of(*e) { // at most five, as the engine states
			must.Get(whatif.MissedQuestion{Explanation: e, Most: 5}.Answer(t.Context(), g))(t)
		}
	}
	report.Evaluations = g.Evaluations()
}

func options(t *testing.T, r request) methods.Options {
	t.Helper()
	var o methods.Options
	if r.Settings != "" {
		s := must.Get(methods.Settings(r.Settings))(t)
		o = s.Options
	}
	o = must.Get(o.With(r.options))(t)
	return o
}

// differ describes the difference between two results of a case, or returns "".
func differ(got, want answer) string {
	switch {
	case got.Coalitions != want.Coalitions || got.Evaluations != want.Evaluations:
		return "other coalitions are evaluated"
	case strings.Join(got.Skipped, " ") != strings.Join(want.Skipped, " "):
		return "other methods are skipped"
	case len(got.Explanations) != len(want.Explanations):
		return "there are other explanations"
	}
	if d := distance(got.Prediction, want.Prediction); !(d <= close) {
		return fmt.Sprintf("the prediction is off by %g", d)
	}
	for i, w := range want.Explanations {
		g := got.Explanations[i]
		if g.Method != w.Method || g.Class != w.Class {
			return "the explanations come in another order"
		}
		if d := distance(g.Scores, w.Scores); !(d <= close) {
			return fmt.Sprintf("%s, class %d is off by %g", w.Method, w.Class, d)
		}
	}
	return ""
}

// distance returns the largest difference between a and b, relative to the largest number of b or
// to 1 if that is larger.
func distance(a, b []float64) float64 {
	if len(a) != len(b) {
		return math.Inf(1)
	}
	far, size := 0.0, 1.0
	for i := range a {
		d := math.Abs(a[i] - b[i])
		if math.IsNaN(d) {
			return d
		}
		far, size = max(far, d), max(size, math.Abs(b[i]))
	}
	return far / size
}
