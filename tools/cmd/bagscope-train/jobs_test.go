package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
	"github.com/bagscope/bagscope/tools/train"
	"github.com/bagscope/bagscope/tools/train/dataset"
	"github.com/bagscope/bagscope/tools/train/network"
)

// A network or repeat that is named twice is trained once, in the order of its first mention.
func TestTrainedOnce(t *testing.T) {
	c := &trainCommand{models: []string{"mi-gnn", "mi-net", " mi-gnn", "all"},
		repeats: []string{"3", "0", "3", "all", "0"}}
	kinds := must.Get(c.kinds())(t)
	must.EqualSlices(t, kinds, []network.Kind{network.MIGNN, network.MINet, network.MINetInstance,
		network.MIAttn})
	repeats := must.Get(c.numbers())(t)
	must.EqualSlices(t, repeats, []int{3, 0, 1, 2, 4, 5, 6, 7, 8, 9})
}

// A training that diverges does not stop the others and is reported.
func TestTrainDiverged(t *testing.T) {
	set := must.Get(dataset.Open("digits", "", dataset.Options{Train: 4, Validation: 2,
		Test: 2}))(t)
	recipe := must.Get(network.For(network.MINet, set.Shape, len(set.Classes), set.Scale,
		network.Reference))(t)
	recipe.Convolutions, recipe.Encoder = []network.Kernel{{Maps: 2, Size: 5}}, []int{8}
	wild := recipe
	wild.Rate, wild.Encoder = 1e3, slices.Repeat([]int{16}, 20)
	var jobs []train.Job
	for _, r := range []*network.Recipe{&wild, &recipe} {
		jobs = append(jobs, train.Job{Set: set, Kind: network.MINet, Repeat: len(jobs), Recipe: r,
			Out: t.TempDir(), Epochs: 1})
	}
	for range 2 { // what failed fails again, and does not stop the others
		done, err := trainAll(t.Context(), jobs, 1)
		if err != nil || len(done) != 2 || done[0].failed == nil || done[1].report == nil {
			t.Fatalf("%+v, %v", done, err)
		}
		if err := failures(done); err == nil ||
			!strings.Contains(err.Error(), "digits, repeat 0, mi-net: the training diverged") ||
			cli.ExitCode(cli.Failed(err)) != cli.ExitFailed {
			t.Errorf("the end is %v", err)
		}
		var out bytes.Buffer
		done[1].report.BeatsBaseline = false
		printTrained(&out, []network.Kind{network.MINet}, done)
		for _, words := range []string{"repeat 0, mi-net: failed: the training diverged",
			"repeat 1, mi-net: did not learn: in 1 epochs", "--search"} {
			must.Contain(t, out.String(), words)
		}
		objects := trainedObjects(done)
		if objects[0].Failed == "" || objects[0].reportJSON != nil || objects[1].Failed != "" ||
			objects[1].Learnt {
			t.Errorf("%+v", objects)
		}
	}
	must.Do(t, failures(make([]trained, 2)))
}

// An interrupted training prints how to continue.
func TestTrainStopped(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	var out, errors bytes.Buffer
	code := program.Run(ctx, []string{"train", "--dataset", "digits", "--model", "mi-net", "--out",
		t.TempDir(), "--bags", "2", "--validation-bags", "2", "--test-bags", "2"}, &out, &errors)
	must.Equal(t, code, cli.ExitFailed, "exit code")
	must.Contain(t, errors.String(), "run the same command again to continue")
}

// Invalid recipes and recipes that exceed the memory are errors.
func TestTrainRejectsInvalidRecipes(t *testing.T) {
	const rest = `"Kind":"mi-net","Shape":[1,28,28],"Classes":4,"Scale":"logits",` +
		`"Pool":"max","Rate":1,`
	for text, says := range map[string]string{
		"null": "is not a valid recipe", "[]": "is not a valid recipe",
		`{"Kind":"net"}`: "is not a valid recipe",
		`{` + rest +
			`"Encoder":[1099511627776]}`: "too wide",
		`{` + rest +
			`"Encoder":[4611686018427387904,4611686018427387904]}`: "too wide",
		`{` + rest +
			`"Encoder":[4],"Convolutions":[{"Maps":1099511627776,"Size":3}]}`: "too wide",
		`{` + rest + `"Encoder":[` + strings.TrimSuffix(strings.Repeat("1,", 5000), ",") +
			`]}`: "too deep",
	} {
		t.Run(text, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "recipe.json")
			must.Do(t, os.WriteFile(file, []byte(text), 0o644))
			code, _, errors := bagscope(t, "train", "--dataset", "digits", "--model", "mi-net",
				"--out", t.TempDir(), "--bags", "2", "--recipe", file)
			must.Equal(t, code != cli.ExitDone, true, text, code, errors)
			must.Equal(t, strings.Contains(errors, says), true, text, code, errors)
		})
	}
}
