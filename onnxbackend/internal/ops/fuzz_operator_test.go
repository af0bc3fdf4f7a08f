package ops_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime/debug"
	"testing"

	"github.com/bagscope/bagscope/internal/damage"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend/internal/decode"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
	"github.com/bagscope/bagscope/onnxbackend/internal/plan"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

var (
	// oddTexts holds values of text attributes, by attribute. Not every operator has them all.
	oddTexts = map[string][]string{
		"auto_pad":  {"SAME_UPPER", "SAME_LOWER", "VALID"},
		"mode":      {"linear", "cubic", "reflect", "edge", "wrap", "CRD", "bilinear", "bicubic"},
		"direction": {"bidirectional", "reverse", "LEFT", "RIGHT"},
		"reduction": {"add", "mul", "max", "min"},
		"equation":  {"ij,jk->ik", "...ij,...j", "ii->i", "ab,bc,ca->"},

		"padding_mode":                   {"reflection", "border"},
		"coordinate_transformation_mode": {"align_corners", "tf_crop_and_resize", "asymmetric"},
		"keep_aspect_ratio_policy":       {"not_larger", "not_smaller"},
		"nearest_mode":                   {"ceil", "floor"},
	}
	oddTypes = []tensor.Type{tensor.Float32, tensor.Int64, tensor.Float32, tensor.Int64,
		tensor.Float64, tensor.Int32, tensor.Uint8, tensor.Int8, tensor.Bool, tensor.Uint64,
		tensor.Int16}
	sides = []int{2, 1, 3, 4, 0, 2, 5, 1, 6, 8}
)

// FuzzOperator runs a single operator on attributes and tensors of any shape, type and value, as
// the choices say.
func FuzzOperator(f *testing.F) {
	for _, name := range ops.Names() {
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
	names := ops.Names()
	for range 20_000 * *enginetest.Thorough {
		choices := make([]byte, 12+r.IntN(60))
		for i := range choices {
			choices[i] = byte(r.Uint32())
		}
		name := names[r.IntN(len(names))]
		runOdd(t, ops.Lookup("", name), choices)
		must.Equal(t, t.Failed(), false, name, choices)
	}
}

func runOdd(t *testing.T, row *ops.Row, choices []byte) {
	c := &enginetest.Chooser{Left: choices}
	node := ot.Node{Op: row.Name}
	m := ot.Model{Opset: max(row.Since[c.Of(len(row.Since))], ops.Oldest)}
	inputs := row.Min
	if more := row.Max - row.Min; more > 0 {
		inputs += c.Of(more + 1)
	} else if row.Max < 0 {
		inputs += c.Of(4)
	}
	for _, a := range attributesOf(t, row.Name, m.Opset) {
		if a.required || c.Of(3) == 0 {
			node.Attributes = append(node.Attributes, oddAttribute(c, a)...)
		}
	}
	before := enginetest.Allocated()
	var given []*tensor.Tensor
	for i := range inputs {
		name := fmt.Sprint("x", i)
		if row.MayOmit(i) && c.Of(4) == 3 {
			name = ""
		}
		node.In = append(node.In, name)
		if name == "" {
			continue
		}
		typ, raw, shape := oddTensor(c)
		if c.Of(2) == 0 {
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
		outputs += c.Of(row.Outputs)
	}
	for i := range outputs {
		node.Out = append(node.Out, fmt.Sprint("y", i))
		m.Outputs = append(m.Outputs, ot.Value{Name: node.Out[i]})
	}
	m.Nodes = []ot.Node{node}
	what := fmt.Sprintf("%s, opset %d, on %d tensors", node.Op, m.Opset, inputs)
	must.Do(t, runTight(m.Bytes(), given), what)
	most := uint64(enginetest.FileBytes + 8*enginetest.Tight.RunBytes)
	if got := enginetest.Allocated() - before; got > most {
		t.Errorf("%s: %d MB were allocated", what, got>>20)
	}
}

// oddTensor returns a small tensor's type, elements and shape.
func oddTensor(c *enginetest.Chooser) (tensor.Type, []byte, []int) {
	typ, n := oddTypes[c.Of(len(oddTypes))], 1
	shape := make([]int, c.Of(6))
	for i := range shape {
		shape[i] = sides[c.Of(len(sides))]
		n *= shape[i]
	}
	var raw []byte
	value, step := c.Of(256), c.Of(4)
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

// oddAttribute returns an attribute with a value that is often in range, or none of other kinds.
func oddAttribute(c *enginetest.Chooser, a schemaAttribute) []ot.Attribute {
	small := func() int64 {
		switch c.Of(6) {
		case 0:
			return int64(c.Number())
		case 1, 2:
			return int64(c.Of(6)) - 1
		}
		return int64(c.Of(2)) // a flag
	}
	switch a.kind {
	case "INT":
		return attrs(ot.Int(a.name, small()))
	case "FLOAT":
		return attrs(ot.Float(a.name, float32(small())))
	case "INTS":
		list := make([]int64, c.Of(7))
		for i := range list {
			list[i] = int64(c.Of(4)) + small()/4
		}
		return attrs(ot.Ints(a.name, list...))
	case "STRING":
		if texts := oddTexts[a.name]; texts != nil {
			return attrs(ot.Text(a.name, texts[c.Of(len(texts))]))
		}
	}
	return nil
}

// runTight returns an error when the engine panics. It panics if the engine does not end.
func runTight(data []byte, given []*tensor.Tensor) (failure error) {
	defer func() {
		if r := recover(); r != nil {
			failure = fmt.Errorf("%v\n%s", r, debug.Stack())
		}
	}()
	limits := enginetest.LimitsOf(enginetest.Tight)
	file, err := decode.Decode(data, limits.Decoding)
	if err != nil {
		return nil
	}
	g, err := graph.New(file, limits.Runs)
	if err != nil {
		return nil
	}
	p, in, _, ok := planOf(g)
	if !ok {
		return nil
	}
	r := plan.NewRunner(p, limits.Runs)
	r.Begin(context.Background())
	for i, id := range in {
		r.Give(id, given[i])
	}
	damage.Ends("an operator", func() {
		_ = r.Run(nil) // what it computed, or why it cannot, is for other tests
	})
	return nil
}
