package onnxbackend_test

import (
	"bytes"
	"image"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/advice"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// Parts of the notes about pixels.
const (
	smaller = "the first layer takes much smaller numbers"
	centres = "the graph centres pixels 0 to 1"
	unknown = "they go into the model as they are"
)

// preparedEncoder is an encoder of pictures (3, 32, 32) whose convolution has weights and biases as
// PyTorch draws them, for numbers of about 1. Nodes before it turn "pixels" into "x".
func preparedEncoder(before []ot.Node, more ...ot.Tensor) ot.Model {
	random := rand.New(rand.NewPCG(1, 2))
	draw := func(n int) []float32 {
		out := make([]float32, n)
		for i := range out {
			out[i] = float32(2*random.Float64()-1) / 5.196 // the root of 27 weights of a channel
		}
		return out
	}
	return ot.Model{
		Opset: 17, Inputs: []ot.Value{ot.In("pixels", "n", 3, 32, 32)},
		Outputs: []ot.Value{ot.In("features", "n", 16)},
		Initializers: append([]ot.Tensor{ot.F("w", draw(16*27), 16, 3, 3, 3),
			ot.F("b", draw(16), 16)}, more...),
		Nodes: append(before, ot.Nodes(`h = Conv(x, w, b); r = Relu(h); p = GlobalAveragePool(r)
			features = Flatten(p)`)...),
	}
}

// channels returns an initializer of one number for each channel.
func channels(name string, v ...float32) ot.Tensor { return ot.F(name, v, 1, 3, 1, 1) }

// TestPixelNotes opens encoders that prepare pixels in several ways, and some that do not.
func TestPixelNotes(t *testing.T) {
	book := advice.Of(t)
	name := func(in string, more ...string) []string { return append([]string{in}, more...) }
	identity := ot.N("Identity", name("pixels"), name("x"))
	byMean := []ot.Node{ot.N("Sub", name("y", "mean"), name("z")),
		ot.N("Div", name("z", "std"), name("x"))}
	imagenet := []ot.Tensor{channels("mean", .485, .456, .406), channels("std", .229, .224, .225)}
	scaled := ot.N("Div", name("pixels", "k"), name("x"))
	k := ot.F("k", []float32{255})
	normal := func(mean, deviation float32) ot.Model {
		return preparedEncoder([]ot.Node{ot.N("BatchNormalization",
			name("pixels", "g", "o", "m", "v"), name("x"))}, ot.F("g", []float32{1, 1, 1}, 3),
			ot.F("o", make([]float32, 3), 3), ot.F("m", []float32{mean, mean, mean}, 3),
			ot.F("v", slices.Repeat([]float32{deviation * deviation}, 3), 3))
	}
	behind := preparedEncoder([]ot.Node{identity}, ot.F("g", slices.Repeat([]float32{1}, 16), 16),
		ot.F("o", slices.Repeat([]float32{.5}, 16), 16), ot.F("m", make([]float32, 16), 16),
		ot.F("v", slices.Repeat([]float32{.3}, 16), 16))
	behind.Nodes[1] = ot.N("Conv", name("x", "w"), name("c"))
	behind.Nodes = slices.Insert(behind.Nodes, 2,
		ot.N("BatchNormalization", name("c", "g", "o", "m", "v"), name("h")))
	bytesIn := preparedEncoder([]ot.Node{ot.N("Cast", name("pixels"), name("f"), ot.Int("to", 1)),
		ot.N("Div", name("f", "k"), name("x"))}, k)
	bytesIn.Inputs[0].Type = ot.Uint8
	last := preparedEncoder([]ot.Node{ot.N("Div", name("pixels", "k"), name("y")),
		ot.N("Transpose", name("y"), name("t"), ot.Ints("perm", 0, 2, 3, 1)),
		ot.N("Sub", name("t", "half"), name("u")),
		ot.N("Transpose", name("u"), name("x"), ot.Ints("perm", 0, 3, 1, 2))}, k,
		ot.F("half", []float32{.5}))
	patches := preparedEncoder([]ot.Node{identity})
	patches.Nodes[1] = ot.N("Conv", name("x", "w", "b"), name("h"), ot.Ints("strides", 3, 3))
	without := preparedEncoder([]ot.Node{identity})
	without.Nodes[1] = ot.N("Conv", name("x", "w"), name("h"))
	recurrent := preparedEncoder([]ot.Node{ot.N("Tanh", name("pixels"), name("x"))})
	// The manual's lines for the usual preprocessings, and the one that the note has.
	manual := regexp.MustCompile(`\{"preprocess".*?\}\}`).FindAllString(
		string(must.Get(os.ReadFile("README.md"))(t)), -1)
	must.Equal(t, len(manual), 5)
	card := regexp.MustCompile(`"preprocess": \{[^{}]*\}`)
	for _, c := range []struct {
		name  string
		model ot.Model
		want  string // part of the note; empty if there is none
	}{
		{"nothing", preparedEncoder([]ot.Node{identity}), smaller},
		{"patches of a transformer", patches, smaller},
		{"batch normalization behind the layer", behind, smaller},
		{"division", preparedEncoder([]ot.Node{scaled}, k), ""},
		{"ImageNet's after division", preparedEncoder(append([]ot.Node{ot.N("Div",
			name("pixels", "k"), name("y"))}, byMean...), append(imagenet, k)...), ""},
		{"ImageNet's alone", preparedEncoder(append([]ot.Node{ot.N("Identity", name("pixels"),
			name("y"))}, byMean...), imagenet...), centres},
		{"bytes", bytesIn, ""},
		{"channels last inside", last, ""},
		{"batch normalization of 0 to 255", normal(170, 50), ""},
		{"batch normalization of 0 to 1", normal(.7, .2), centres},
		{"a layer without bias", without, unknown},
		{"another operator before the layer", recurrent, unknown},
		{"no layer", ot.MeanEncoder(32), unknown},
	} {
		t.Run(c.name, func(t *testing.T) {
			data := c.model.Bytes()
			e := must.Get(onnxbackend.OpenEncoder(data, onnxbackend.Options{}))(t)
			notes := strings.Join(e.PixelNotes([]int{3, 32, 32}), " ")
			must.Equal(t, notes == "", c.want == "")
			must.Contain(t, notes, c.want)
			must.Equal(t, strings.Count(notes, ". ")+strings.Count(notes, "[") <= 0, true, notes)
			must.Equal(t, len(notes) <= 240, true, notes)
			lines := map[string][]string{smaller: manual,
				centres: {"{" + card.FindString(notes) + "}"}}[c.want]
			if len(lines) > 0 {
				book.Read(t, notes, c.want)
			}
			for _, line := range lines { // each can be copied
				e := must.Get(onnxbackend.OpenEncoder(data,
					onnxbackend.Options{Card: []byte(line)}))(t)
				if p := e.Card().Preprocess; p == nil || p.Scale != 1./255 ||
					e.PixelNotes([]int{3, 32, 32}) != nil {
					t.Errorf("%s: %+v", line, p)
				}
			}
		})
	}
}

// TestPixelNotesOfTrained takes the cards out of networks that were trained with preprocessing. The
// notes find it missing, for raw pixels alone.
func TestPixelNotesOfTrained(t *testing.T) {
	for _, file := range []string{"digits/model.onnx", "digits/networks/mi-net.onnx",
		"digits/networks/mi-net-instance.onnx", "digits/networks/mi-gnn.onnx",
		"tissue/model.onnx", "tissue/networks/mi-net.onnx",
		"tissue/networks/mi-net-instance.onnx", "tissue/networks/mi-gnn.onnx",
		"slide/model.onnx"} {
		t.Run(file, func(t *testing.T) {
			data := must.Get(os.ReadFile("../examples/" + file))(t)
			for _, card := range []bool{true, false} {
				if !card { // another property of the file's metadata
					data = bytes.Replace(data, []byte("\x08bagscope"), []byte("\x08hagscope"), -1)
				}
				m := must.Get(onnxbackend.Open(data, onnxbackend.Options{}))(t)
				shape := m.Info().InstanceShape()
				bag := &core.Bag{Shape: shape, Raw: true}
				bag.Values = make([]float32, 9*bag.Stride())
				for i := range 9 { // graphs are built from places
					bag.Boxes = append(bag.Boxes, image.Rect(i, 0, i+1, 1))
				}
				p := must.Get(m.Predict(t.Context(), bag))(t)
				must.Equal(t, strings.Contains(strings.Join(p.Notes, " "), smaller) != card, true,
					card, p.Notes)
			}
		})
	}
}
