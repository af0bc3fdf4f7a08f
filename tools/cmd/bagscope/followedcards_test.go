package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/advice"
	"github.com/bagscope/bagscope/internal/must"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// meanOf is a model that averages the instances x of a shape along an axis, and what nodes make of
// the mean m: y of a shape.
func meanOf(axis int64, in, out []any, nodes ...ot.Node) ot.Model {
	return ot.Model{
		Opset: 13, Inputs: []ot.Value{ot.In("x", in...)}, Outputs: []ot.Value{ot.In("y", out...)},
		Initializers: []ot.Tensor{ot.F("W", []float32{1, -1, .5, 2, 0, -2, 1, 1, -3}, 3, 3),
			ot.F("half", []float32{.5}), ot.I("first", []int64{0}, 1)},
		Nodes: append([]ot.Node{ot.N("ReduceMean", []string{"x"}, []string{"m"},
			ot.Ints("axes", axis), ot.Int("keepdims", 0))}, nodes...),
	}
}

// node is an operator from a to b.
func node(op, a, b string, more ...string) ot.Node {
	return ot.N(op, append([]string{a}, more...), []string{b})
}

// npy writes values 0, 1, ... of a shape.
func npy(t *testing.T, kind string, shape ...int) string {
	n, text := 1, ""
	for _, d := range shape {
		n *= d
		text += strconv.Itoa(d) + ", "
	}
	head := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", kind, text)
	head += strings.Repeat(" ", 117-len(head)) + "\n"
	data := []byte("\x93NUMPY\x01\x00\x76\x00" + head)
	for i := range n {
		if kind == "|u1" {
			data = append(data, byte(37*i))
		} else {
			data = append(data, 0, 0, byte(i%64), 63+byte(i%2))
		}
	}
	return writeTemp(t, "bag.npy", data)
}

// TestFollowedCards follows advice on what a card states.
func TestFollowedCards(t *testing.T) {
	linear := meanOf(0, []any{"k", 3}, []any{3}, node("MatMul", "m", "y", "W"))
	twoOutputs := func(more ...ot.Node) ot.Model {
		m := meanOf(0, []any{"k", 3}, []any{3}, append(more, node("MatMul", "m", "y", "W"))...)
		m.Outputs = append(m.Outputs, ot.In("z", "k", 3))
		return m
	}
	scored := linear // each instance by itself
	scored.Outputs = []ot.Value{ot.In("y", "k", 3)}
	scored.Nodes = []ot.Node{node("MatMul", "x", "y", "W")}
	follows(t, advice.Of(t), []problem{
		{name: "no logits", args: on("inspect", linear, 0, 0), follow: card("output")},
		{name: "one number", args: on("inspect", meanOf(0, []any{"k", 1}, []any{1},
			node("Identity", "m", "y")), 0, 0), follow: card("output")},
		{name: "probabilities each", args: on("inspect", meanOf(0, []any{"k", 3}, []any{3},
			node("Tanh", "m", "u"), node("Mul", "u", "v", "half"), node("Add", "v", "y", "half")),
			0, 0), follow: card("output")},
		{name: "a regressor", args: on("inspect", meanOf(0, []any{"k", 3}, []any{1, 2},
			ot.N("Unsqueeze", []string{"m", "first"}, []string{"r"}),
			ot.Node{Op: "LinearRegressor", Domain: "ai.onnx.ml", In: []string{"r"},
				Out: []string{"y"}, Attributes: []ot.Attribute{ot.Int("targets", 2),
					ot.Floats("coefficients", 1, 2, 3, 4, 5, 6)}}), 0, 0),
			follow: card("output")},
		{name: "a vector", args: on("inspect", meanOf(0, []any{"k", 65}, []any{65},
			node("Identity", "m", "y")), 0, 0), follow: card("output")},
		{name: "a fixed axis", args: func(t *testing.T) []string {
			return append(on("inspect", linear, 0, 0)(t), "--card", writeTemp(t, "card.json",
				[]byte(`{"instance_axis": 1}`)))
		}, follow: card(`instance_axis`)},
		{name: "a wrong card", args: func(t *testing.T) []string {
			return append(on("predict", linear, 5, 3)(t), "--card", writeTemp(t, "card.json",
				[]byte(`{"output": "probabilities"}`)))
		}, follow: func(t *testing.T, message string, args []string) []string {
			return append(args, "--card", writeTemp(t, "card.json", []byte(`{"output": "logits"}`)))
		}},
		{name: "a word of a card", args: func(t *testing.T) []string {
			return append(on("inspect", linear, 0, 0)(t), "--card", writeTemp(t, "card.json",
				[]byte(`{"output": "hazards"}`)))
		}, follow: func(t *testing.T, message string, args []string) []string {
			kind := regexp.MustCompile(`\{"kind": "[a-z]+", `).FindString(message)
			return append(args, "--card", writeTemp(t, "card.json", []byte(`{"output": `+kind+
				`"name": "n", "scale": "logits", "edges": [0, 1, 2, 3], "unit": "months"}}`)))
		}},
		{name: "one bag or one instance", about: "one bag of", args: func(t *testing.T) []string {
			m := meanOf(0, []any{"a", "b", 3}, []any{3}, ot.N("ReduceMean", []string{"m"},
				[]string{"n"}, ot.Ints("axes", 0), ot.Int("keepdims", 0)),
				node("MatMul", "n", "y", "W"))
			return words("predict --model", writeTemp(t, "m.onnx", m.Bytes()), "--bag",
				npy(t, "<f4", 1, 5, 3))
		}, follow: card("instance_axis")},
		{name: "another axis", about: "another axis", args: func(t *testing.T) []string {
			m := meanOf(1, []any{"a", "b", 3}, []any{"a", 3}, node("MatMul", "m", "y", "W"))
			return append(on("inspect", m, 0, 0)(t), "--card", writeTemp(t, "card.json",
				[]byte(`{"instance_axis": 0}`)))
		}, follow: card("instance_axis")},
		{name: "instance scores", args: func(t *testing.T) []string {
			m := twoOutputs(node("MatMul", "x", "z", "W"))
			return append(on("explain", m, 5, 3)(t), "--method", "inherent")
		}, follow: func(t *testing.T, message string, args []string) []string {
			name := regexp.MustCompile(`\{"inherent": "NAME"\}`).FindString(message)
			return append(args, "--card", writeTemp(t, "card.json",
				[]byte(strings.ReplaceAll(name, "NAME", "z"))))
		}},
		{name: "an input beside the bag", args: func(t *testing.T) []string {
			m := linear
			m.Inputs = append(m.Inputs, ot.In("more"))
			m.Nodes = append(m.Nodes[:1:1], node("Mul", "m", "n", "more"), node("MatMul", "n", "y",
				"W"))
			return on("inspect", m, 0, 0)(t)
		}, follow: card("inputs")},
		{name: "a covariate that no bag states", args: func(t *testing.T) []string {
			m := linear
			m.Inputs = append(m.Inputs[:1:1], ot.In("more", 1))
			m.Nodes = append(m.Nodes[:1:1], node("Mul", "m", "n", "more"), node("MatMul", "n", "y",
				"W"))
			return append(on("predict", m, 5, 3)(t), "--input", "more=covariate")
		}, follow: func(t *testing.T, message string, args []string) []string {
			stated := regexp.MustCompile(`"inputs": \{"more": 0\}`).FindString(message)
			return append(args[:len(args)-2], "--card",
				writeTemp(t, "card.json", []byte("{"+stated+"}")))
		}},
		{name: "edges of rows", args: func(t *testing.T) []string {
			m := linear
			m.Inputs = append(m.Inputs, ot.Value{Name: "edges", Type: ot.Int64, Dims: []any{"e",
				2}})
			return on("inspect", m, 0, 0)(t)
		}, follow: card("inputs")},
		{name: "an encoder of another axis", args: func(t *testing.T) []string {
			m := ot.MeanEncoder(16)
			m.Inputs[0].Dims[2] = "high"
			encoder := writeTemp(t, "open.onnx", m.Bytes())
			cardBeside(t, encoder, `{"instance_axis": 2}`)
			return words("tiles --mpp 1 --whole-slide --out", filepath.Join(t.TempDir(), "o.h5"),
				"--encoder", encoder, smallSlide)
		}, follow: func(t *testing.T, message string, args []string) []string {
			cardBeside(t, last(args, "--encoder"), `{}`)
			return args
		}, later: "patches are square"},
		{name: "an encoder of two outputs", args: func(t *testing.T) []string {
			m := ot.MeanEncoder(16)
			m.Nodes = append(m.Nodes, ot.N("Neg", []string{m.Outputs[0].Name}, []string{"other"}))
			m.Outputs = append(m.Outputs, ot.In("other", "n", 3))
			return words("tiles --mpp 1 --whole-slide --out", filepath.Join(t.TempDir(), "o.h5"),
				"--encoder", writeTemp(t, "two.onnx", m.Bytes()), smallSlide)
		}, follow: func(t *testing.T, message string, args []string) []string {
			cardBeside(t, last(args, "--encoder"), `{"output_name": "other"}`)
			return args
		}},
		{name: "a wrong shape", about: "declares its shape otherwise",
			args: on("inspect", meanOf(0, []any{"k", 3}, []any{"k", 3},
				ot.N("MatMul", []string{"m", "W"}, []string{"l"}),
				ot.N("Unsqueeze", []string{"l", "first"}, []string{"y"})), 0, 0),
			follow: func(t *testing.T, message string, args []string) []string {
				return append(args, "--card", writeTemp(t, "card.json",
					[]byte(`{"output_name": "y"}`)))
			}},
		{name: "scores of instances", about: `"pool": "mean"`, args: on("inspect", scored, 0, 0),
			follow: card("pool")},
		{name: "probabilities of instances", args: func(t *testing.T) []string {
			return append(on("inspect", scored, 0, 0)(t), "--card", writeTemp(t, "card.json",
				[]byte(`{"pool": "noisy-or"}`)))
		}, follow: func(t *testing.T, message string, args []string) []string {
			stated := regexp.MustCompile(`"output": "[a-z]+"`).FindString(message)
			return append(args, "--card", writeTemp(t, "card.json",
				[]byte(`{"pool": "noisy-or", `+stated+"}")))
		}},
		{name: "pairs of instances", args: func(t *testing.T) []string {
			m := linear
			m.Inputs = append(m.Inputs, ot.In("adj", "k", "k"))
			m.Nodes = []ot.Node{node("MatMul", "adj", "h", "x"), ot.N("ReduceMean", []string{"h"},
				[]string{"m"}, ot.Ints("axes", 0), ot.Int("keepdims", 0)),
				node("MatMul", "m", "y", "W")}
			return on("predict", m, 5, 3)(t)
		}, follow: func(t *testing.T, message string, args []string) []string {
			joined := regexp.MustCompile(`"inputs": \{"adj": 1\}`).FindString(message)
			return append(args, "--card", writeTemp(t, "card.json", []byte("{"+joined+"}")))
		}},
	})
}

// sizedOf is a model that adds rows of constants to as many instances; one row fits all.
func sizedOf(rows int) ot.Model {
	return ot.Model{
		Opset: 13, Inputs: []ot.Value{ot.In("x", "k", 3)}, Outputs: []ot.Value{ot.In("y", 3)},
		Initializers: []ot.Tensor{ot.F("rows", make([]float32, 3*rows), rows, 3)},
		Nodes: []ot.Node{node("Add", "x", "h", "rows"), ot.N("ReduceMean", []string{"h"},
			[]string{"y"}, ot.Ints("axes", 0), ot.Int("keepdims", 0))},
	}
}

// reshaped is a model that reshapes its instances to a constant shape.
func reshaped(shape ...int64) ot.Model {
	m := sizedOf(1)
	m.Initializers = append(m.Initializers, ot.I("shape", shape, 2))
	m.Nodes = append([]ot.Node{node("Reshape", "x", "r", "shape")}, m.Nodes...)
	m.Nodes[1].In[0] = "r"
	return m
}

// twoInputs is a model of the inputs x (k, 3) and y of a shape, which are two bags, whose means
// are added, or parts of each instance.
func twoInputs(instances, width any, bags bool) ot.Model {
	m := ot.Model{Opset: 13, Inputs: []ot.Value{ot.In("x", "k", 3), ot.In("y", instances, width)},
		Outputs: []ot.Value{ot.In("z", 3)}}
	mean := func(in, out string) ot.Node {
		return ot.N("ReduceMean", []string{in}, []string{out}, ot.Ints("axes", 0),
			ot.Int("keepdims", 0))
	}
	if bags {
		m.Nodes = []ot.Node{mean("x", "p"), mean("y", "q"), node("Add", "p", "z", "q")}
		return m
	}
	m.Outputs[0].Dims = []any{"classes"}
	m.Nodes = []ot.Node{ot.N("Concat", []string{"x", "y"}, []string{"xy"}, ot.Int("axis", 1)),
		mean("xy", "z")}
	return m
}

// TestFollowedExports follows advice on how a model is exported, for models that these tests write.
func TestFollowedExports(t *testing.T) {
	// again writes the model with the axis open that the message names.
	again := func(shape ...any) func(*testing.T, string, []string) []string {
		return func(t *testing.T, message string, args []string) []string {
			found := regexp.MustCompile(`axis (\d) dynamic|\{(\d): "instances"\}`).
				FindStringSubmatch(message)
			must.Equal(t, found != nil, true, "no axis: "+message)
			axis := must.Get(strconv.Atoi(found[1] + found[2]))(t)
			shape[axis] = "instances"
			m := meanOf(int64(len(shape)-2), shape, []any{1, 3}, node("MatMul", "m", "y", "W"))
			if len(shape) == 2 {
				m.Outputs[0].Dims = []any{3}
			}
			must.Do(t, os.WriteFile(last(args, "--model"), m.Bytes(), 0o600))
			return words("predict --model", last(args, "--model"), "--bag", table(t, 7, 3))
		}
	}
	fixed := func(shape ...any) func(*testing.T) []string {
		out := []any{1, 3}
		if len(shape) == 2 {
			out = []any{3}
		}
		return on("inspect", meanOf(int64(len(shape)-2), shape, out, node("MatMul", "m", "y", "W")),
			0, 0)
	}
	follows(t, advice.Of(t), []problem{
		{name: "a bag of one size", args: fixed(20, 3), follow: again(20, 3)},
		{name: "a batch of one size", args: fixed(1, 20, 3), follow: again(1, 20, 3)},
		{name: "a constant of one size", args: on("predict", sizedOf(12), 5, 3),
			follow: func(t *testing.T, message string, args []string) []string {
				must.Do(t, os.WriteFile(last(args, "--model"), sizedOf(1).Bytes(), 0o600))
				return args
			}},
		{name: "a shape of one size", about: "dynamic axes", args: on("predict",
			reshaped(12, 3), 5, 3), follow: func(t *testing.T, _ string, args []string) []string {
			must.Do(t, os.WriteFile(last(args, "--model"), reshaped(-1, 3).Bytes(), 0o600))
			return args
		}},
		{name: "an encoder of four pictures", args: func(t *testing.T) []string {
			m := ot.MeanEncoder(16)
			m.Inputs[0].Dims[0] = 4
			return words("tiles --mpp 1 --whole-slide --out", filepath.Join(t.TempDir(), "o.h5"),
				"--encoder", writeTemp(t, "four.onnx", m.Bytes()), smallSlide)
		}, follow: func(t *testing.T, message string, args []string) []string {
			must.Do(t, os.WriteFile(last(args, "--encoder"), ot.MeanEncoder(16).Bytes(), 0o600))
			return args
		}},
		{name: "two bags", args: on("inspect", twoInputs("m", 3, true), 0, 0),
			follow: func(t *testing.T, message string, args []string) []string {
				must.Do(t, os.WriteFile(last(args, "--model"), twoInputs(2, 3, true).Bytes(),
					0o600))
				return card("inputs", "[0.5, 1]", "[0, 1, 2, 3, 4, 5]")(t, message, args)
			}},
		{name: "a part of a large length", args: func(t *testing.T) []string {
			return append(on("inspect", twoInputs("k", 1<<40, false), 0, 0)(t), "--card",
				writeTemp(t, "card.json",
					[]byte(`{"inputs": {"x": "instances", "y": "instances"}}`)))
		},
			follow: func(t *testing.T, _ string, args []string) []string {
				must.Do(t, os.WriteFile(last(args, "--model"), twoInputs("k", 3, false).Bytes(),
					0o600))
				return args
			}},
		{name: "an open batch", args: on("inspect", meanOf(1, []any{"batch", 20, 3},
			[]any{"batch", 3}, node("MatMul", "m", "y", "W")), 0, 0), follow: again(1, 20, 3)},
	})
}
