package main

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
	"github.com/bagscope/bagscope/tools/cmd/internal/clitest"
)

// quick names methods that cost little.
const quick = "inherent,single,combined,milli"

func evaluateExample(t *testing.T, more ...string) string {
	t.Helper()
	return succeed(t, append([]string{"evaluate", "--model", exampleModel, "--bags", exampleBags,
		"--settings", "mnist", "--method", quick}, more...)...)
}

func TestEvaluate(t *testing.T) {
	file := filepath.Join(t.TempDir(), "table.csv")
	text := evaluateExample(t, "--json", "--csv", file, "--workers", "2")
	var s clitest.Statistics
	clitest.Decode(t, text, &s)
	must.Equal(t, s.Bags, 6)
	must.Equal(t, len(s.Methods), 6)
	for _, name := range strings.Split(quick+",random,oracle", ",") {
		clitest.RequireKeys(t, s.Method(t, name), "method ndcg aopc_r srg")
	}
	// An order by the truth is perfect by definition; an explanation lies between it and chance.
	oracle, random, milli := s.Stat(t, "oracle", "ndcg"), s.Stat(t, "random", "ndcg"), s.Stat(t,
		"milli", "ndcg")
	if !(math.Abs(oracle.Mean-1) <= exactly) || !(random.Mean < .7) || !(milli.Mean > .85) {
		t.Errorf("NDCG: oracle %v, random %v, milli %v", oracle.Mean, random.Mean, milli.Mean)
	}
	// Bag 3 holds neither 8 nor 9: it supports class 0 alone, where every order is right.
	must.Equal(t, milli.N-milli.NontrivialN, 1, milli.N)
	if a, b := s.Stat(t, "milli", "aopc_r"), s.Stat(t, "random", "aopc_r"); !(a.Mean > .1) ||
		!(b.Mean < a.Mean/2) || a.N != 24 {
		t.Errorf("AOPC-R: milli %+v, random %+v", a, b)
	}
	must.Equal(t, len(readCSV(t, file)), 1+6*3)
	must.Equal(t, evaluateExample(t, "--json", "--workers", "1"), text,
		"the number of workers changes the result")
	must.Equal(t, evaluateExample(t, "--json", "--seed", "5") != text, true,
		"the seed changes nothing")
}

// A metric without a value says why: the card, or the labels, and nothing where it has one.
func TestEvaluateUnmeasured(t *testing.T) {
	metrics := []string{"--limit", "1", "--metrics", "ndcg,srg"}
	text := evaluateExample(t, metrics...)
	must.Equal(t, strings.Contains(text, "is not measured"), false, text)
	card := writeTemp(t, "card.json", []byte(`{"truth": [{"support": [77]}, {}, {}, {}]}`))
	text = evaluateExample(t, append(metrics, "--card", card)...)
	must.Contain(t, text, "NDCG@n is not measured: no bag has instance labels that support")
	must.Equal(t, strings.Contains(text, "SRG is not measured"), false, text)
	out := evaluateJSON{Bags: 1, Methods: []methodStats{{stats: make([]statJSON, 2)}}}
	out.unmeasured(must.Get(cli.ChosenMetrics([]string{"srg", "auprc"}))(t), nil)
	must.Equal(t, len(out.Unmeasured), 1)
	must.Equal(t, out.Unmeasured[0].Metric, "auprc")
	must.Contain(t, out.Unmeasured[0].Reason, "the model card has no key truth")
}

func TestEvaluatePreset(t *testing.T) {
	at := []string{"evaluate", "--model", exampleModel, "--bags", exampleBags, "--limit", "1",
		"--method", "single", "--metrics", "srg", "--json"}
	for want, more := range map[string][]string{
		"default":   {"--settings", "mnist"},
		"reference": {"--settings", "mnist", "--preset", "reference"},
		"paper":     {"--preset", "paper"},
	} {
		t.Run(want, func(t *testing.T) {
			var got struct{ Preset string }
			if clitest.Decode(t, succeed(t, append(at, more...)...), &got); got.Preset != want {
				t.Errorf("%v: preset %q, want %q", more, got.Preset, want)
			}
		})
	}
}

func TestEvaluateLimit(t *testing.T) {
	var s clitest.Statistics
	clitest.Decode(t, evaluateExample(t, "--limit", "2", "--metrics", "srg", "--class", "1",
		"--json"), &s)
	must.Equal(t, s.Bags, 2)
	must.Equal(t, s.Stat(t, "single", "srg").N, 2)
	if _, ok := s.Method(t, "single")["ndcg"]; ok {
		t.Error("a metric that was not asked for is there")
	}
	text := evaluateExample(t, "--limit", "2", "--metrics", "ndcg,srg")
	for _, word := range []string{"2 bags", "NDCG@n", "SRG", "oracle"} {
		must.Contain(t, text, word)
	}
}
