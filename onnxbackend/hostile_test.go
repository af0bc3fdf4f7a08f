package onnxbackend_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
	. "github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// TestFlippedBytes opens files that are cut off at every length, and changes each of their bytes.
// The search for the meaning of inputs beside the bag must be bounded, too.
func TestFlippedBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, m := range []ot.Model{enginetest.AttentionModel(), enginetest.PaddedModel()} {
		data := m.Bytes()
		for i := range data {
			for range 3 {
				bad := slices.Clone(data)
				bad[i] ^= byte(1 + r.IntN(255))
				use(t, bad)
			}
			use(t, data[:i])
		}
	}
}

func TestSmallFilesAllocateLittle(t *testing.T) {
	huge := []int64{1 << 20, 1 << 20}
	models := map[string]ot.Model{
		"tensor": {Opset: 13, Initializers: []ot.Tensor{{Name: "w", Type: ot.Float32,
			Dims: []int{1 << 30, 1 << 30}}}},
		"expand": fromConstant(ot.N("ConstantOfShape", []string{"c"}, []string{"y"}), huge),
		"range": fromConstant(ot.N("Range", []string{"zero", "far", "one"}, []string{"y"}),
			[]int64{1}),
		"square": fromConstant(ot.N("ConstantOfShape", []string{"c"}, []string{"y"}),
			[]int64{4000, 4000}),
	}
	square := models["square"]
	square.Nodes = append(square.Nodes[:1:1], ot.Nodes(`yy = MatMul(y, y); out = Add(bag, yy)`)...)
	models["square"] = square
	for name, m := range models {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			use(t, m.Bytes())
			runtime.ReadMemStats(&after)
			if got := after.TotalAlloc - before.TotalAlloc; got > 1<<29 {
				t.Errorf("allocated %d MB", got>>20)
			}
		})
	}
}

func fromConstant(n ot.Node, c []int64) ot.Model {
	return ot.Model{
		Opset: 13,
		Initializers: []ot.Tensor{
			ot.I("c", c, len(c)), ot.I("zero", []int64{0}), ot.I("far", []int64{1 << 40}),
			ot.I("one", []int64{1}),
		},
		Inputs:  []ot.Value{ot.In("bag", "k", 2)},
		Outputs: []ot.Value{ot.In("out", 2)},
		Nodes:   []ot.Node{n, ot.N("Add", []string{"bag", "y"}, []string{"out"})},
	}
}

func TestOpenErrorsNameCause(t *testing.T) {
	base := enginetest.AttentionModel()
	with := func(change func(m *ot.Model)) []byte {
		m := enginetest.AttentionModel()
		change(&m)
		return m.Bytes()
	}
	var format *FormatError
	var gap *UnsupportedError
	var missing *MissingError
	for _, c := range []struct {
		name string
		data []byte
		kind any
		want []string
	}{
		{"empty", nil, &format, []string{"not ONNX", "empty"}},
		{"no model", []byte("hello, world"), &format, []string{"not ONNX", "text"}},
		{"two unknown operators", with(func(m *ot.Model) {
			m.Nodes[1].Op, m.Nodes[1].Name, m.Nodes[5].Op = "Frobnicate", "n1", "Foo"
		}), &gap, []string{`"n1"`, "Frobnicate", "Foo", "opset 13"}},
		{"foreign domain", with(func(m *ot.Model) {
			m.Nodes[1].Domain = "com.microsoft"
			m.Domains = map[string]int{"com.microsoft": 1}
		}), &gap, []string{"com.microsoft opset 1"}},
		{"too new an operator", with(func(m *ot.Model) { m.Nodes[1].Op = "Gelu" }), &gap,
			[]string{"opset 20"}},
		{"too old an opset", with(func(m *ot.Model) { m.Opset = 6 }), &gap,
			[]string{"version_converter"}},
		{"no opset", with(func(m *ot.Model) { m.Opset = 0 }), &format, []string{"operator set"}},
		{"missing input", with(func(m *ot.Model) { m.Nodes[1].In[0] = "ghost" }), &format,
			[]string{`"ghost"`, "no node computes"}},
		{"cycle", with(func(m *ot.Model) { m.Nodes[0].In[0] = "pool" }), &format,
			[]string{"cycle"}},
		{"defined twice", with(func(m *ot.Model) { m.Nodes[1].Out[0] = "h" }), &format,
			[]string{"twice"}},
		{"missing output", with(func(m *ot.Model) { m.Outputs[0].Name = "nope" }), &format,
			[]string{`"nope"`}},
		{"output named twice", with(func(m *ot.Model) {
			m.Outputs = append(m.Outputs, m.Outputs[0])
		}), &format, []string{"twice"}},
		{"arity", with(func(m *ot.Model) { m.Nodes[1].In = []string{"h", "h"} }), &format,
			[]string{"2 inputs"}},
		{"elements missing", with(func(m *ot.Model) {
			m.Initializers[0].Floats = m.Initializers[0].Floats[:5]
		}), &format, []string{`"W"`, "6", "5"}},
		{"external data", external().Bytes(), &missing, []string{`"m.onnx.data"`, "save_model"}},
		{"strings", with(func(m *ot.Model) { m.Initializers[0].Type = 8 }), &gap,
			[]string{"string"}},
		{"function that calls itself", with(func(m *ot.Model) {
			m.Nodes[1].Op, m.Nodes[1].Domain = "f", "d"
			m.Functions = []ot.Function{{Name: "f", Domain: "d", Opset: 13, In: []string{"x"},
				Out: []string{"y"}, Nodes: []ot.Node{{Op: "f", Domain: "d", In: []string{"x"},
					Out: []string{"y"}}}}}
		}), &format, []string{`"d.f"`, "deep"}},
		{"control flow", with(func(m *ot.Model) {
			m.Nodes[1].Attributes = append(m.Nodes[1].Attributes, ot.Body("body", ot.Model{}))
		}), &gap, []string{"control flow"}},
		{"attribute kind", with(func(m *ot.Model) {
			m.Nodes[3].Attributes[0] = ot.Text("axis", "x")
		}), &format, []string{"axis"}},
		{"attributes", with(func(m *ot.Model) {
			m.Nodes[3].Attributes = make([]ot.Attribute, 300)
		}), &format, []string{"more than 256 attributes"}},
		{"static", with(func(m *ot.Model) { m.Inputs[0].Dims = []any{5, 2} }), &gap,
			[]string{"dynamic"}},
		{"two inputs", with(func(m *ot.Model) {
			m.Inputs = append(m.Inputs, ot.In("dose", 1))
			m.Nodes[1] = ot.N("Mul", []string{"h", "dose"}, []string{"t"})
		}), &gap, []string{`"bag" [k 2]`, `"dose" [1]`, `"inputs"`}},
		{"card no JSON", with(func(m *ot.Model) { m.Metadata["bagscope"] = "{" }), &format,
			[]string{"JSON"}},
		{"card type", with(func(m *ot.Model) { m.Metadata["bagscope"] = `{"classes": 3}` }),
			&format, []string{`"classes"`, "number"}},
		{"card classes", with(func(m *ot.Model) { m.Metadata["bagscope"] = `{"classes": ["a"]}` }),
			&format, []string{"1 classes", "2 scores"}},
		{"card inherent", with(func(m *ot.Model) { m.Metadata["bagscope"] = `{"inherent": "x"}` }),
			&format, []string{`"x"`, `"weights"`}},
		{"no pooled output", with(func(m *ot.Model) { m.Outputs = m.Outputs[1:] }), &gap,
			[]string{"output_name"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Open(c.data, Options{})
			must.Equal(t, errors.As(err, c.kind), true, err)
			for _, w := range c.want {
				must.Fail(t, err, w)
			}
		})
	}
	must.Get(Open(base.Bytes(), Options{}))(t)
	var limit *LimitError
	must.As(t, must.Err(Open(base.Bytes(), Options{Limits: Limits{Nodes: 3}})), &limit)
	must.As(t, must.Err(Open(base.Bytes(), Options{Limits: Limits{ModelBytes: 10}})), &limit)
}

// TestErrorNamesFixedNumberOfInstances runs a bag of another size than the file was exported for.
func TestErrorNamesFixedNumberOfInstances(t *testing.T) {
	m := ot.Model{
		Opset: 13, Inputs: []ot.Value{ot.In("bag", "k", 2)},
		Outputs:      []ot.Value{ot.In("scores", 2)},
		Initializers: []ot.Tensor{ot.I("shape", []int64{1, 6}, 2), ot.I("back", []int64{3, 2}, 2)},
		Nodes: ot.Nodes(`flat = Reshape(bag, shape); rows = Reshape(flat, back)
			scores = ReduceMax<axes=[0], keepdims=0>(rows)`),
	}
	model, err := Open(m.Bytes(), Options{})
	must.Do(t, err)
	_, err = model.Bind(context.Background(),
		&core.Bag{Name: "b", Values: []float32{1, 4, 3, 2}, Shape: []int{2}})
	var run *RunError
	must.As(t, err, &run, "dynamic axes")
}
