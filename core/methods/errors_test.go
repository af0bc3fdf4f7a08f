package methods_test

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/coretest"
	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/internal/testfile"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// The size of TestErrors, and the file that keeps its figures. testdata/README.md has the command.
var (
	errorSeeds = flag.Int("error-seeds", 60, "seeds whose scores TestErrors compares")
	errorTable = flag.String("error-table", "", "file that TestErrors writes its figures to")
)

// attentive is a game with the weighted mean of worths as its value, as attention pooling has.
func attentive(worths, weights []float64) *coretest.Game {
	return &coretest.Game{Name: "attention", Players: len(worths),
		Value: func(members []int) float64 {
			sum, all := 0.0, 0.0
			for _, i := range members {
				sum += weights[i] * worths[i]
				all += weights[i]
			}
			return sum / max(all, 1e-9)
		}}
}

// smallest is the number of instances whose coalitions are all evaluated for the true scores.
const smallest = 12

// examGames are games of twelve players, without the model's noise and with all coalitions at hand.
func examGames(*testing.T) []core.Evaluator {
	return []core.Evaluator{
		coretest.NoisyOr(.9, .1, .05, .5, .4, .01, .3, .2, .15, .6, .02, .25),
		coretest.Airport(1, 1.1, 3, 0, 2, 5, .5, .3, 2.5, 4, 1.5, .7),
		coretest.Majority(12, 4),
		coretest.Unanimity(12, 1, 4),
		attentive([]float64{2, -1, .5, .1, -.3, 1, 0, .7, -2, .2, .4, -.6},
			[]float64{.2, 1, .5, 3, .8, .1, 1.5, .9, .3, 2, .6, .4}),
	}
}

// examBags returns evaluators of two bags of a kind.
func examBags(
	open func(*testing.T, int) (func(int) *core.Bag, []*onnxbackend.Model),
) func(t *testing.T) []core.Evaluator {
	return func(t *testing.T) (out []core.Evaluator) {
		const bags = 2
		bag, models := open(t, bags)
		for i := range bags {
			out = append(out, must.Get(models[i%len(models)].Bind(t.Context(), bag(i)))(t))
		}
		return out
	}
}

// TestErrors checks the standard errors of every method in the table, on small games and on bags
// under networks: their mean over the seeds is that of the scatter, and intervals hold as often as
// they say. Only methods whose row says why may lack them, as nil if scores do not differ between
// seeds, else as infinite errors.
func TestErrors(t *testing.T) {
	if testing.Short() {
		t.Skip("the scatter over seeds takes half a minute")
	}
	var table strings.Builder
	fmt.Fprintf(&table, "# Standard errors over %d seeds\n\nThe mean standard error of a score "+
		"and the root of its mean square, over the standard deviation of\nthe score, and how "+
		"many 95 %% intervals hold its mean, by TestErrors. On bags of twelve, also how\nmany "+
		"hold the score after all coalitions. Errors are unknown where a sample is too small.\n\n",
		*errorSeeds)
	table.WriteString("| method | coalitions | bags | mean error / scatter | root mean square " +
		"error / scatter | intervals with the mean | with the score after all coalitions | " +
		"errors unknown |\n|---|---|---|---|---|---|---|---|\n")
	stated := map[string]bool{} // methods with known errors
	for _, kind := range []struct {
		name  string
		least float64 // smallest ratio
		bags  func(t *testing.T) []core.Evaluator
	}{
		{"games", .85, examGames},
		// Under them, the errors of Random SHAP are at least .83 of the scatter over 200 seeds.
		{"random models", .82, randomModels},
		{"digits", .85, examBags(filedBags(testfile.Read, "models/mnist/encoded_bags.npz",
			"models/mnist/mi_attn_pooling.onnx"))},
		{"vectors", .85, examBags(vectorBags)},
		{"colon cancer", .85, examBags(filedBags(testfile.ReadRestricted, "data/crc/test_bags.npz",
			"models/crc/mi_attn.onnx", "models/crc/mi_net_instance.onnx"))},
	} {
		t.Run(kind.name, func(t *testing.T) {
			bags := kind.bags(t)
			for _, c := range errorCases() {
				x := examined(t, bags, c)
				if x.Missing {
					t.Errorf("%s, %d coalitions: scores differ between seeds, but have no "+
						"standard errors", c.name, c.samples)
				}
				if math.IsNaN(x.Ratio) {
					continue // nothing is drawn, or no error is known
				}
				stated[c.Method.Name()] = true
				number := "default"
				if c.samples > 0 {
					number = fmt.Sprint(c.samples)
				}
				exact := "–"
				if !math.IsNaN(x.Exact) {
					exact = fmt.Sprintf("%.1f %%", 100*x.Exact)
				}
				fmt.Fprintf(&table, "| %s | %s | %s | %.2f | %.2f | %.1f %% | %s | %.1f %% |\n",
					c.name, number, kind.name, x.Ratio, x.Root, 100*x.Held, exact, 100*x.Unknown)
				if !(x.Ratio >= kind.least && x.Ratio <= 1.1 && x.Root >= .9 && x.Root <= 1.2 &&
					x.Held >= .91 && x.Held <= .975) {
					t.Errorf("%s, %d coalitions: the mean error is %.2f of the scatter, its root "+
						"mean square %.2f, %.1f %% of the intervals hold", c.name, c.samples,
						x.Ratio, x.Root, 100*x.Held)
				}
				if !biased[c.Method.Name()] && !math.IsNaN(x.Exact) &&
					!(x.Exact >= .9 && x.Exact <= .975) {
					t.Errorf("%s, %d coalitions: %.1f %% of the intervals hold the score after "+
						"all coalitions", c.name, c.samples, 100*x.Exact)
				}
			}
		})
	}
	for _, row := range methods.All() {
		must.Equal(t, stated[row.Name] != (row.NoErrors != ""), true, row.Name, stated[row.Name])
	}
	t.Log("\n" + table.String())
	if *errorTable != "" {
		must.Do(t, os.WriteFile(*errorTable, []byte(table.String()), 0o666))
	}
}

// randomModels returns bags of twelve instances under models of random architectures.
func randomModels(t *testing.T) (out []core.Evaluator) {
	for seed := range 6 {
		r := rand.New(rand.NewPCG(uint64(seed), 12))
		model, bag, _ := onnxtest.RandomModel(r, 12)
		m := must.Get(onnxbackend.Open(model.Bytes(), onnxbackend.Options{}))(t)
		out = append(out, must.Get(m.Bind(t.Context(), bag))(t))
	}
	return out
}

// biased are methods of the paper whose scores tend to others than those after all coalitions
// (METHODS section 1).
var biased = map[string]bool{"random_shap": true, "milli": true}

// An errorCase is a method of an exam, and the same method if it sees all coalitions of a small
// bag.
type errorCase struct {
	core.Method
	all     core.Method
	name    string
	samples int
}

// errorCases returns every method of the table with numbers of coalitions.
func errorCases() (cases []errorCase) {
	for _, row := range methods.All() {
		if row.Name == "inherent" {
			continue // games have no inherent scores
		}
		add := func(name string, o methods.Options) {
			c := errorCase{Method: row.New(o), name: name, samples: o.Samples}
			if slices.Contains(row.Options, "samples") {
				o.Samples = 1 << smallest
				c.all = row.New(o)
			}
			cases = append(cases, c)
		}
		if !slices.Contains(row.Options, "paired") {
			add(row.Name, methods.Options{}) // surrogates only draw another number by default
		}
		if !slices.Contains(row.Options, "samples") {
			continue
		}
		for _, n := range []int{50, 150, 1000} {
			add(row.Name, methods.Options{Samples: n})
		}
		if slices.Contains(row.Options, "paired") {
			add(row.Name+", paired", methods.Options{Samples: 150, Paired: true})
		}
	}
	return cases
}

// examined returns the mean exam of a method over bags.
func examined(t *testing.T, bags []core.Evaluator, c errorCase) (mean coretest.ErrorExam) {
	known := 0.0
	for _, ev := range bags {
		var exact []float64
		if c.all != nil && ev.Task().Instances == smallest {
			report := must.Get(core.Explain(t.Context(), ev,
				core.Request{Methods: []core.Method{c.all}, Classes: []int{0}}))(t)
			exact = report.Explanations[0].Scores
			must.Equal(t, report.Explanations[0].StdErr == nil, true, c.name)
		}
		x := coretest.ExamineErrors(t, ev, c.Method, *errorSeeds, exact)
		mean.Unknown += x.Unknown / float64(len(bags))
		mean.Missing = mean.Missing || x.Missing
		if !math.IsNaN(x.Ratio) {
			mean.Ratio, mean.Root = mean.Ratio+x.Ratio, mean.Root+x.Root
			mean.Held, mean.Exact, known = mean.Held+x.Held, mean.Exact+x.Exact, known+1
		}
	}
	mean.Ratio, mean.Root = mean.Ratio/known, mean.Root/known
	mean.Held, mean.Exact = mean.Held/known, mean.Exact/known
	return mean
}

// TestGuidedErrors checks that guided samplers say why their standard errors are unknown and claim
// nothing, unless all coalitions are listed.
func TestGuidedErrors(t *testing.T) {
	g := coretest.NoisyOr(.9, .1, .05, .5, .4, .01, .3, .2, .15, .6, .02, .25)
	for _, m := range []core.Method{methods.GuidedSHAP{}, methods.GuidedLIME{}} {
		report := must.Get(core.Explain(t.Context(), g, core.Request{Methods: []core.Method{m}}))(t)
		e := report.Explanations[0]
		if !e.ErrorsUnknown() || e.Unclear() != len(e.Scores) ||
			!strings.Contains(strings.Join(e.Notes, " "), "no standard errors") {
			t.Errorf("%s: errors %v, evident %v, notes %q", m.Name(), e.StdErr, e.Evident, e.Notes)
		}
	}
	all := methods.GuidedSHAP{Sampling: methods.Sampling{Samples: 1 << 12}}
	report := must.Get(core.Explain(t.Context(), g, core.Request{Methods: []core.Method{all}}))(t)
	if e := report.Explanations[0]; len(e.Notes) > 0 || e.StdErr != nil || e.Unclear() > 0 {
		t.Errorf("all coalitions have the errors %v and the notes %q", e.StdErr, e.Notes)
	}
}
