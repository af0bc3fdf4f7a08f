package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
	"github.com/bagscope/bagscope/tools/cmd/internal/clitest"
)

// meaningModel averages instances of 3 features behind an open batch and makes probabilities
// without a softmax at its end.
func meaningModel(t *testing.T, input, output []any) string {
	m := ot.Model{
		Opset:        13,
		Inputs:       []ot.Value{ot.In("bag", input...)},
		Outputs:      []ot.Value{ot.In("scores", output...)},
		Initializers: []ot.Tensor{ot.F("W", []float32{1, -1, .5, 2, 0, -2, 1, 1, -3}, 3, 3)},
		Nodes: ot.Nodes(`mean = ReduceMean<axes=[1], keepdims=0>(bag); l = MatMul(mean, W)
			log = LogSoftmax<axis=-1>(l); scores = Exp(log)`),
	}
	return writeTemp(t, "model.onnx", m.Bytes())
}

// inspect says in one line what the scores are and from what that was concluded, also where the
// file leaves the output open.
func TestInspectShowsScale(t *testing.T) {
	for _, output := range [][]any{{1, 3}, {"B", 3}, {"what", "ever"}} {
		text := succeed(t, "inspect", "--model", meaningModel(t, []any{"B", "N", 3}, output))
		for _, want := range []string{
			"scores        probabilities (8 random bags: within 0..1, sum 1)",
			"instances     axis 1 of bag"} {
			must.Contain(t, text, want)
		}
	}
}

// A bag of 5 instances has 3 scores under open axes of any names, whether its file holds the
// batch axis or not, and probabilities are not squashed again.
func TestPredictOpenBatch(t *testing.T) {
	values := []float32{1, 2, 3, 0, 1, 0, 2, 2, 1, -1, 0, 1, 1, 1, 1}
	for _, shape := range [][]int{{5, 3}, {1, 5, 3}} {
		var file bytes.Buffer
		must.Do(t, bagio.WriteNpy(&file, shape, values))
		bag := writeTemp(t, "bag.npy", file.Bytes())
		for _, output := range [][]any{{1, 3}, {"B", 3}} {
			model := meaningModel(t, []any{"B", "N", 3}, output)
			var p prediction
			clitest.Decode(t, succeed(t, "predict", "--json", "--model", model, "--bag", bag), &p)
			sum := 0.0
			for _, c := range p.Classes {
				sum += float64(c.Score)
				must.Equal(t, c.Score, c.Raw, shape, output)
			}
			if p.Bag.Instances != 5 || len(p.Classes) != 3 || sum < .9999 || sum > 1.0001 {
				t.Errorf("bag %v, output %v: %d instances, %d classes, sum %v", shape, output,
					p.Bag.Instances, len(p.Classes), sum)
			}
		}
	}
}

// topModel averages the m highest scores of instances of 3 features.
func topModel(t *testing.T, m int) string {
	model := ot.Model{
		Opset:   13,
		Inputs:  []ot.Value{ot.In("bag", "k", 3)},
		Outputs: []ot.Value{ot.In("logits", 3)},
		Initializers: []ot.Tensor{ot.F("W", []float32{1, -1, .5, 2, 0, -2, 1, 1, -3}, 3, 3),
			ot.I("m", []int64{int64(m)}, 1)},
		Nodes: ot.Nodes(`each = MatMul(bag, W); top,  = TopK<axis=0>(each, m)
			logits = ReduceMean<axes=[0], keepdims=0>(top)`),
	}
	return writeTemp(t, "model.onnx", model.Bytes())
}

// lines is a CSV file of one bag of k instances of 3 features.
func lines(t *testing.T, k int) string {
	var text strings.Builder
	text.WriteString("bag,f1,f2,f3\n")
	for i := range k {
		fmt.Fprintf(&text, "a,%d,%d,%d\n", i%5, i%7, i%3)
	}
	return writeTemp(t, "bag.csv", []byte(text.String()))
}

// A model that takes no bag below 5 instances is explained, with a note, by the default method
// too; a bag below that is refused in words, and one of exactly 5 leaves out what cannot answer.
func TestExplainLeastBag(t *testing.T) {
	model := topModel(t, 5)
	text := succeed(t, "explain", "--model", model, "--bag", lines(t, 12), "--method",
		"single,one_removed,combined,random_shap,guided_shap,random_lime,guided_lime,milli")
	for _, want := range []string{
		"takes bags of at least 5 instances: no smaller coalition is drawn",
		"together with the 4 least important instances"} {
		must.Contain(t, text, want)
	}
	text = succeed(t, "inspect", "--model", model, "--bag", lines(t, 12))
	must.Contain(t, text, "bags of at least 5 instances")
	for _, command := range []string{"predict", "explain"} {
		if code, _, errors := bagscope(t, command, "--model", model, "--bag",
			lines(t, 3)); code != cli.ExitFailed ||
			!strings.Contains(errors,
				"it has 3 instances, and the model takes bags of at least 5") {
			t.Errorf("%s of a bag of 3: exit code %d, %s", command, code, errors)
		}
	}
	if code, _, errors := bagscope(t, "explain", "--model", model, "--bag", lines(t, 5), "--method",
		"milli"); code != cli.ExitFailed || !strings.Contains(errors, "explain a larger bag") {
		t.Errorf("explain a bag of 5: exit code %d, %s", code, errors)
	}
}

// TestExplainNotes: a note that all classes have is printed once, and one that only some have with
// their names.
func TestExplainNotes(t *testing.T) {
	text := succeed(t, "explain", "--model", exampleModel, "--bag", exampleBags, "--class", "an 8")
	must.Equal(t, strings.Count(text, "  note: scores are differences of log-odds"), 1, text)
	must.Equal(t, strings.Contains(text, "R²"), false, text)
	must.Contain(t, text, "consensus (version 2)")
	x := explained{Explained: &ask.Explained{
		Input: &ask.Input{Bag: &core.Bag{}}, Classes: []string{"none", "one", "two"},
	}}
	e := func(class int, notes ...string) core.Explanation {
		return core.Explanation{Class: class, R2: math.NaN(), Notes: notes}
	}
	var out bytes.Buffer
	list := []core.Explanation{e(0, "a", "b"), e(1, "a", "c"), e(2, "a", "b")}
	x.methodText(&out, list, 0)
	want := "  note: a\n  note: 0 none, 2 two: b\n  note: 1 one: c\n"
	must.Equal(t, strings.HasSuffix(out.String(), want), true, out.String(), want)
}

// Without --samples a bag of more than 1,000 instances gets a note that names the number that is
// needed.
func TestExplainNamesSamplesNeeded(t *testing.T) {
	args := []string{"explain", "--model", topModel(t, 1), "--bag", lines(t, 1200), "--method",
		"random_lime", "--class", "1"}
	if text := succeed(t, args...); !strings.Contains(text,
		"1000 coalitions are too few for 1200 instances: "+
			"at least 1201 are needed, 4800 are better") {
		t.Error(text)
	}
}

// The notes of the file that a bag came from are part of its prediction.
func TestPredictNotesTransposedBag(t *testing.T) {
	m := ot.Model{
		Opset:   13,
		Inputs:  []ot.Value{ot.In("bag", 1, 3, "T")},
		Outputs: []ot.Value{ot.In("logits", 1, 3)},
		Nodes:   ot.Nodes(`logits = ReduceMean<axes=[2], keepdims=0>(bag)`),
	}
	var file bytes.Buffer
	must.Do(t, bagio.WriteNpy(&file, []int{1, 3, 4}, []float32{0, 0, 0, 4, 1, 1, 1, 1, 2, 2, 2, 2}))
	var p struct {
		Bag     struct{ Instances int }
		Classes []struct{ Raw float64 }
		Notes   []string
	}
	text := succeed(t, "predict", "--json", "--model", writeTemp(t, "m.onnx", m.Bytes()), "--bag",
		writeTemp(t, "bag.npy", file.Bytes()))
	must.Do(t, json.Unmarshal([]byte(text), &p))
	if p.Bag.Instances != 4 || p.Classes[0].Raw != 1 || p.Classes[2].Raw != 2 ||
		!strings.Contains(strings.Join(p.Notes, " "), "axis 2 holds the instances") {
		t.Errorf("%+v", p)
	}
}
