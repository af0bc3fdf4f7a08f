package onnxbackend_test

import (
	"context"
	"image"
	"math"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// encoderWeights are a 1 x 1 convolution from three channels to two.
var encoderWeights = []float32{1, -2, .5, .25, 3, -1}

// pictureEncoder averages the two channels of a convolution over each picture. n is the declared
// number of pictures.
func pictureEncoder(n any) ot.Model {
	return ot.Model{
		Opset: 17, Inputs: []ot.Value{ot.In("pictures", n, 3, 4, 4)},
		Outputs: []ot.Value{ot.In("features", n, 2)},
		Initializers: []ot.Tensor{ot.F("w", encoderWeights, 2, 3, 1, 1),
			ot.I("axes", []int64{2, 3}, 2)},
		Nodes: ot.Nodes(`h = Conv(pictures, w); r = Relu(h); p = GlobalAveragePool(r)
			features = Flatten(p)`),
	}
}

// smallPictures returns k raw pictures (3, 4, 4).
func smallPictures(k int) *core.Bag {
	bag := &core.Bag{Name: "patches", Shape: []int{3, 4, 4}, Raw: true,
		Values: make([]float32, k*48), Slide: &core.Slide{Width: 99}}
	for i := range bag.Values {
		bag.Values[i] = float32(i * 37 % 256)
	}
	for i := range k {
		bag.Boxes = append(bag.Boxes, image.Rect(i, 0, i+4, 4))
	}
	return bag
}

// slowFeatures computes the features of pictureEncoder for pixels (v/255 - .5) / .25.
func slowFeatures(bag *core.Bag) []float64 {
	var out []float64
	for i := range bag.Len() {
		x := bag.Instance(i)
		for f := range 2 {
			sum := 0.0
			for p := range 16 {
				h := 0.0
				for c := range 3 {
					h += float64(encoderWeights[3*f+c]) * (float64(x[16*c+p])/255 - .5) / .25
				}
				sum += max(h, 0)
			}
			out = append(out, sum/16)
		}
	}
	return out
}

var encoderCard = []byte(`{"preprocess":{"scale":0.00392156862745098,"mean":[0.5],"std":[0.25]}}`)

// TestEncode compares features with a slow twin, of files that were exported for any number of
// pictures and for one.
func TestEncode(t *testing.T) {
	for _, n := range []any{"n", 1} {
		e := must.Get(onnxbackend.OpenEncoder(pictureEncoder(n).Bytes(),
			onnxbackend.Options{Card: encoderCard}))(t)
		must.EqualSlices(t, e.Shape(), []int{3, 4, 4})
		for _, k := range []int{1, 2, 37} {
			bag := smallPictures(k)
			got := must.Get(e.Encode(t.Context(), bag))(t)
			if !slices.Equal(got.Shape, []int{2}) || got.Raw || got.Slide != bag.Slide ||
				!slices.Equal(got.Boxes, bag.Boxes) || got.Name != bag.Name {
				t.Errorf("a bag of shape %v, raw %v, slide %v", got.Shape, got.Raw, got.Slide)
			}
			for i, want := range slowFeatures(bag) {
				if !(math.Abs(float64(got.Values[i])-want) <= 1e-5) { // float32 sums of 16 terms
					t.Fatalf("%v of %d pictures: value %d is %v, want %v", n, k, i, got.Values[i],
						want)
				}
			}
		}
	}
}

// encoderWith returns pictureEncoder with another end.
func encoderWith(outputs []ot.Value, nodes ...ot.Node) ot.Model {
	m := pictureEncoder("n")
	m.Outputs, m.Nodes = outputs, append(m.Nodes, nodes...)
	return m
}

// TestEncoderOutput takes the only output of two axes, or the one that the card names.
func TestEncoderOutput(t *testing.T) {
	two := encoderWith([]ot.Value{ot.In("r", "n", 2, 4, 4), ot.In("features", "n", 2)})
	negated := ot.N("Neg", []string{"features"}, []string{"negated"})
	three := encoderWith([]ot.Value{ot.In("features", "n", 2), ot.In("negated", "n", 2)}, negated)
	for _, c := range []struct {
		name, card string
		model      ot.Model
		sign       float64
	}{{"two axes", "", two, 1}, {"named", `{"output_name": "negated"}`, three, -1}} {
		t.Run(c.name, func(t *testing.T) {
			e := must.Get(onnxbackend.OpenEncoder(c.model.Bytes(),
				onnxbackend.Options{Card: []byte(c.card)}))(t)
			bag := smallPictures(3)
			got, err := e.Encode(t.Context(), bag)
			must.Do(t, err, got)
			must.EqualSlices(t, got.Shape, []int{2}, got)
			must.Equal(t, float64(got.Values[0])*c.sign > 0, true, got)
		})
	}
}

// TestNotAnEncoder checks that models that do not encode pictures are refused with the way out.
func TestNotAnEncoder(t *testing.T) {
	features := ot.Model{Opset: 17, Inputs: []ot.Value{ot.In("x", "n", 8)},
		Outputs: []ot.Value{ot.In("y", "n", 8)},
		Nodes:   []ot.Node{ot.N("Relu", []string{"x"}, []string{"y"})}}
	tokens := pictureEncoder("n")
	tokens.Outputs, tokens.Nodes = []ot.Value{ot.In("r", "n", 2, 4, 4)}, tokens.Nodes[:2]
	pooled := encoderWith([]ot.Value{ot.In("y", 2)}, ot.N("ReduceMax", []string{"features"},
		[]string{"y"}, ot.Ints("axes", 0), ot.Int("keepdims", 0)))
	shared := encoderWith([]ot.Value{ot.In("y", "n", 2)},
		ot.N("ReduceMax", []string{"features"}, []string{"most"}, ot.Ints("axes", 0)),
		ot.N("Sub", []string{"features", "most"}, []string{"y"}))
	both := encoderWith([]ot.Value{ot.In("features", "n", 2), ot.In("y", "n", 2)},
		ot.N("Neg", []string{"features"}, []string{"y"}))
	for _, c := range []struct {
		name, want string
		model      ot.Model
	}{
		{"features", "takes pictures (n, channels, height, width)", features},
		{"tokens", "export the class token or the pooled features", tokens},
		{"scores of the bag", "the scores of a bag is no encoder", pooled},
		{"pictures that depend on each other", "evaluation mode", shared},
		{"two outputs", "name one as \"output_name\"", both},
		{"eight pictures", "exported for 8 pictures", pictureEncoder(8)},
	} {
		t.Run(c.name, func(t *testing.T) {
			e, err := onnxbackend.OpenEncoder(c.model.Bytes(), onnxbackend.Options{})
			if err == nil {
				_, err = e.Encode(t.Context(), smallPictures(5))
			}
			must.As(t, err, new(*onnxbackend.UnsupportedError), c.want)
		})
	}
}

// TestEncodeErrors checks pictures that do not fit, features that are not numbers, and a context
// that has ended.
func TestEncodeErrors(t *testing.T) {
	open := func(m ot.Model) *onnxbackend.Encoder {
		return must.Get(onnxbackend.OpenEncoder(m.Bytes(), onnxbackend.Options{}))(t)
	}
	var wrong *core.BagError
	bag := smallPictures(2)
	bag.Shape = []int{3, 2, 8}
	must.As(t, must.Err(open(pictureEncoder("n")).Encode(t.Context(), bag)), &wrong)
	log := encoderWith([]ot.Value{ot.In("y", "n", 2)},
		ot.N("Sub", []string{"features", "features"}, []string{"z"}),
		ot.N("Log", []string{"z"}, []string{"y"}))
	must.As(t, must.Err(open(log).Encode(t.Context(), smallPictures(2))), &wrong)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := open(pictureEncoder("n")).Encode(ctx, smallPictures(2))
	must.Is(t, err, context.Canceled)
}

// TestEncoderBatchSize checks both bounds.
func TestEncoderBatchSize(t *testing.T) {
	e := must.Get(onnxbackend.OpenEncoder(pictureEncoder("n").Bytes(),
		onnxbackend.Options{Workers: 2}))(t)
	for bytes, want := range map[int64]int{0: 1, 4 * 48: 1, 8 * 48: 2, 1 << 30: 32} {
		must.Equal(t, e.BatchSize([]int{3, 4, 4}, bytes), want, bytes)
	}
}
