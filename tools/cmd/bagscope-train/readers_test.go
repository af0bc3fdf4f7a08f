package main

import (
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
	"github.com/bagscope/bagscope/tools/cmd/internal/clitest"
)

// TestReaders checks over bags of several sets and networks, whose keys are known, that readers
// find more of them on a page of maps if the strongest colour is the size of the decision, no fewer
// on one map, and that empty bags are quieter than full ones.
func TestReaders(t *testing.T) {
	const examples = "../../../examples/"
	scores := examples + "digits/networks/mi-net-instance.onnx"
	digits := []string{"--dataset", "digits", "--limit", "24"}
	tissue := []string{"--bags", examples + "tissue/bags.npz"}
	for name, c := range map[string]struct {
		model string
		bags  []string
		pages float64 // least difference
		quiet float64 // least share of pairs
	}{
		"digits, attention":       {exampleModel, digits, .1, .85},
		"digits, mean of scores":  {scores, digits, .1, .95},
		"drawn tissue, attention": {examples + "tissue/model.onnx", tissue, .05, 1},
	} {
		t.Run(name, func(t *testing.T) {
			args := append([]string{"readers", "--model", c.model}, c.bags...)
			var got struct {
				Drawings []struct {
					Drawing     string
					Bags, Pages struct {
						Mean float64
						N    int
					}
					Quiet float64
					Pairs int
				}
				OfBags  struct{ Mean, SEM float64 } `json:"difference_bags"`
				OfPages struct{ Mean float64 }      `json:"difference_pages"`
			}
			clitest.Decode(t, succeed(t, append(args, "--json")...), &got)
			must.Equal(t, len(got.Drawings), 2, got)
			must.Equal(t, got.Drawings[0].Drawing, "decision", got)
			own, decision := got.Drawings[1], got.Drawings[0]
			must.Equal(t, got.OfPages.Mean >= c.pages, true, got.OfPages, got.OfBags)
			must.Equal(t, got.OfBags.Mean >= -2*got.OfBags.SEM, true, got.OfPages, got.OfBags)
			if !(decision.Quiet >= c.quiet) || !(decision.Quiet > own.Quiet) ||
				decision.Pairs == 0 {
				t.Errorf("of %d pairs %.3f of the empty bags are quieter, before %.3f",
					decision.Pairs, decision.Quiet, own.Quiet)
			}
		})
	}
}

// TestReadersRefuse: what cannot be looked at is said in a sentence.
func TestReadersRefuse(t *testing.T) {
	at := "readers --model " + exampleModel + " --dataset digits --limit 2 "
	for args, says := range map[string]string{
		at + "--page 0":                "--page must be at least 1, got 0",
		at + "--method all":            "name one with --method",
		at + "--method single,milli":   "name one with --method",
		at + "--class 0":               "these bags have no key instances to find",
		"readers --dataset digits":     "--model",
		at + "--metric ndcg":           "unknown flag",
		at + "--method single --out x": "unknown flag",
	} {
		t.Run(args, func(t *testing.T) {
			code, out, errors := bagscope(t, strings.Fields(args)...)
			if code != cli.ExitUsage || out != "" || !strings.Contains(errors, says) {
				t.Errorf("exit code %d, stdout %q, stderr %q, want %q", code, out, errors, says)
			}
		})
	}
	args := []string{"readers", "--model", exampleModel, "--dataset", "digits", "--limit", "12",
		"--method", "single", "--page", "3"}
	clitest.RequireKeys(t, clitest.Decode(t, succeed(t, append(args, "--json")...), &struct{}{}),
		"bags small_bags dataset repeat part method page drawings difference_bags difference_pages")
	text := succeed(t, args...)
	for _, part := range []string{"by single, over 12 validation bags of Drawn digits, repeat 0",
		"a page of 3", "own largest score", "pairs of an empty and a full map"} {
		must.Contain(t, text, part)
	}
}
