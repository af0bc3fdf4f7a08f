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
			if code != c.code || !strings.Contains(out+failure, c.says) {
				t.Errorf("exit %d, want %d: %s %s", code, c.code, out, failure)
			}
		})
	}
}
