package onnxbackend_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime/debug"
	"testing"

	"github.com/bagscope/bagscope/onnxbackend/internal/decode"
	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
	"github.com/bagscope/bagscope/onnxbackend/internal/plan"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// Attributes that operators read, whatever the operator.
var (
	intNames = []string{"axis", "keepdims", "group", "ceil_mode", "allowzero", "to", "transA",
		"transB", "batch_dims", "blocksize", "k", "p", "num_heads", "q_num_heads", "kv_num_heads",
		"num_groups", "num_outputs", "num_scan_inputs", "hidden_size", "largest", "sorted",
		"exclusive", "reverse", "is_causal", "layout", "size", "start", "end", "block_size",
		"dtype", "upper",
		"noop_with_empty_axes", "rotary_embedding_dim", "interleaved", "left_window_size",
		"right_window_size", "qk_matmul_output_mode", "count_include_pad", "storage_order",
		"align_corners",
		"antialias", "exclude_outside", "linear_before_reset", "stash_type", "training_mode",
		"time_axis", "batch_axis", "output_dtype", "saturate", "fmod"}
	listNames = []string{"axes", "perm", "pads", "strides", "dilations", "kernel_shape",
		"output_padding", "output_shape", "split", "starts", "ends", "activation_alpha"}
	texts = [][2]string{{"auto_pad", "SAME_UPPER"}, {"auto_pad", "SAME_LOWER"},
		{"auto_pad", "VALID"}, {"mode", "linear"}, {"mode", "cubic"}, {"mode", "reflect"}, {"mode",
			"edge"}, {"mode", "wrap"}, {"mode", "CRD"},
		{"direction", "bidirectional"}, {"direction", "reverse"}, {"reduction", "add"},
		{"reduction", "max"}, {"equation", "ij,jk->ik"}, {"equation", "...ij,...j"}, {"equation",
			"ii->i"}, {"equation", "ab,bc,ca->"},
		{"padding_mode", "reflection"}, {"padding_mode", "border"},
		{"coordinate_transformation_mode", "align_corners"}, {"coordinate_transformation_mode",
			"tf_crop_and_resize"}, {"keep_aspect_ratio_policy", "not_larger"},
		{"nearest_mode", "ceil"}}
	oddTypes = []tensor.Type{tensor.Float32, tensor.Int64, tensor.Float32, tensor.Int64,
		tensor.Float64, tensor.Int32, tensor.Uint8, tensor.Int8, tensor.Bool, tensor.Uint64,
		tensor.Int16}
	sides = []int{2, 1, 3, 4, 0, 2, 5, 1, 6, 8}
)

// FuzzOperator runs a single operator on attributes and tensors of any shape, type and value, as
// the choices say.
func FuzzOperator(f *testing.F) {
	for _, name := range operators {
		f.Add(name, []byte{1, 2, 3, 4, 5, 6, 7, 8})
	}
	f.Fuzz(func(t *testing.T, name string, choices []byte) {
		if row := ops.Lookup("", name); row != nil && len(choices) <= 96 {
			runOdd(t, row, choices)
		}
	})
}

// TestOddOperators does it for random choices.
func TestOddOperators(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for range 20_000 * *thorough {
		choices := make([]byte, 12+r.IntN(60))
		for i := range choices {
			choices[i] = byte(r.Uint32())
		}
		name := operators[r.IntN(len(operators))]
		runOdd(t, ops.Lookup("", name), choices)
		if t.Failed() {
			t.Fatalf("%s, choices %x", name, choices)
		}
	}
}

func runOdd(t *testing.T, row *ops.Row, choices []byte) {
	c := &chooser{choices}
	node := ot.Node{Op: row.Name}
	m := ot.Model{Opset: max(row.Since[c.of(len(row.Since))], ops.Oldest)}
	inputs := row.Min
	if more := row.Max - row.Min; more > 0 {
		inputs += c.of(more + 1)
	} else if row.Max < 0 {
		inputs += c.of(4)
	}
	for range c.of(4) {
		node.Attributes = append(node.Attributes, c.attribute())
	}
	before := allocated()
	var given []*tensor.Tensor
	for i := range inputs {
		name := fmt.Sprint("x", i)
		if row.MayOmit(i) && c.of(4) == 3 {
			name = ""
		}
		node.In = append(node.In, name)
		if name == "" {
			continue
		}
		typ, raw, shape := c.odd()
		if c.of(2) == 0 {
			m.Initializers = append(m.Initializers,
				ot.Tensor{Name: name, Type: int(typ), Dims: shape, Raw: raw})
			continue
		}
		m.Inputs = append(m.Inputs, ot.Value{Name: name, Type: int(typ)})
		x := tensor.New(typ, shape...)
		copy(tensor.View[uint8](x.Words, len(raw)), raw)
		given = append(given, x)
	}
	outputs := 1
	if row.Outputs > 1 {
		outputs += c.of(row.Outputs)
	}
	for i := range outputs {
		node.Out = append(node.Out, fmt.Sprint("y", i))
		m.Outputs = append(m.Outputs, ot.Value{Name: node.Out[i]})
	}
	m.Nodes = []ot.Node{node}
	what := fmt.Sprintf("%s, opset %d, on %d tensors", node.Op, m.Opset, inputs)
	if err := runTight(m.Bytes(), given); err != nil {
		t.Errorf("%s: %v", what, err)
	}
	if got := allocated() - before; got > fileBytes+8*uint64(tight.RunBytes) {
		t.Errorf("%s: %d MB were allocated", what, got>>20)
	}
}

// odd returns a small tensor's type, elements and shape.
func (c *chooser) odd() (tensor.Type, []byte, []int) {
	typ, n := oddTypes[c.of(len(oddTypes))], 1
	shape := make([]int, c.of(6))
	for i := range shape {
		shape[i] = sides[c.of(len(sides))]
		n *= shape[i]
	}
	var raw []byte
	value, step := c.of(256), c.of(4)
	for i := range n {
		var b [8]byte
		v := []int64{0, 1, 2, -1, 3, 4, -2, 1 << 33, -1 << 63, 5}[(value+i*step)%10]
		switch f := float64(v); {
		case typ == tensor.Bool:
			b[0] = byte(v & 1)
		case typ == tensor.Float32:
			binary.LittleEndian.PutUint32(b[:], math.Float32bits(float32(f/4)))
		case typ == tensor.Float64:
			binary.LittleEndian.PutUint64(b[:], math.Float64bits(f/4))
		default:
			binary.LittleEndian.PutUint64(b[:], uint64(v))
		}
		raw = append(raw, b[:typ.Size()]...)
	}
	return typ, raw, shape
}

// attribute returns one that may or may not belong to the operator.
func (c *chooser) attribute() ot.Attribute {
	small := func() int64 {
		if c.of(5) == 0 {
			return int64(c.number())
		}
		return int64(c.of(6)) - 1
	}
	switch c.of(4) {
	case 0, 1:
		return ot.Int(intNames[c.of(len(intNames))], small())
	case 2:
		list := make([]int64, c.of(7))
		for i := range list {
			list[i] = small()
		}
		return ot.Ints(listNames[c.of(len(listNames))], list...)
	}
	text := texts[c.of(len(texts))]
	return ot.Text(text[0], text[1])
}

// runTight returns an error when the engine panics, or takes longer than a file may.
func runTight(data []byte, given []*tensor.Tensor) (failure error) {
	defer func() {
		if r := recover(); r != nil {
			failure = fmt.Errorf("%v\n%s", r, debug.Stack())
		}
	}()
	limits := tight.Filled()
	file, err := decode.Decode(data, limits.ForDecoding())
	if err != nil {
		return nil
	}
	g, err := graph.New(file, limits.ForRuns())
	if err != nil {
		return nil
	}
	var in, out []int
	for _, p := range g.Inputs {
		in = append(in, p.ID)
	}
	for _, p := range g.Outputs {
		out = append(out, p.ID)
	}
	p, ok := plan.New(g, in, out)
	if !ok {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), fileTime)
	defer cancel()
	r := plan.NewRunner(p, limits.ForRuns())
	r.Begin(ctx)
	for i, id := range in {
		r.Give(id, given[i])
	}
	if err := r.Run(nil); errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return nil // what it computed, or why it cannot, is for other tests
}
