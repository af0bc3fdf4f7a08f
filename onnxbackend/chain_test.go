package onnxbackend_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	. "github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// attentionNodes pools x, (k, 4), by attention into the embedding (1, 3) under opset.
var attentionNodes = map[int][]ot.Node{
	11: ot.Nodes(`
		a = MatMul(bag, A)
		weights = Softmax<axis=0>(a)
		h = MatMul(bag, W)
		weighted = Mul(weights, h)
		embedding = ReduceSum<axes=[0], keepdims=1>(weighted)`),
	17: ot.Nodes(`
		a = MatMul(bag, A)
		weights = Softmax<axis=0>(a)
		h = MatMul(bag, W)
		weighted = Mul(weights, h)
		embedding = ReduceSum<keepdims=1>(weighted, axes)`),
}

// slideEncoder pools a bag into an embedding of a shape.
func slideEncoder(opset int, out ot.Value, more ...ot.Node) ot.Model {
	m := ot.Model{Opset: opset, Inputs: []ot.Value{ot.In("bag", "k", 4)},
		Outputs: []ot.Value{out},
		Initializers: []ot.Tensor{
			ot.F("A", []float32{1, -1, .5, 2}, 4, 1), ot.I("axes", []int64{0}, 1),
			ot.F("W", []float32{1, 0, -1, 2, 1, 0, .5, -.5, 1, 0, 1, -2}, 4, 3)},
		Nodes: slices.Clone(attentionNodes[opset])}
	m.Nodes = append(m.Nodes, more...)
	return m
}

// embeddingHead scores an embedding of a shape. Its names are those of slideEncoder.
func embeddingHead(in ot.Value) ot.Model {
	in.Name = "bag"
	return ot.Model{Opset: 17, Inputs: []ot.Value{in}, Outputs: []ot.Value{ot.In("y", 1, 2)},
		Initializers: []ot.Tensor{ot.F("W", []float32{1, -1, .5, 2, -.5, 1}, 3, 2),
			ot.I("shape", []int64{1, 3}, 2)},
		Nodes: ot.Nodes(`
			row = Reshape(bag, shape)
			h = Tanh(row)
			y = MatMul(h, W)`)}
}

// chained opens a head behind an encoder.
func chained(t *testing.T, head, via ot.Model, o Options) (*Model, error) {
	t.Helper()
	if o.Card == nil {
		o.Card = []byte(`{"via": "slide.onnx", "output": "raw"}`)
	}
	o.External = ExternalFiles(map[string][]byte{"slide.onnx": via.Bytes()})
	return Open(head.Bytes(), o)
}

// TestChains compares two files that are joined with one file of the same nodes: their predictions,
// all methods, and how coalitions are evaluated.
func TestChains(t *testing.T) {
	one := slideEncoder(17, ot.In("y", 1, 2), ot.Nodes(`
		squashed = Tanh(embedding)
		y = MatMul(squashed, V)`)...)
	one.Initializers = append(one.Initializers, ot.F("V", []float32{1, -1, .5, 2, -.5, 1}, 3, 2))
	whole := enginetest.Open(t, one.Bytes(), Options{Card: []byte(`{"output": "raw"}`)})
	half := func(name string, dims ...any) ot.Value {
		return ot.Value{Name: name, Type: ot.Float16, Dims: dims}
	}
	for name, c := range map[string]struct {
		via, head ot.Model
		said      string
	}{
		"equal shapes": {slideEncoder(17, ot.In("embedding", 1, 3)),
			embeddingHead(ot.In("", "n", 3)), `output "embedding" is the model's input "bag".`},
		"another opset": {slideEncoder(11, ot.In("embedding", 1, 3)),
			embeddingHead(ot.In("", 1, 3)), `input "bag".`},
		"no shape": {slideEncoder(11, ot.In("embedding")), embeddingHead(ot.In("")), `"bag".`},
		"an axis less": {slideEncoder(17, ot.In("embedding", 1, 3)), embeddingHead(ot.In("", 3)),
			"without its first axis"},
		"an axis less, of any length": {slideEncoder(17, ot.In("embedding", 1, 3)),
			embeddingHead(ot.In("", "n")), "without its first axis"},
		"an axis more": {slideEncoder(17, ot.In("embedding", 1, 3)),
			embeddingHead(ot.In("", "batch", 1, 3)), "an axis of length 1 in front"},
		"another type": {slideEncoder(17, half("half", 1, 3), ot.N("Cast",
			[]string{"embedding"}, []string{"half"}, ot.Int("to", ot.Float16))),
			embeddingHead(ot.In("", 1, 3)), "as float32"},
	} {
		t.Run(name, func(t *testing.T) {
			m := must.Get(chained(t, c.head, c.via, Options{}))(t)
			plain := must.Get(chained(t, c.head, c.via, Options{Plain: true}))(t)
			bag := enginetest.SmallBag(7, 4)
			got, want := must.Get(m.Predict(t.Context(), bag))(t),
				must.Get(whole.Predict(t.Context(), bag))(t)
			enginetest.CheckNear(t, "scores", got.Scores, want.Scores,
				map[bool]float64{true: 2e-3, false: 1e-6}[name == "another type"])
			checkForms(t, m, plain, bag)
			a, b := enginetest.Bind(t, m, bag, nil), enginetest.Bind(t, whole, bag, nil)
			must.Equal(t, a.Strategy(), b.Strategy())
			must.Contain(t, strings.Join(m.Info().Notes, " "), c.said)
		})
	}
}

// TestChainsThatDoNotFit expects a sentence for files that cannot be joined.
func TestChainsThatDoNotFit(t *testing.T) {
	encoder, head := slideEncoder(17, ot.In("embedding", 1, 3)), embeddingHead(ot.In("", 1, 3))
	two := slideEncoder(17, ot.In("embedding", 1, 3))
	two.Outputs = append(two.Outputs, ot.In("other", 1, 3))
	two.Nodes = append(two.Nodes, ot.N("Tanh", []string{"embedding"}, []string{"other"}))
	nested := encoder
	nested.Metadata = map[string]string{"bagscope": `{"via": "slide.onnx"}`}
	for name, c := range map[string]struct {
		via, head ot.Model
		card      string
		want      []string
	}{
		"another width": {encoder, embeddingHead(ot.In("", 1, 4)), `{"via": "slide.onnx"}`,
			[]string{"slide.onnx does not fit before the model",
				`its output "embedding" is float32 (1, 3)`, `input "bag" is float32 (1, 4)`,
				"3 is not 4"}},
		"more axes": {encoder, embeddingHead(ot.In("", 1, 1, 1, 3)), `{"via": "slide.onnx"}`,
			[]string{"the numbers of axes differ"}},
		"a list of weights": {slideEncoder(17, ot.In("embedding", "k")),
			embeddingHead(ot.In("", "k", 3)), `{"via": "slide.onnx"}`,
			[]string{"the chain of files is wrong", "the numbers of axes differ"}},
		"whole numbers": {encoder, embeddingHead(ot.Value{Type: ot.Int64, Dims: []any{1, 3}}),
			`{"via": "slide.onnx"}`, []string{"the types differ"}},
		"two outputs": {two, head, `{"via": "slide.onnx"}`,
			[]string{`"embedding" and "other"`, `name one as "via_output"`}},
		"no such output": {two, head, `{"via": "slide.onnx", "via_output": "e"}`,
			[]string{`has no output "e"`, `"embedding" "other"`}},
		"a circle": {nested, head, `{"via": "slide.onnx"}`, []string{"in a circle"}},
		"a missing file": {encoder, head, `{"via": "slides.onnx"}`,
			[]string{`names "slides.onnx"`, "open it with the model"}},
		"a folder": {encoder, head, `{"via": "a/slide.onnx"}`, []string{"without folders"}},
	} {
		_, err := chained(t, c.head, c.via, Options{Card: []byte(c.card)})
		for _, words := range c.want {
			if err == nil || !strings.Contains(err.Error(), words) {
				t.Errorf("%s: %v, want %q", name, err, words)
			}
		}
	}
	if _, err := chained(t, head, two, Options{
		Card: []byte(`{"via": "slide.onnx", "via_output": "other"}`)}); err != nil {
		t.Error(err)
	}
	var missing *MissingError
	must.As(t, must.Err(Open(head.Bytes(), Options{Card: []byte(`{"via": "slide.onnx"}`)})),
		&missing)
	must.EqualSlices(t, missing.Files, []string{"slide.onnx"})
}

// TestChainOfThree opens features, an encoder and a head: the same as the last two of one file.
func TestChainOfThree(t *testing.T) {
	scale := []float32{2, -1, .5, 1}
	features := ot.Model{Opset: 11, Inputs: []ot.Value{ot.In("bag", "k", 4)},
		Outputs:      []ot.Value{ot.In("W", "k", 4)},
		Initializers: []ot.Tensor{ot.F("A", scale, 4)}, Nodes: ot.Nodes(`W = Mul(bag, A)`),
		Metadata: map[string]string{"bagscope": `{"instance": "tile"}`}}
	encoder, head := slideEncoder(17, ot.In("embedding", 1, 3)), embeddingHead(ot.In("", 1, 3))
	two := must.Get(chained(t, head, encoder, Options{}))(t)
	encoder.Metadata = map[string]string{"bagscope": `{"via": "features.onnx"}`}
	card := []byte(`{"via": "slide.onnx", "output": "raw"}`)
	open := func() *Model {
		return enginetest.Open(t, head.Bytes(), Options{Card: card, External: ExternalFiles(
			map[string][]byte{"slide.onnx": encoder.Bytes(), "features.onnx": features.Bytes()})})
	}
	three := open()
	must.Equal(t, three.Card().Noun.One, "tile")
	bag := enginetest.SmallBag(7, 4)
	scaled := *bag
	scaled.Values = slices.Clone(bag.Values)
	for i := range scaled.Values {
		scaled.Values[i] *= scale[i%4]
	}
	got, want := must.Get(three.Predict(t.Context(), bag))(t),
		must.Get(two.Predict(t.Context(), &scaled))(t)
	enginetest.CheckNear(t, "scores", got.Scores, want.Scores, 1e-6)
	must.Equal(t, enginetest.Bind(t, three, bag, nil).Strategy(),
		enginetest.Bind(t, two, bag, nil).Strategy())
	before := three.Info().SHA256
	features.Initializers[0].Floats[0] = 3
	must.Equal(t, open().Info().SHA256 != before, true, "other features have the same digest")
}

// TestChainFromFolder opens a chain from a folder: the card in the first file says what its input
// is, the second one's what the scores are, and the digest is of both.
func TestChainFromFolder(t *testing.T) {
	folder := t.TempDir()
	write := func(m ot.Model) {
		must.Do(t, os.WriteFile(filepath.Join(folder, "slide.onnx"), m.Bytes(), 0o644))
	}
	head := embeddingHead(ot.In("", 1, 3))
	head.Metadata = map[string]string{"bagscope": `{"via": "slide.onnx", "classes": ["a", "b"]}`}
	open := func() *Model {
		return enginetest.Open(t, head.Bytes(), Options{External: ExternalFS(os.DirFS(folder))})
	}
	encoder := slideEncoder(17, ot.In("embedding", 1, 3))
	encoder.Metadata = map[string]string{"bagscope": `{"instance": "tile", "classes": ["c"]}`}
	write(encoder)
	m := open()
	if got := m.Card(); got.Noun.One != "tile" || !slices.Equal(got.Classes, []string{"a", "b"}) {
		t.Errorf("card %+v", got)
	}
	before := m.Info().SHA256
	encoder.Initializers[0].Floats = []float32{3, -1, .5, 2}
	write(encoder)
	must.Equal(t, open().Info().SHA256 != before, true, "another encoder has the same digest")
	must.Do(t, os.WriteFile(filepath.Join(folder, "slide.onnx"),
		bytes.Repeat([]byte("no model "), 9), 0o644))
	_, err := Open(head.Bytes(), Options{External: ExternalFS(os.DirFS(folder))})
	must.Fail(t, err)
	must.Contain(t, err.Error(), `"slide.onnx", which comes before the model`)
}
