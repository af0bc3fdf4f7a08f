package signature_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

func TestScale(t *testing.T) {
	for _, c := range []struct {
		name     string
		model    ot.Model
		scale    core.Scale
		negative int
		note     string
	}{
		{"a sum of the bag", enginetest.EndingModel("", 3), core.ScaleRaw, 0,
			"taken as raw scores"},
		{"softmax", enginetest.EndingModel("", 3, enginetest.Op("Softmax")),
			core.ScaleProbabilities, 0, ""},
		{"softmax behind views", enginetest.EndingModel("", 3, enginetest.Op("Softmax"),
			enginetest.Op("Identity"),
			enginetest.Op("Flatten", ot.Int("axis", 0)), enginetest.Op("Transpose")),
			core.ScaleProbabilities, 0, ""},
		{"softmax with another sign", enginetest.EndingModel("", 3, enginetest.Op("Softmax"),
			enginetest.Op("Neg")), core.ScaleRaw,
			0, "taken as raw scores"},
		{"log softmax", enginetest.EndingModel("", 3, enginetest.Op("LogSoftmax")),
			core.ScaleLogProbabilities, 0, ""},
		{"sigmoid of one", enginetest.EndingModel("", 1, enginetest.Op("Sigmoid")),
			core.ScaleProbabilities, -1, ""},
		{"one number", enginetest.EndingModel("", 1), core.ScaleRaw, -1, "raw score"},
		{"one logit", enginetest.EndingModel(`{"output": "logits"}`, 1), core.ScaleLogits, -1, ""},
		{"card contradicts graph", enginetest.EndingModel(`{"output": "logits"}`, 2,
			enginetest.Op("Softmax")),
			core.ScaleProbabilities, 0, "not squashed again"},
		{"sigmoid logits", enginetest.EndingModel(`{"output": "sigmoid-logits", "negative": -1}`,
			3),
			core.ScaleSigmoidLogits, -1, ""},
		{"raw on request", enginetest.EndingModel(`{"output": "raw", "negative": 2}`, 3),
			core.ScaleRaw, 2,
			""},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := must.Get(onnxbackend.Open(c.model.Bytes(), onnxbackend.Options{}))(t)
			i := m.Info()
			must.Equal(t, i.Scale, c.scale)
			must.Equal(t, i.Negative, c.negative)
			if notes := strings.Join(i.Notes, " "); !strings.Contains(notes, c.note) ||
				c.note == "" && notes != "" {
				t.Errorf("notes %q, want %q", notes, c.note)
			}
			ev := must.Get(m.Bind(context.Background(), enginetest.SmallBag(3, len(i.Classes))))(t)
			if task := ev.Task(); task.Scale != c.scale || task.Negative != c.negative {
				t.Errorf("task %+v", task)
			}
		})
	}
}

// TestUnclearOutput declares an output of unknown length beside one that follows the bag.
func TestUnclearOutput(t *testing.T) {
	m := enginetest.SumModel("", "k", 3)
	m.Outputs = []ot.Value{ot.In("each", "unknown", 3), ot.In("scores", "other")}
	m.Nodes = append(m.Nodes, ot.N("Identity", []string{"bag"}, []string{"each"}))
	o := must.Get(onnxbackend.Open(m.Bytes(), onnxbackend.Options{}))(t)
	must.Equal(t, o.Info().Output, "")
	b := enginetest.OpenAndBind(t, m.Bytes(), onnxbackend.Options{}, enginetest.SmallBag(3, 3))
	must.Equal(t, b.Task().Classes, 3)
	must.Equal(t, enginetest.EvaluatorOf(b).Output.Name, "scores")
	m.Outputs = m.Outputs[:1]
	o = must.Get(onnxbackend.Open(m.Bytes(), onnxbackend.Options{}))(t)
	var gap *onnxbackend.UnsupportedError
	must.As(t, must.Err(o.Predict(context.Background(), enginetest.SmallBag(3, 3))), &gap)
}

// TestOpenBatch has two open axes with names that tell nothing, and scores for each bag of a batch.
func TestOpenBatch(t *testing.T) {
	for _, name := range []string{"batch_size", "a"} {
		m := enginetest.SumModel("", name, "k", 3)
		m.Initializers[0] = ot.I("axes", []int64{1}, 1)
		m.Outputs[0].Dims = []any{name, 3}
		b := enginetest.OpenAndBind(t, m.Bytes(), onnxbackend.Options{}, enginetest.SmallBag(4, 3))
		must.Equal(t, b.Task().Classes, 3, name)
		must.Equal(t, b.Task().Instances, 4, name)
	}
}

func TestCardOverridesFile(t *testing.T) {
	m := enginetest.EndingModel(`{"classes": ["a", "b"], "negative": 1, "unknown key": {"x": [1]}}`,
		2)
	o := must.Get(onnxbackend.Open(m.Bytes(), onnxbackend.Options{Card: []byte(
		`{"classes": ["c", "d"], "patch": {"size": 27, "background": 230}, ` +
			`"truth": [{"support": [1, 2]}, {"refute": [3]}]}`)}))(t)
	c := o.Card()
	if !slices.Equal(c.Classes, []string{"c", "d"}) || *c.Negative != 1 || c.Patch.Size != 27 ||
		c.Patch.Stride != 27 || c.Patch.Background != 230 {
		t.Errorf("card %+v", c)
	}
	must.Equal(t, len(c.Truth), 2, c.Truth)
	must.EqualSlices(t, c.Truth[0].Support, []int{1, 2}, c.Truth)
	must.EqualSlices(t, c.Truth[1].Refute, []int{3}, c.Truth)
}

func TestBrokenCards(t *testing.T) {
	for _, card := range []string{
		`[]`, `{"classes": "a"}`, `{"classes": [1]}`, `{"negative": 0.5}`, `{"negative": 2}`,
		`{"output": "odds"}`, `{"output_name": 3}`,
		`{"output_name": "absent"}`, `{"instance_axis": 7}`, `{"preprocess": 1}`,
		`{"preprocess": {"std": [0]}}`, `{"preprocess": {"mean": []}}`,
		`{"patch": {"size": -1}}`, `{"truth": [{"support": ["a"]}, {}]}`, `{"truth": [{}]}`,
		strings.Repeat("[", 1000),
	} {
		var format *onnxbackend.FormatError
		if _, err := onnxbackend.Open(enginetest.EndingModel("", 2).Bytes(),
			onnxbackend.Options{Card: []byte(card)}); !errors.As(err, &format) {
			t.Errorf("card %.40s: error %v", card, err)
		}
	}
	var limit *onnxbackend.LimitError
	must.As(t, must.Err(onnxbackend.Open(enginetest.EndingModel("", 2).Bytes(),
		onnxbackend.Options{Card: make([]byte, 1<<20+1)})), &limit)
}

// TestInstancesCalledBatch opens a file that names the instances "batch", and the first axis of its
// output too: runs must find which output follows the instances.
func TestInstancesCalledBatch(t *testing.T) {
	m := enginetest.AttentionModel()
	m.Metadata = nil
	m.Inputs[0].Dims = []any{"batch_size", 2}
	m.Outputs = []ot.Value{ot.In("logits", "batch_size"), ot.In("weights", "batch_size", 1)}
	b := enginetest.OpenAndBind(t, m.Bytes(), onnxbackend.Options{}, enginetest.SmallBag(5, 2))
	must.Equal(t, enginetest.EvaluatorOf(b).Output.Name, "logits")
	must.Equal(t, b.Strategy(), "attention")
	m.Outputs = m.Outputs[1:]
	model := must.Get(onnxbackend.Open(m.Bytes(), onnxbackend.Options{}))(t)
	var gap *onnxbackend.UnsupportedError
	must.As(t, must.Err(model.Bind(context.Background(), enginetest.SmallBag(5, 2))), &gap,
		"follows the number of instances")
}

// TestNoteNamesOtherOutputsWithScores checks the note on a model with several outputs that may have
// the class scores.
func TestNoteNamesOtherOutputsWithScores(t *testing.T) {
	m := enginetest.AttentionModel()
	m.Metadata = nil
	m.Outputs = []ot.Value{ot.In("pool", 3), ot.In("logits", 2)}
	model := must.Get(onnxbackend.Open(m.Bytes(), onnxbackend.Options{}))(t)
	must.Contain(t, strings.Join(model.Info().Notes, " "), `"pool" is taken`, `"logits" might`)
}
