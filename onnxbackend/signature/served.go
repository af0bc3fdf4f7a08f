package signature

import (
	"context"
	"encoding/binary"
	"math"
	"slices"
	"strings"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/decode"
	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// A Served model runs on a server. What its inputs and outputs mean is decided like that of a model
// file, but without runs on random bags, because there is no graph. It is safe for concurrent use.
type Served struct {
	s    *Signature
	info core.ModelInfo
}

// servedLimits bound the input of a served model.
var servedLimits = machine.Limits{Elements: 1 << 28, Bytes: math.MaxInt32}

// NewServed reads cards, of which a later one wins, and decides what it can about the inputs and
// outputs that a server declares. Errors are those of onnxbackend.Open.
func NewServed(
	name string, inputs, outputs []core.TensorInfo, cards ...[]byte,
) (m *Served, err error) {
	defer fault.Rescue(&err)
	card := &Card{}
	for _, data := range cards {
		if err := card.Read(data, "model card"); err != nil {
			return nil, err
		}
	}
	if len(inputs) > 1 {
		var names []string
		for _, p := range inputs {
			names = append(names, msg.Quoted(p.Name))
		}
		return nil, fault.Unsupportedf("inputs "+strings.Join(names, ", "),
			"a model that runs elsewhere is given one input, the bag: what the others take cannot "+
				"be proven without the graph; let its server fill them in")
	}
	// IDs number the declared values: the input first, then the outputs.
	in, err := FindInput(portsOf(inputs, 0), card, nil)
	if err != nil {
		return nil, err
	}
	ports := portsOf(outputs, len(inputs))
	if err := placeServedHeads(card, ports); err != nil {
		return nil, err
	}
	s, err := New(card, in, ports, nil, servedLimits)
	if err != nil {
		return nil, err
	}
	info := core.ModelInfo{Name: name, Inputs: inputs, Outputs: outputs,
		Notes: slices.Concat(s.input.Notes, card.Notes())}
	return &Served{s, info}, nil
}

// placeServedHeads is JoinHeads for a model without a graph, to which no output can be added.
func placeServedHeads(card *Card, outputs []graph.Port) error {
	if card.Answer == nil || card.Answer.Kind != kindHeads {
		return nil
	}
	values := make([]decode.Value, len(outputs))
	for i, p := range outputs {
		values[i] = p.Value
	}
	ports, err := placeHeads(card, values)
	if err != nil || len(ports) == 1 {
		return err
	}
	return fault.Unsupportedf("model card", "key \"output.heads\": the heads lie in %d outputs "+
		"of a model on a server, and one output is asked for each coalition; export a model that "+
		"joins them in one output", len(ports))
}

// portsOf numbers declared values from first on.
func portsOf(infos []core.TensorInfo, first int) []graph.Port {
	var ports []graph.Port
	for i, info := range infos {
		names := info.Names
		if len(names) != len(info.Shape) { // a server may declare lengths without names
			names = make([]string, len(info.Shape))
		}
		v := decode.Value{Name: info.Name, Type: typeOf(info.Type), Shape: info.Shape, Names: names}
		ports = append(ports, graph.Port{ID: first + i, Value: v})
	}
	return ports
}

// typeOf returns the type with a name, such as "float32", or tensor.Undefined.
func typeOf(name string) tensor.Type {
	for t := tensor.Float32; t <= tensor.BFloat16; t++ {
		if t.String() == name {
			return t
		}
	}
	return tensor.Undefined
}

// Info returns what the server and the card state, and what was decided about it.
func (m *Served) Info() core.ModelInfo {
	info := m.info
	m.s.Describe(&info)
	return info
}

// Card returns the merged card.
func (m *Served) Card() Card { return *m.s.card }

// An Encoded bag is laid out as the input takes it.
type Encoded struct {
	Layout
	Data []byte // row-major, in the input's type, little-endian
}

// Encode lays a bag out. It returns a *core.BagError if the bag does not fit the input.
func (m *Served) Encode(bag *core.Bag) (e *Encoded, err error) {
	defer fault.Rescue(&err)
	f, err := m.s.Fit(bag)
	if err != nil {
		return nil, err
	}
	if err := f.Check(); err != nil {
		return nil, err
	}
	t := &tensor.Tensor{}
	if err := f.Load(machine.New(servedLimits), t); err != nil {
		return nil, err
	}
	// The engine widens 16-bit floats, and the server takes them as declared.
	data := t.Bytes()
	if typ := m.s.input.Type; typ != typ.Runtime() {
		data = halves(tensor.Of[float32](t), typ)
	}
	return &Encoded{f.Layout, data}, nil
}

// halves writes numbers in 16 bits: of type t, which is float16 or bfloat16.
func halves(values []float32, t tensor.Type) []byte {
	convert := tensor.ToFloat16
	if t == tensor.BFloat16 {
		convert = tensor.ToBFloat16
	}
	data := make([]byte, 0, 2*len(values))
	for _, v := range values {
		data = binary.LittleEndian.AppendUint16(data, convert(v))
	}
	return data
}

// Batched reports whether several encoded bags of one size may lie in one input: the axis before
// the instances is open.
func (m *Served) Batched(e *Encoded) bool {
	return e.Axis == 1 && m.s.input.Shape != nil && m.s.input.Shape[0] < 0
}

// Notes returns what was assumed about the model and a bag, in sentences.
func (m *Served) Notes(bag *core.Bag) []string {
	return slices.Concat(m.Info().Notes, Fitted{Bag: bag, s: m.s}.Notes())
}

// Resolved reports whether it is known which output has the class scores.
func (m *Served) Resolved() bool { return m.s.ClassOutput() != nil }

// Resolve finds the output with the class scores by all outputs for two bags of different sizes. It
// returns a *fault.Unsupported if no output qualifies or the server returned fewer than it
// declares, and a *fault.Format if the card contradicts it.
func (m *Served) Resolve(one, two []Output) error {
	a, err := m.shapes(one)
	if err != nil {
		return err
	}
	b, err := m.shapes(two)
	if err != nil {
		return err
	}
	_, err = m.s.Resolve(a, b, nil)
	return err
}

// shapes returns the shapes of outputs in the order in which the server declares them.
func (m *Served) shapes(outputs []Output) ([][]int, error) {
	var shapes [][]int
	for _, port := range m.s.outputs {
		o := outputOf(outputs, port.Name)
		if o == nil {
			return nil, fault.Unsupportedf(msg.Sprintf("output %q", port.Name),
				"the server declares it and did not return it")
		}
		shapes = append(shapes, o.Shape)
	}
	return shapes, nil
}

// outputOf returns the output of a name, or nil.
func outputOf(outputs []Output, name string) *Output {
	i := slices.IndexFunc(outputs, func(o Output) bool { return o.Name == name })
	if i < 0 {
		return nil
	}
	return &outputs[i]
}

// ClassOutput describes the output with the class scores, and how they are read. It is nil until
// the output is resolved.
func (m *Served) ClassOutput() *ClassOutput { return m.s.ClassOutput() }

// ForBag is ClassOutput for the scores y of a bag, as the server returns them.
func (m *Served) ForBag(y []float64) *ClassOutput { return m.s.ClassOutput().ofServer(y) }

// Attention is [core.Attender] for the outputs of a whole bag. The class output must be resolved.
// Errors are those of [Signature.Inherent], and the cause when ctx ends.
func (m *Served) Attention(
	ctx context.Context, bag *core.Bag, outputs []Output, class int,
) (phi []float64, err error) {
	defer fault.Rescue(&err)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	var whole []BagOutput
	for _, port := range m.s.outputs {
		o := outputOf(outputs, port.Name)
		if o == nil { // only needed if the card names it; it is then no instance scores
			o = &Output{Shape: []int{0}}
		}
		values := func() ([]float64, error) { return slices.Clone(o.Data), nil }
		whole = append(whole, BagOutput{Shape: o.Shape, Axis: -1, Values: values})
	}
	return m.s.Inherent(m.s.ClassOutput(), bag.Len(), class, whole)
}

// An Output is one of the model's outputs for a bag. Integers beyond 2^53 are rounded.
type Output struct {
	Name  string
	Type  string // "float32", "int64", ...
	Shape []int
	Data  []float64
}
