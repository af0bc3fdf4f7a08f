package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend/onnxtest"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
)

// TestInputsOfBags reads the age of each patient from a column of the file of bags. --input counts
// before it, and an age that no one states is an error.
func TestInputsOfBags(t *testing.T) {
	folder := t.TempDir()
	model, card := filepath.Join(folder, "m.onnx"), filepath.Join(folder, "card.json")
	m := onnxtest.Model{Opset: 13,
		Inputs:  []onnxtest.Value{onnxtest.In("x", "k", 1), onnxtest.In("age", 1, 1)},
		Outputs: []onnxtest.Value{onnxtest.In("y", 1, 2)},
		Nodes: []onnxtest.Node{
			onnxtest.N("ReduceMean", []string{"x"}, []string{"z"}, onnxtest.Ints("axes", 0)),
			onnxtest.N("Concat", []string{"z", "age"}, []string{"y"}, onnxtest.Int("axis", 1))}}
	must.Do(t, os.WriteFile(model, m.Bytes(), 0o666))
	must.Do(t, os.WriteFile(card, []byte(`{"output": "raw"}`), 0o666))
	stated, silent := filepath.Join(folder, "b.csv"), filepath.Join(folder, "c.csv")
	must.Do(t, os.WriteFile(stated, []byte("bag,age,f\na,63,1\na,63,4\nb,50,3\n"), 0o666))
	must.Do(t, os.WriteFile(silent, []byte("bag,f\na,1\na,4\n"), 0o666))
	for _, c := range []struct {
		flags, says string
		code        int
	}{
		{"predict --json --input age=covariate --bag " + stated, `"data":[2.5,63]`, cli.ExitDone},
		{"predict --json --input age=covariate --index 1 --bag " + stated, `"data":[3,50]`,
			cli.ExitDone},
		{"predict --json --input age=7 --index 1 --bag " + stated, `"data":[3,7]`, cli.ExitDone},
		{"predict --input age=covariate --bag " + silent, "state it as one of the inputs",
			cli.ExitFailed},
		{"inspect --input age=covariate", "covariate     age, 1 values of each bag", cli.ExitDone},
		{"inspect --json --input age=7", `"covariates":[{"name":"age","size":1,"default":[7]}]`,
			cli.ExitDone},
	} {
		t.Run(c.flags, func(t *testing.T) {
			code, out, failure := bagscope(t,
				append(strings.Fields(c.flags), "--model", model, "--card", card)...)
			must.Equal(t, code, c.code, out, failure)
			must.Contain(t, out+failure, c.says)
		})
	}
}

// TestInputFlag states the age and the stage of a patient beside a bag by --input, over the card.
func TestInputFlag(t *testing.T) {
	folder := t.TempDir()
	model, bag := filepath.Join(folder, "m.onnx"), filepath.Join(folder, "b.csv")
	card := filepath.Join(folder, "card.json")
	m := onnxtest.Model{Opset: 13,
		Inputs: []onnxtest.Value{onnxtest.In("x", "k", 1), onnxtest.In("age", 1, 1),
			onnxtest.In("stage", 1, 2)},
		Outputs: []onnxtest.Value{onnxtest.In("logits", 1, 4)},
		Nodes: []onnxtest.Node{
			onnxtest.N("ReduceMean", []string{"x"}, []string{"z"}, onnxtest.Ints("axes", 0)),
			onnxtest.N("Concat", []string{"z", "age", "stage"}, []string{"logits"},
				onnxtest.Int("axis", 1))}}
	must.Do(t, os.WriteFile(model, m.Bytes(), 0o666))
	must.Do(t, os.WriteFile(bag, []byte("bag,f\na,1\na,4\n"), 0o666))
	must.Do(t, os.WriteFile(card,
		[]byte(`{"output": "raw", "inputs": {"age": 1, "stage": [1, 1]}}`), 0o666))
	ask := "predict --json --model " + model + " --bag " + bag + " --card " + card
	for _, c := range []struct {
		flags, says string
		code        int
	}{
		{" --input age=63 --input stage=0,2", `"data":[2.5,63,0,2]`, cli.ExitDone},
		{" --input age=63", `"data":[2.5,63,1,1]`, cli.ExitDone},
		{" --input age=count", `"data":[2.5,2,1,1]`, cli.ExitDone},
		{" --input age", "give each input once, as NAME=VALUE", cli.ExitUsage},
		{" --input age=1 --input age=2", "give each input once", cli.ExitUsage},
		{" --input age=NaN", "finite numbers", cli.ExitUsage},
		{" --input hight=2", `the graph takes no input "hight"`, cli.ExitFailed},
		{" --input stage=1,2,3", "does not take 3 numbers", cli.ExitFailed},
		{" --input age=old", `"old" is none of count`, cli.ExitFailed},
	} {
		t.Run(c.flags, func(t *testing.T) {
			code, out, failure := bagscope(t, strings.Fields(ask+c.flags)...)
			must.Equal(t, code, c.code, out, failure)
			must.Contain(t, out+failure, c.says)
		})
	}
}
