package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
	"github.com/bagscope/bagscope/tools/cmd/internal/clitest"
)

// The digits of the first example bag, "two 8s and two 9s".
var (
	eights = []int{15, 21}
	nines  = []int{16, 17}
)

// TestSetsCommand checks that an 8 and a 9 suffice for "an 8 and a 9", and that all digits of one
// kind are necessary.
func TestSetsCommand(t *testing.T) {
	args := []string{"sets", "--model", exampleModel, "--bag", exampleBags, "--several", "2"}
	var a ask.SetsAnswer
	keys := clitest.Decode(t, succeed(t, append(args, "--json", "--curves")...), &a)
	clitest.RequireKeys(t, keys,
		"model bag class prediction level sufficient necessary curves notes")
	if a.Class != 3 || a.Level != nil || len(a.Sufficient.Sets) != 2 || len(a.Necessary.Sets) != 2 {
		t.Fatalf("class %d, %+v, %+v", a.Class, a.Sufficient, a.Necessary)
	}
	for _, s := range a.Sufficient.Sets {
		if i := s.Instances; len(i) != 2 || !s.Smallest || s.Value < .5 ||
			slices.Contains(eights, i[0]) == slices.Contains(eights, i[1]) ||
			slices.Contains(nines, i[0]) == slices.Contains(nines, i[1]) {
			t.Errorf("sufficient %+v, want an 8 and a 9", s)
		}
	}
	for _, s := range a.Necessary.Sets {
		if i := s.Instances; !slices.Equal(i, eights) && !slices.Equal(i, nines) || s.Value > .5 {
			t.Errorf("necessary %+v, want the 8s or the 9s", s)
		}
	}
	if n := len(a.Curves.Kept); n != 29 || len(a.Curves.Removed) != n {
		t.Errorf("%d and %d points of curves", n, len(a.Curves.Removed))
	}
	text := succeed(t, args...)
	for _, part := range []string{"class 3 an 8 and a 9", "proved", "15, 21", "evaluations"} {
		if !strings.Contains(text, part) {
			t.Errorf("%q is missing in\n%s", part, text)
		}
	}
	var one ask.SetsAnswer
	keys = clitest.Decode(t, succeed(t, "sets", "--model", exampleModel, "--bag", exampleBags,
		"--kind", "necessary", "--class", "an 8", "--level", ".9", "--json"), &one)
	if keys["sufficient"] != nil || one.Necessary == nil || *one.Level != .9 ||
		len(one.Necessary.Notes) == 0 {
		t.Errorf("%+v, want an explained empty set", one.Necessary)
	}
}

// TestPairsCommand checks the top pairs of both signs, and the twins.
func TestPairsCommand(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pairs.csv")
	args := []string{"pairs", "--model", exampleModel, "--bag", exampleBags}
	var a ask.PairsAnswer
	keys := clitest.Decode(t, succeed(t, append(args, "--json", "--csv", file)...), &a)
	clitest.RequireKeys(t, keys, "interaction unit among alone pairs twins contexts freedom")
	if len(a.Pairs) != 29*28/2 || a.Unit != "log-odds" || len(readCSV(t, file)) != 1+len(a.Pairs) {
		t.Errorf("%d pairs in %s", len(a.Pairs), a.Unit)
	}
	// Each 8 completes each 9, and two equal digits stand in for each other.
	for n, p := range a.Pairs[:6] {
		same := slices.Contains(eights, p.A) == slices.Contains(eights, p.B)
		if want := "complete each other"; !same != (p.Relation == want) || p.Value > 0 == same {
			t.Errorf("pair %d is %+v", n, p)
		}
	}
	for _, want := range [][]int{eights, nines} {
		if !slices.ContainsFunc(a.Twins, func(g []int) bool { return slices.Equal(g, want) }) {
			t.Errorf("twins %v lack %v", a.Twins, want)
		}
	}
	text := succeed(t, append(args, "--top", "3")...)
	for _, part := range []string{"shapley interactions of 29 instances",
		"they complete each other", "and 403 more", "2 instances act alike: 15, 21"} {
		if !strings.Contains(text, part) {
			t.Errorf("%q is missing in\n%s", part, text)
		}
	}
}

// TestWhatifCommand checks removals, and additions from another bag of the set or of another file.
func TestWhatifCommand(t *testing.T) {
	var a ask.TurnAnswer
	args := []string{"whatif", "--model", exampleModel, "--bag", exampleBags}
	keys := clitest.Decode(t, succeed(t, append(args, "--json")...), &a)
	clitest.RequireKeys(t, keys, "level above steps turned fewest")
	if a.Above || !a.Turned || len(a.Steps) != 2 || !slices.Equal(a.Fewest.Removed, eights) ||
		len(a.Fewest.Added) != 0 || !a.Fewest.Smallest {
		t.Errorf("%+v", a)
	}
	for _, donor := range [][]string{{"--donor-index", "0"}, {"--donor", exampleBags}} {
		var b ask.TurnAnswer
		clitest.Decode(t, succeed(t, slices.Concat(args, donor, []string{"--index", "3", "--class",
			"3", "--json"})...), &b)
		added := b.Fewest.Added
		if !b.Above || !b.Turned || b.Bag.Instances != 31 || b.Donor.Instances != 29 ||
			len(b.Fewest.Removed) != 0 || len(added) != 2 ||
			slices.Contains(eights, added[0]) == slices.Contains(eights, added[1]) {
			t.Errorf("%v: %+v, want an 8 and a 9 added", donor, b.Fewest)
		}
	}
	text := succeed(t, args...)
	for _, part := range []string{"until class 3 an 8 and a 9 is no longer the largest",
		"remove 15", "fewest changes (proved): remove 15, 21; add none"} {
		if !strings.Contains(text, part) {
			t.Errorf("%q is missing in\n%s", part, text)
		}
	}
}

// TestWhatifMistakes checks the errors of wrong flags.
func TestWhatifMistakes(t *testing.T) {
	const bag = " --model " + exampleModel + " --bag " + exampleBags
	for _, c := range []struct {
		args, says string
		code       int
	}{
		{"sets --model " + exampleModel, "--bag is missing", cli.ExitUsage},
		{"sets" + bag + " --kind large", "--kind", cli.ExitUsage},
		{"sets" + bag + " --level 1", "between 0 and 1", cli.ExitUsage},
		{"sets" + bag + " --several 0", "--several: must be between 1 and 20", cli.ExitUsage},
		{"sets" + bag + " --class 9", "no class", cli.ExitUsage},
		{"pairs" + bag + " --among 1", "--among: must be between 2 and 300", cli.ExitUsage},
		{"pairs" + bag + " --interaction banzhaf", "--interaction", cli.ExitUsage},
		{"pairs" + bag + " --top -1", "--top must not be negative", cli.ExitUsage},
		{"pairs" + bag + " --budget 50", "budget", cli.ExitFailed},
		{"inside" + bag + " --instance 29", "--instance: there is no instance 29", cli.ExitUsage},
		{"inside" + bag + " --cell 28", "--cell: 28 makes a single cell", cli.ExitUsage},
		{"inside" + bag + " --hidden grey", "--hidden", cli.ExitUsage},
		{"check" + bag + " --noise 0", "--noise", cli.ExitUsage},
		{"check" + bag + " --method most", "--method", cli.ExitUsage},
		{"whatif" + bag + " --moves add", "name a bag to take them from", cli.ExitUsage},
		{"whatif" + bag + " --most 0", "--most: must be at least 1", cli.ExitUsage},
		{"whatif" + bag + " --donor-index 77", "--donor-index: there is no bag 77",
			cli.ExitUsage},
	} {
		t.Run(c.args, func(t *testing.T) {
			code, _, message := bagscope(t, strings.Fields(c.args)...)
			if code != c.code || !strings.Contains(message, c.says) {
				t.Errorf("exit code %d and %q, want %d and %q", code, message, c.code, c.says)
			}
		})
	}
}
