package signature_test

import (
	"context"
	"encoding/hex"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend/internal/decode"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
	"github.com/bagscope/bagscope/onnxbackend/signature"
)

// tensorOf declares a value of a server. Names belong to the open lengths, -1.
func tensorOf(name, typ string, shape []int, names ...string) core.TensorInfo {
	return core.TensorInfo{Name: name, Type: typ, Shape: shape, Names: names}
}

// TestServedRejected expects errors in words for declarations and cards that do not fit each other.
func TestServedRejected(t *testing.T) {
	type values = []core.TensorInfo
	open, scores := values{tensorOf("x", "float32", []int{-1, 6})},
		values{tensorOf("y", "float32", []int{5})}
	for _, c := range []struct {
		name, card      string
		inputs, outputs values
		want            string
	}{
		{"no input", ``, nil, scores, "no input for a bag"},
		{"two inputs", ``, values{open[0], tensorOf("n", "int64", []int{1})}, scores,
			`inputs "x", "n"`},
		{"text", ``, values{tensorOf("x", "string", []int{-1, 6})}, scores, "a bag holds numbers"},
		{"truth values", ``, values{tensorOf("x", "bool", []int{-1, 6})}, scores,
			"it is of bool, and a bag holds numbers"},
		{"unknown type", ``, values{tensorOf("x", "complex", []int{-1, 6})}, scores,
			"a bag holds numbers"},
		{"no open axis", ``, values{tensorOf("x", "float32", []int{4, 6})}, scores,
			"exported for one number of instances"},
		{"no open axis, and a card", `{"instance_axis":0}`,
			values{tensorOf("x", "float32", []int{4, 6})}, scores,
			"exported for one number of instances"},
		{"axis beyond", `{"instance_axis":2}`, open, scores, "of shape [? 6] has no axis 2"},
		{"axis before", `{"instance_axis":-3}`, open, scores, "of shape [? 6] has no axis -3"},
		{"fixed axis", `{"instance_axis":1}`, open, scores,
			`has a fixed length; name an open axis by "instance_axis": 0`},
		{"no shape", `{"instance_axis":1}`, values{tensorOf("x", "float32", nil)}, scores,
			"of shape [?] has no axis 1"},
		{"scores of no output", `{"output_name":"z"}`, open, scores,
			`the graph has no output "z"; it has "y" [5]`},
		{"instance scores of no output", `{"inherent":"z"}`, open, scores,
			`the graph has no output "z"`},
		{"a broken card", `{`, open, scores, "not valid JSON"},
		{"heads in two outputs", `{"output":{"kind":"heads","heads":[
			{"kind":"classes","name":"a","scale":"raw","output_name":"y"},
			{"kind":"classes","name":"b","scale":"raw","output_name":"z"}]}}`, open,
			append(values{tensorOf("z", "float32", []int{2})}, scores...), "lie in 2 outputs"},
		{"unprintable unit", `{"output":{"kind":"regression","unit":"a\nb"}}`, open, scores,
			"printable characters alone"},
		{"edges before the beginning", `{"output":{"kind":"hazards","scale":"logits",
			"edges":[-1,2],"unit":"u"}}`, open, scores, "before the beginning of time"},
		{"edges too far apart", `{"output":{"kind":"ordinal","scale":"logits",
			"values":[-1e308,1e308],"unit":"u"}}`, open, scores, "too far apart"},
		{"equal values", `{"output":{"kind":"ordinal","scale":"logits",
			"values":[1,1],"unit":"u"}}`, open, scores, "entry 0 is 1 and entry 1 is 1"},
		{"nameless head", `{"output":{"kind":"heads","heads":[
			{"kind":"regression","name":""}]}}`, open, scores, "NAME:CLASS"},
		{"equal heads", `{"output":{"kind":"heads","heads":[{"kind":"regression","name":"a"},
			{"kind":"regression","name":"a"}]}}`, open, scores, `there are two heads "a"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := signature.NewServed("m", c.inputs, c.outputs, []byte(c.card))
			var kind interface{ Kind() string }
			if err == nil || !strings.Contains(err.Error(), c.want) || !errors.As(err, &kind) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

// TestServedAxis finds the axis of the instances by the declared shape, the names of open axes and
// the card.
func TestServedAxis(t *testing.T) {
	for _, c := range []struct {
		shape []int
		names []string
		card  string
		want  int
	}{
		{[]int{-1, 6}, nil, ``, 0},
		{[]int{1, -1, 6}, nil, ``, 1},
		{[]int{-1, -1, 6}, []string{"batch", "n", ""}, ``, 1},
		{[]int{-1, -1, 6}, []string{"batch", "n", ""}, `{"instance_axis":0}`, 0},
		{[]int{-1, -1, 6}, nil, `{"instance_axis":-2}`, 1},
		{[]int{-1, 6, -1}, []string{"batch", "", "n"}, ``, 0},
		{nil, nil, ``, 0},
		{nil, nil, `{"instance_axis":0}`, 0},
	} {
		m, err := signature.NewServed("m", []core.TensorInfo{tensorOf("x", "float32", c.shape,
			c.names...)}, []core.TensorInfo{tensorOf("y", "float32", []int{5})}, []byte(c.card))
		must.Do(t, err)
		must.Equal(t, m.Info().InstanceAxis, c.want, c.shape, c.names, c.card)
	}
}

// TestServedTypes writes 1 and -2.5 in the types of inputs, by hand from their definitions.
func TestServedTypes(t *testing.T) {
	for typ, want := range map[string]string{"float32": "0000803f000020c0",
		"float64": "000000000000f03f00000000000004c0", "float16": "003c00c1",
		"bfloat16": "803f20c0"} {
		m := must.Get(signature.NewServed("m", []core.TensorInfo{tensorOf("x", typ, []int{-1, 1})},
			[]core.TensorInfo{tensorOf("y", "float32", []int{5})}, nil))(t)
		e := must.Get(m.Encode(&core.Bag{Shape: []int{1}, Values: []float32{1, -2.5}}))(t)
		must.Equal(t, hex.EncodeToString(e.Data), want, typ)
	}
}

// TestDeclaredAxis finds the axis by the declared shape alone, and all open axes. Two open axes in
// front of others are a batch and the instances; a card's axis that is not open is another input's.
func TestDeclaredAxis(t *testing.T) {
	one := 1
	for _, c := range []struct {
		shape []int
		names string
		card  *int
		axis  int
		open  []int
	}{
		{[]int{3, 6}, "  ", nil, 0, nil},
		{[]int{-1, 6}, "n ", nil, 0, []int{0}},
		{[]int{3, -1}, " n", nil, 1, []int{1}},
		{[]int{-1, -1, 6}, "ab ", nil, 1, []int{0, 1}},
		{[]int{-1, 6, -1}, "a b", nil, 0, []int{0, 2}},
		{[]int{-1, -1}, "ab", nil, 0, []int{0, 1}},
		{[]int{-1, -1}, "ab", &one, 1, []int{0, 1}},
		{[]int{-1, 6}, "n ", &one, 0, []int{0}},
		{[]int{-1}, "n", &one, 0, []int{0}},
		{[]int{-1, -1, -1}, "abc", nil, 0, []int{0, 1, 2}},
	} {
		v := &decode.Value{Shape: c.shape, Names: strings.Split(c.names, "")}
		axis, open := signature.InstanceAxis(v, &signature.Card{InstanceAxis: c.card})
		must.Equal(t, axis, c.axis, c.shape)
		must.EqualSlices(t, open, c.open, c.shape)
	}
}

// servedModel returns a model of 3 classes on logits, and its own scores in the output "each".
func servedModel(t *testing.T, card string, input, each core.TensorInfo) *signature.Served {
	t.Helper()
	m := must.Get(signature.NewServed("m", []core.TensorInfo{input},
		[]core.TensorInfo{tensorOf("y", "float32", []int{3}), each}, []byte(card)))(t)
	one := []signature.Output{{Name: "y", Shape: []int{3}}, {Name: "each", Shape: []int{1}}}
	two := []signature.Output{one[0], {Name: "each", Shape: []int{2}}}
	must.Do(t, m.Resolve(one, two))
	return m
}

// TestServedInstanceScores reads the scores of a class from outputs of each shape: one for each
// instance, and for each instance and class, with instances first or last. Logits become
// probabilities.
func TestServedInstanceScores(t *testing.T) {
	input := tensorOf("x", "float32", []int{-1, 2}, "n", "")
	const card = `{"output":"logits","output_name":"y","inherent":"each"}`
	softmax := func(at int, v ...float64) float64 {
		sum := 0.0
		for _, x := range v {
			sum += math.Exp(x)
		}
		return math.Exp(v[at]) / sum
	}
	for _, c := range []struct {
		name   string
		k      int
		shape  []int
		names  []string
		data   []float64
		want   []float64 // scores of class 1, nil for an error
		reason string
	}{
		{"vector", 2, []int{2}, nil, []float64{7, 8}, []float64{7, 8}, ""},
		{"column", 2, []int{2, 1}, nil, []float64{7, 8}, []float64{7, 8}, ""},
		{"instances first", 2, []int{2, 3}, nil, []float64{0, 1, 2, 3, 5, 4},
			[]float64{softmax(1, 0, 1, 2), softmax(1, 3, 5, 4)}, ""},
		{"instances last", 2, []int{3, 2}, nil, []float64{0, 3, 1, 5, 2, 4},
			[]float64{softmax(1, 0, 1, 2), softmax(1, 3, 5, 4)}, ""},
		{"one instance", 1, []int{1, 3}, nil, []float64{0, 1, 2},
			[]float64{softmax(1, 0, 1, 2)}, ""},
		{"large logits", 1, []int{1, 3}, nil, []float64{900, 901, 902},
			[]float64{softmax(1, 0, 1, 2)}, ""},
		{"as many classes as instances, named", 3, []int{-1, 3}, []string{"n", ""},
			[]float64{0, 1, 2, 3, 5, 4, 1, 1, 1},
			[]float64{softmax(1, 0, 1, 2), softmax(1, 3, 5, 4), 1. / 3}, ""},
		{"as many classes as instances, named last", 3, []int{3, -1}, []string{"", "n"},
			[]float64{0, 3, 1, 1, 5, 1, 2, 4, 1},
			[]float64{softmax(1, 0, 1, 2), softmax(1, 3, 5, 4), 1. / 3}, ""},
		{"as many classes as instances", 3, []int{3, 3}, nil, make([]float64, 9), nil,
			"has shape [3 3] for 3 instances and 3 classes"},
		{"another number", 2, []int{5}, nil, make([]float64, 5), nil,
			"neither one score for each instance"},
		{"not returned", 2, nil, nil, nil, nil, "has shape [0] for 2 instances"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := servedModel(t, card, input, tensorOf("each", "float32", c.shape, c.names...))
			shape := slices.Clone(c.shape)
			if at := slices.Index(shape, -1); at >= 0 {
				shape[at] = c.k
			}
			outputs := []signature.Output{{Name: "y", Shape: []int{3}, Data: make([]float64, 3)}}
			if c.data != nil {
				outputs = append(outputs,
					signature.Output{Name: "each", Shape: shape, Data: c.data})
			}
			bag := enginetest.ShapedBag(c.k, 2)
			got, err := m.Attention(context.Background(), bag, outputs, 1)
			var no *core.UnavailableError
			switch {
			case c.want == nil:
				must.As(t, err, &no, c.reason)
			case err != nil:
				t.Error(err)
			default:
				enginetest.CheckNear(t, "scores", got, c.want, 1e-12)
			}
			for _, class := range []int{-1, 3} {
				var wrong *core.SettingError
				if _, err := m.Attention(context.Background(), bag, outputs, class); !errors.As(err,
					&wrong) {
					t.Errorf("class %d: %v", class, err)
				}
			}
			ended, end := context.WithCancel(context.Background())
			end()
			must.Is(t, must.Err(m.Attention(ended, bag, outputs, 1)), context.Canceled,
				"an ended context")
		})
	}
	m := servedModel(t, `{"output":"logits","output_name":"y"}`, input,
		tensorOf("each", "float32", []int{-1, 1}))
	for k, want := range map[int]string{2: `these could be it: "each" [? 1]; name one`,
		5: "no output with scores of its own"} {
		_, err := m.Attention(context.Background(), enginetest.ShapedBag(k, 2),
			[]signature.Output{{Name: "each", Shape: []int{2, 1}}}, 0)
		must.Fail(t, err, want)
	}
}

// TestServedBatches: several bags may share an input whose first axis is open before the instances.
func TestServedBatches(t *testing.T) {
	each := tensorOf("each", "float32", []int{-1})
	for _, c := range []struct {
		shape []int
		names []string
		want  bool
	}{
		{[]int{-1, 2}, nil, false},
		{[]int{-1, -1, 2}, []string{"batch", "n", ""}, true},
		{[]int{1, -1, 2}, nil, false},
		{nil, nil, false},
	} {
		m := servedModel(t, `{"output":"logits","output_name":"y"}`,
			tensorOf("x", "float32", c.shape, c.names...), each)
		e := must.Get(m.Encode(enginetest.ShapedBag(4, 2)))(t)
		must.Equal(t, m.Batched(e), c.want, c.shape)
		must.Equal(t, len(e.Data), 4*4*2, c.shape)
	}
	const hint = `"instance_axis" in the model card says which one`
	for _, c := range []struct {
		shape []int
		card  string
		hint  bool // the error names the card's key
	}{
		{[]int{-1, 2}, ``, false},
		{[]int{-1, -1, 2}, ``, true},
		{[]int{-1, -1, 2}, `,"instance_axis":1`, false},
	} {
		m := servedModel(t, `{"output":"logits","output_name":"y"`+c.card+`}`,
			tensorOf("x", "float32", c.shape), each)
		var no *core.BagError
		_, err := m.Encode(enginetest.ShapedBag(4, 3))
		must.Equal(t, errors.As(err, &no), true, c.shape, err)
		must.Equal(t, strings.Contains(err.Error(), hint), c.hint, c.shape, err)
	}
}

// TestServedOutputsOfTwoBags expects an error if the server did not return an output that it
// declares, for either bag.
func TestServedOutputsOfTwoBags(t *testing.T) {
	m := must.Get(signature.NewServed("m",
		[]core.TensorInfo{tensorOf("x", "float32", []int{-1, 2})},
		[]core.TensorInfo{tensorOf("y", "float32", nil), tensorOf("z", "float32", nil)}))(t)
	both := []signature.Output{{Name: "y", Shape: []int{3}}, {Name: "z", Shape: []int{1}}}
	for _, c := range [][2][]signature.Output{{both[:1], both}, {both, both[:1]}} {
		err := m.Resolve(c[0], c[1])
		if err == nil || !strings.Contains(err.Error(), `output "z"`) || m.Resolved() {
			t.Errorf("%v, resolved %v", err, m.Resolved())
		}
	}
	two := []signature.Output{both[0], {Name: "z", Shape: []int{2}}}
	if err := m.Resolve(both, two); err != nil || !m.Resolved() || m.ClassOutput().Name != "y" {
		t.Errorf("%v, resolved %v", err, m.Resolved())
	}
}
