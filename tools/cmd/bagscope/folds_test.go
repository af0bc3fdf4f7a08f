package main

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/onnxbackend/onnxtest"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
)

// writeFolds writes three models of two numbers, which add up instances times a weight, and a bag.
// Their cards name an encoder beside them.
func writeFolds(t *testing.T) (folder, bag string) {
	t.Helper()
	folder = t.TempDir()
	for name, weights := range map[string][]float32{"a": {1, 0, 0, 1}, "b": {2, 0, 0, 1},
		"c": {-1, 0, 0, 1}} {
		m := onnxtest.Model{Opset: 17, Inputs: []onnxtest.Value{onnxtest.In("x", "k", 2)},
			Outputs: []onnxtest.Value{onnxtest.In("y", 2)},
			Initializers: []onnxtest.Tensor{onnxtest.F("w", weights, 2, 2),
				onnxtest.I("axis", []int64{0}, 1)},
			Nodes: onnxtest.Nodes("s = MatMul(x, w); y = ReduceSum<keepdims=0>(s, axis)")}
		path := filepath.Join(folder, "models", name+".onnx")
		must.Do(t, os.MkdirAll(filepath.Dir(path), 0o777))
		must.Do(t, os.WriteFile(path, m.Bytes(), 0o666))
		must.Do(t, os.WriteFile(strings.TrimSuffix(path, ".onnx")+".bagscope.json",
			[]byte(`{"output": "logits", "encoder": "encoder.onnx"}`), 0o666))
	}
	must.Do(t, os.WriteFile(filepath.Join(folder, "models", "encoder.onnx"), nil, 0o666))
	bag = filepath.Join(folder, "bag.csv")
	must.Do(t, os.WriteFile(bag, []byte("bag,f,g\na,.5,.25\na,-.25,.5\na,1,0\n"), 0o666))
	return folder, bag
}

// TestFoldsOfCommand explains by three models, whose mean weighs the first number by 2/3.
func TestFoldsOfCommand(t *testing.T) {
	folder, bag := writeFolds(t)
	args := []string{"--model", filepath.Join(folder, "models"), "--bag", bag, "--output", "logit"}
	each := []string{"--bag", bag, "--output", "logit"}
	for _, name := range []string{"a", "b", "c"} {
		each = append(each, "--model", filepath.Join(folder, "models", name+".onnx"))
	}
	explain := append([]string{"explain", "--method", "one_removed"}, args...)
	var e ask.Explanation
	must.Do(t, json.Unmarshal([]byte(succeed(t, append(explain, "--json")...)), &e))
	must.Equal(t, len(e.Folds), 3)
	must.Equal(t, e.Folds[2].Name, "c.onnx")
	must.Equal(t, float64(e.Folds[2].Prediction[0]), -1.25)
	of := e.Explanations[0]
	must.Equal(t, float64(of.Folds.Scores[1][0]), 1)
	must.EqualSlices(t, of.Folds.Agree, []int{2, 2, 2})
	must.Equal(t, of.Evident[0], false, "one of three models disagrees")
	text := succeed(t, explain...)
	must.Contain(t, text, "The mean of 3 models says", "as 2 of them do", "a.onnx", "2/3",
		"± is the standard deviation")
	must.Equal(t, succeed(t, append([]string{"explain", "--method", "one_removed"}, each...)...),
		text, "a folder is its files")

	table := filepath.Join(folder, "scores.csv")
	succeed(t, append(explain, "--csv", table)...)
	rows := must.Get(csv.NewReader(strings.NewReader(
		string(must.Get(os.ReadFile(table))(t)))).ReadAll())(t)
	must.EqualSlices(t, rows[0][len(rows[0])-2:], []string{"between", "agree"})
	must.Equal(t, rows[1][len(rows[0])-1], "2")

	must.Contain(t, succeed(t, append([]string{"predict"}, args...)...), "b.onnx", "2.5000",
		"-1.2500")
	for _, c := range []struct {
		flags []string
		says  string
	}{
		{append([]string{"explain", "--mean", "middle"}, args...), "middle"},
		{[]string{"predict", "--mean", "prob", "--bag", bag, "--model",
			filepath.Join(folder, "models", "a.onnx")}, "there is one"},
		{[]string{"inspect", "--model", filepath.Join(folder, "models")}, "takes one model"},
		{[]string{"predict", "--model", folder, "--bag", bag}, "has no .onnx file"},
	} {
		code, out, failure := bagscope(t, c.flags...)
		if code == cli.ExitDone || !strings.Contains(out+failure, c.says) {
			t.Errorf("%v: exit %d, %s %s", c.flags, code, out, failure)
		}
	}
}

// TestChecksOfFolds shuffles the weights of all models.
func TestChecksOfFolds(t *testing.T) {
	folder, bag := writeFolds(t)
	must.Contain(t, succeed(t, "check", "--model", filepath.Join(folder, "models"), "--bag", bag),
		"layers")
	must.Contain(t, succeed(t, "explain", "--trust", "--model", filepath.Join(folder, "models"),
		"--bag", bag), "trust, 0")
}
