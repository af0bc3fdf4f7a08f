package ops_test

import (
	"bytes"
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/decode"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// TestInvalidAttributesAreRejected checks one model for each way in which an attribute contradicts
// the specification. The error names the node, its operator and the attribute.
func TestInvalidAttributesAreRejected(t *testing.T) {
	for _, c := range []struct {
		name  string
		opset int
		op    string
		attrs []ot.Attribute
		want  string
	}{
		{"missing", 13, "Concat", nil, "attribute axis is missing, but opset 13 requires it"},
		{"unknown", 13, "Softmax", attrs(ot.Int("axes", 1)),
			`attribute "axes" does not exist in opset 13; the operator has axis`},
		{"unknown to an operator without attributes", 13, "Relu", attrs(ot.Float("alpha", 1)),
			`attribute "alpha" does not exist in opset 13; the operator has no attributes`},
		{"of a later version", 10, "ArgMax", attrs(ot.Int("select_last_index", 0)),
			`does not exist in opset 10; the operator has axis, keepdims`},
		{"of an earlier version", 13, "ReduceSum", attrs(ot.Ints("axes", 1)),
			`does not exist in opset 13; the operator has keepdims, noop_with_empty_axes`},
		{"twice", 13, "Softmax", attrs(ot.Int("axis", 1), ot.Int("axis", 1)),
			"attribute axis is given twice"},
		{"of a function", 13, "Softmax", attrs(ot.Ref("axis", "formal", 2)),
			"attribute axis refers to a parameter of a function"},
		{"float for an integer", 13, "Softmax", attrs(ot.Float("axis", 1)),
			"attribute axis is a float, but it must be an integer"},
		{"integer for a list", 13, "Transpose", attrs(ot.Int("perm", 1)),
			"attribute perm is an integer, but it must be a list of integers"},
		{"flag of 3", 13, "TopK", attrs(ot.Int("largest", 3)),
			"attribute largest holds 3, but it must be from 0 to 1"},
		{"flag of -2", 13, "ReduceMax", attrs(ot.Int("keepdims", -2)),
			"attribute keepdims holds -2, but it must be from 0 to 1"},
		{"count of 0", 13, "Conv", attrs(ot.Int("group", 0)),
			"attribute group holds 0, but it must be at least 1"},
		{"one of a list", 13, "Conv", attrs(ot.Ints("strides", 1, -1)),
			"attribute strides holds -1, but it must be at least 1"},
		{"number of no type", 13, "Cast", attrs(ot.Int("to", 99)),
			"attribute to holds 99, but it must be from 1 to 26"},
		{"unknown text", 13, "Conv", attrs(ot.Text("auto_pad", "SAME")),
			`auto_pad is "SAME", but in opset 13 it must be one of NOTSET, SAME_UPPER, ` +
				"SAME_LOWER, VALID"},
		{"text of a later version", 16, "ScatterND", attrs(ot.Text("reduction", "max")),
			`reduction is "max", but in opset 16 it must be one of none, add, mul`},
		{"text of an earlier version", 20, "GridSample", attrs(ot.Text("mode", "bilinear")),
			`mode is "bilinear", but in opset 20 it must be one of linear, nearest, cubic`},
	} {
		t.Run(c.name, func(t *testing.T) {
			node := enginetest.Op(c.op, c.attrs...)
			node.Name = "layer"
			in := slices.Repeat([]ot.Tensor{grid}, ops.Lookup("", c.op).Min)
			_, err := runOperator(c.opset, node, in, 1)
			var format *onnxbackend.FormatError
			if !errors.As(err, &format) || format.Offset < 0 ||
				format.What != `node "layer" (`+c.op+`)` || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v (%T), want a *FormatError with %q", err, err, c.want)
			}
		})
	}
}

// TestAttributesHoldWhatTheyState checks an attribute whose stated kind is not that of its value.
func TestAttributesHoldWhatTheyState(t *testing.T) {
	data, _ := operatorModel(13, enginetest.Op("Softmax", ot.Int("axis", 1)), []ot.Tensor{grid}, 1)
	// Field 20 is the kind: an integer, and here a float.
	data = bytes.Replace(data, []byte("\xa0\x01\x02"), []byte("\xa0\x01\x01"), 1)
	_, err := decode.Decode(data, enginetest.LimitsOf(onnxbackend.Limits{}).Decoding)
	var format *onnxbackend.FormatError
	must.As(t, err, &format)
	must.Contain(t, err.Error(), "states that it is a float, but it holds an integer")
}

// TestAttributesOfUnknownOpsetsAreGaps checks that an attribute in an operator set that is newer
// than the table is a gap of the engine instead of a fault of the file.
func TestAttributesOfUnknownOpsetsAreGaps(t *testing.T) {
	_, err := runOperator(ops.Newest+1, enginetest.Op("Relu", ot.Float("top", 6)),
		[]ot.Tensor{grid}, 1)
	var gap *onnxbackend.UnsupportedError
	must.As(t, err, &gap, "up to opset 27")
}

// TestAxesOutOfRangeAreRejected checks axes beyond a rank that only a run knows.
func TestAxesOutOfRangeAreRejected(t *testing.T) {
	list := ot.F("", []float32{1, 2, 3}, 3)
	for _, c := range []struct {
		name  string
		opset int
		op    string
		attrs []ot.Attribute
		in    []ot.Tensor
	}{
		{"default of Softmax", 11, "Softmax", nil, []ot.Tensor{list}},
		{"Softmax", 13, "Softmax", attrs(ot.Int("axis", 1)), []ot.Tensor{list}},
		{"before the first", 13, "LogSoftmax", attrs(ot.Int("axis", -2)), []ot.Tensor{list}},
		{"Concat", 13, "Concat", attrs(ot.Int("axis", 1)), []ot.Tensor{list, list}},
		{"Gather", 13, "Gather", attrs(ot.Int("axis", 1)),
			[]ot.Tensor{list, ot.I("", []int64{0}, 1)}},
		{"Flatten", 13, "Flatten", attrs(ot.Int("axis", 2)), []ot.Tensor{list}},
		{"reduction", 13, "ReduceMax", attrs(ot.Ints("axes", 1)), []ot.Tensor{list}},
	} {
		t.Run(c.name, func(t *testing.T) {
			node := enginetest.Op(c.op, c.attrs...)
			node.Name = "layer"
			_, err := runOperator(c.opset, node, c.in, 1)
			var run *onnxbackend.RunError
			must.As(t, err, &run)
			must.Equal(t, run.Node, "layer")
			must.Equal(t, run.Op, c.op)
			must.Fail(t, err, "in a tensor of 1 dimensions")
		})
	}
}

// TestAxesAreCheckedWhenRanksAreKnown checks that a model is not opened if ranks follow from its
// input and an axis does not exist.
func TestAxesAreCheckedWhenRanksAreKnown(t *testing.T) {
	read := func(op string, a ot.Attribute) ot.Node {
		return ot.N(op, []string{"h"}, []string{"y"}, a)
	}
	for _, c := range []struct {
		name string
		node ot.Node
	}{
		{"axis", read("Softmax", ot.Int("axis", 2))},
		{"axes", read("ReduceMax", ot.Ints("axes", 0, -3))},
		{"permutation", read("Transpose", ot.Ints("perm", 0, 0))},
		{"axis of Flatten", read("Flatten", ot.Int("axis", 3))},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.node.Name = "layer"
			m := enginetest.ScoreModel("", 3, enginetest.Unary("Relu", "l", "h"), c.node,
				enginetest.Unary("Relu", "l", "scores"))
			for _, plain := range []bool{false, true} {
				_, err := onnxbackend.Open(m.Bytes(), onnxbackend.Options{Plain: plain})
				var format *onnxbackend.FormatError
				must.As(t, err, &format)
				must.Equal(t, format.What, `node "layer" (`+c.node.Op+`)`)
			}
		})
	}
}

// TestDefaultsAreThoseOfTheSpecification runs each operator's cases with each default of an
// attribute stated that the case omits. The results are those without.
func TestDefaultsAreThoseOfTheSpecification(t *testing.T) {
	stated := 0
	eachCase(t, func(t *testing.T, name string, c operatorCase) {
		before := must.Get(runOperator(c.opset, enginetest.Op(name, c.attrs...), c.in, 1))(t)
		for attribute, a := range defaultsOf(t, name, c.opset) {
			node := enginetest.Op(name, append(slices.Clone(c.attrs), a)...)
			after, err := runOperator(c.opset, node, c.in, 1)
			if err != nil && strings.Contains(err.Error(), "given twice") {
				continue // the case states another value
			}
			if err == nil {
				err = sameTensor(after[0], before[0])
			}
			must.Do(t, err, attribute)
			stated++
		}
	})
	must.Equal(t, stated >= 150, true, stated)
}

// A schemaAttribute is what the table of schemas has of an attribute.
type schemaAttribute struct {
	name, kind string // the kind as the specification names it
	required   bool
	initial    string // the default
}

// attributesOf returns the attributes of an operator in a version.
func attributesOf(t *testing.T, op string, opset int) (list []schemaAttribute) {
	t.Helper()
	for _, words := range schemaLines(t) {
		first, _, _ := strings.Cut(words[1], ",")
		if v, _ := strconv.Atoi(first); words[0] != op || v > max(opset, ops.Oldest) {
			continue
		}
		list = nil
		for _, word := range words[2:] {
			var a schemaAttribute
			a.name, word, _ = strings.Cut(word, ":")
			word, a.required = strings.CutSuffix(word, "!")
			a.kind, a.initial, _ = strings.Cut(word, "=")
			list = append(list, a)
		}
	}
	return list
}

// schemaLines returns the words of each line of the table of schemas, which is read once.
func schemaLines(t *testing.T) [][]string {
	t.Helper()
	return must.Get(readSchemas())(t)
}

var readSchemas = sync.OnceValues(func() (lines [][]string, err error) {
	text, err := os.ReadFile("attributes.txt")
	for line := range strings.Lines(string(text)) {
		lines = append(lines, strings.Fields(line))
	}
	return lines, err
})

// defaultsOf returns the defaults of an operator's attributes.
func defaultsOf(t *testing.T, op string, opset int) map[string]ot.Attribute {
	t.Helper()
	defaults := map[string]ot.Attribute{}
	for _, a := range attributesOf(t, op, opset) {
		number, _ := strconv.ParseFloat(a.initial, 64)
		switch {
		case a.initial == "":
		case a.kind == "INT":
			defaults[a.name] = ot.Int(a.name, int64(number))
		case a.kind == "FLOAT":
			defaults[a.name] = ot.Float(a.name, float32(number))
		case a.kind == "STRING":
			defaults[a.name] = ot.Text(a.name, a.initial)
		}
	}
	return defaults
}

// TestOfficialModelsHaveValidAttributes checks that no official node test is rejected as broken,
// whether the engine can run it or not.
func TestOfficialModelsHaveValidAttributes(t *testing.T) {
	limits := enginetest.LimitsOf(onnxbackend.Limits{})
	for name, files := range nodeCases(t) {
		file, err := decode.Decode(files["model.onnx"], limits.Decoding)
		if err == nil {
			_, err = graph.New(file, limits.Runs)
		}
		var format *onnxbackend.FormatError
		must.Equal(t, errors.As(err, &format), false, name, err)
	}
}
