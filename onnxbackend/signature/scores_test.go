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
			if i.Scale != c.scale || i.Negative != c.negative {
				t.Errorf("scale %s, negative %d, want %s, %d", i.Scale, i.Negative, c.scale,
					c.negative)
			}
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
	if out := o.Info().Output; out != "" {
		t.Errorf("output %q is chosen before any bag", out)
	}
	b := enginetest.OpenAndBind(t, m.Bytes(), onnxbackend.Options{}, enginetest.SmallBag(3, 3))
	if b.Task().Classes != 3 || enginetest.EvaluatorOf(b).Output.Name != "scores" {
		t.Errorf("task %+v on %q", b.Task(), enginetest.EvaluatorOf(b).Output.Name)
	}
	m.Outputs = m.Outputs[:1]
	o = must.Get(onnxbackend.Open(m.Bytes(), onnxbackend.Options{}))(t)
	var gap *onnxbackend.UnsupportedError
	if _, err := o.Predict(context.Background(), enginetest.SmallBag(3, 3)); !errors.As(err, &gap) {
		t.Errorf("an output that follows the bag has class scores: %v", err)
	}
}

// TestOpenBatch has two open axes with names that tell nothing, and scores for each bag of a batch.
func TestOpenBatch(t *testing.T) {
	for _, name := range []string{"batch_size", "a"} {
		m := enginetest.SumModel("", name, "k", 3)
		m.Initializers[0] = ot.I("axes", []int64{1}, 1)
		m.Outputs[0].Dims = []any{name, 3}
		b := enginetest.OpenAndBind(t, m.Bytes(), onnxbackend.Options{}, enginetest.SmallBag(4, 3))
		if b.Task().Classes != 3 || b.Task().Instances != 4 {
			t.Errorf("%s: task %+v", name, b.Task())
		}
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
	if len(c.Truth) != 2 || !slices.Equal(c.Truth[0].Support, []int{1, 2}) ||
		!slices.Equal(c.Truth[1].Refute, []int{3}) {
		t.Errorf("truth %+v", c.Truth)
	}
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
	if _, err := onnxbackend.Open(enginetest.EndingModel("", 2).Bytes(),
		onnxbackend.Options{Card: make([]byte, 1<<20+1)}); !errors.As(err, &limit) {
		t.Errorf("a huge card: %v", err)
	}
}

// TestInstancesCalledBatch opens a file that names the instances "batch", and the first axis of its
// output too: runs must find which output follows the instances.
func TestInstancesCalledBatch(t *testing.T) {
	m := enginetest.AttentionModel()
	m.Metadata = nil
	m.Inputs[0].Dims = []any{"batch_size", 2}
	m.Outputs = []ot.Value{ot.In("logits", "batch_size"), ot.In("weights", "batch_size", 1)}
	b := enginetest.OpenAndBind(t, m.Bytes(), onnxbackend.Options{}, enginetest.SmallBag(5, 2))
	if enginetest.EvaluatorOf(b).Output.Name != "logits" || b.Strategy() != "attention" {
		t.Errorf("scores in %q, strategy %s", enginetest.EvaluatorOf(b).Output.Name, b.Strategy())
	}
	m.Outputs = m.Outputs[1:]
	model := must.Get(onnxbackend.Open(m.Bytes(), onnxbackend.Options{}))(t)
	var gap *onnxbackend.UnsupportedError
	if _, err := model.Bind(context.Background(), enginetest.SmallBag(5, 2)); !errors.As(err,
		&gap) ||
		!strings.Contains(err.Error(), "follows the number of instances") {
		t.Errorf("error %v, want one that no output has the class scores", err)
	}
}

// TestNoteNamesOtherOutputsWithScores checks the note on a model with several outputs that may have
// the class scores.
func TestNoteNamesOtherOutputsWithScores(t *testing.T) {
	m := enginetest.AttentionModel()
	m.Metadata = nil
	m.Outputs = []ot.Value{ot.In("pool", 3), ot.In("logits", 2)}
	model := must.Get(onnxbackend.Open(m.Bytes(), onnxbackend.Options{}))(t)
	if notes := strings.Join(model.Info().Notes, " "); !strings.Contains(notes,
		`"pool" is taken`) || !strings.Contains(notes, `"logits" might`) {
		t.Errorf("notes %q", notes)
	}
}
