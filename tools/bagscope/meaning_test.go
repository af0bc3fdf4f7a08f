package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core/bagio"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// meaningModel averages instances of 3 features behind an open batch and makes probabilities without a softmax at its end.
func meaningModel(t *testing.T, input, output []any) string {
	m := ot.Model{
		Opset:        13,
		Inputs:       []ot.Value{ot.In("bag", input...)},
		Outputs:      []ot.Value{ot.In("scores", output...)},
		Initializers: []ot.Tensor{ot.F("W", []float32{1, -1, .5, 2, 0, -2, 1, 1, -3}, 3, 3)},
		Nodes: []ot.Node{
			ot.N("ReduceMean", []string{"bag"}, []string{"mean"}, ot.Ints("axes", 1), ot.Int("keepdims", 0)),
			ot.N("MatMul", []string{"mean", "W"}, []string{"l"}),
			ot.N("LogSoftmax", []string{"l"}, []string{"log"}, ot.Int("axis", -1)),
			ot.N("Exp", []string{"log"}, []string{"scores"}),
		},
	}
	return writeTemp(t, "model.onnx", m.Bytes())
}

// inspect says in one line what the scores are and from what that was concluded, also where the file leaves the output open.
func TestInspectSaysWhatScoresAre(t *testing.T) {
	for _, output := range [][]any{{1, 3}, {"B", 3}, {"what", "ever"}} {
		text := succeed(t, "inspect", "--model", meaningModel(t, []any{"B", "N", 3}, output))
		for _, want := range []string{"scores        probabilities (8 random bags: within 0..1, sum 1)", "instances     axis 1 of bag"} {
			if !strings.Contains(text, want) {
				t.Errorf("output %v: no %q in\n%s", output, want, text)
			}
		}
	}
}

// A bag of 5 instances has 3 scores under open axes of any names, whether its file holds the batch axis or not, and
// probabilities are not squashed again.
func TestPredictOpenBatch(t *testing.T) {
	values := []float32{1, 2, 3, 0, 1, 0, 2, 2, 1, -1, 0, 1, 1, 1, 1}
	for _, shape := range [][]int{{5, 3}, {1, 5, 3}} {
		var file bytes.Buffer
		if err := bagio.WriteNpy(&file, shape, values); err != nil {
			t.Fatal(err)
		}
		bag := writeTemp(t, "bag.npy", file.Bytes())
		for _, output := range [][]any{{1, 3}, {"B", 3}} {
			model := meaningModel(t, []any{"B", "N", 3}, output)
			var p prediction
			decode(t, succeed(t, "predict", "--json", "--model", model, "--bag", bag), &p)
			sum := 0.0
			for _, c := range p.Classes {
				sum += float64(c.Score)
				if c.Score != c.Raw {
					t.Errorf("bag %v, output %v: score %v of %v", shape, output, c.Score, c.Raw)
				}
			}
			if p.Bag.Instances != 5 || len(p.Classes) != 3 || sum < .9999 || sum > 1.0001 {
				t.Errorf("bag %v, output %v: %d instances, %d classes, sum %v", shape, output, p.Bag.Instances, len(p.Classes), sum)
			}
		}
	}
}
