package onnxbackend

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend/internal/decode"
	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// Ports are the inputs and outputs of a model that runs elsewhere, with its card: which axis of which input takes the
// instances, which output has the class scores and what they are is decided as for a model file, and so is how a bag is
// laid out. They are safe for concurrent use.
type Ports struct{ m *Model }

// NewPorts reads cards, a later one over an earlier, and makes what it can of the ports. Errors are those of Open.
func NewPorts(name string, inputs, outputs []core.TensorInfo, cards ...[]byte) (p *Ports, err error) {
	defer rescue(&err)
	m := &Model{g: &graph.Graph{}, limits: Limits{}.filled()}
	m.file = m.g
	for _, card := range cards {
		if err := m.card.Read(card, "model card"); err != nil {
			return nil, err
		}
	}
	m.g.Inputs, m.g.Outputs = portsOf(m.g, inputs), portsOf(m.g, outputs)
	if len(inputs) > 1 {
		var names []string
		for _, p := range inputs {
			names = append(names, strconv.Quote(p.Name))
		}
		return nil, fault.Unsupportedf("inputs "+strings.Join(names, ", "), "a model that runs elsewhere is given one input, the bag: what the others take cannot be proven without the graph; let its server fill them in")
	}
	if m.input, err = m.findInput(); err != nil {
		return nil, err
	}
	if err := m.checkCard(); err != nil {
		return nil, err
	}
	m.info = core.ModelInfo{
		Name: name, Inputs: inputs, Outputs: outputs, Input: m.input.Name, InstanceAxis: m.input.axis,
		Classes: m.card.Classes, Truth: m.card.Truth, Inherent: m.card.Inherent, Negative: -1, Notes: m.input.notes,
	}
	return &Ports{m}, m.findScores()
}

// portsOf numbers ports, of which no node is known.
func portsOf(g *graph.Graph, infos []core.TensorInfo) []graph.Port {
	var ports []graph.Port
	for _, i := range infos {
		names := i.Names
		if len(names) != len(i.Shape) {
			names = make([]string, len(i.Shape))
		}
		ports = append(ports, graph.Port{ID: len(g.Values), Value: decode.Value{Name: i.Name, Type: typeOf(i.Type), Shape: i.Shape, Names: names}})
		g.Values = append(g.Values, graph.Value{Name: i.Name, Producer: -1})
	}
	return ports
}

// typeOf finds a type by its name.
func typeOf(name string) tensor.Type {
	for t := tensor.Float32; t <= tensor.BFloat16; t++ {
		if t.String() == name {
			return t
		}
	}
	return tensor.Undefined
}

// Info returns what the ports and the card say, and what was decided about it.
func (p *Ports) Info() core.ModelInfo { return p.m.Info() }

// Card returns the merged card.
func (p *Ports) Card() Card { return p.m.card }

// A Laid bag is as the input takes it.
type Laid struct {
	Shape []int  // of the input
	Axis  int    // of the instances
	Data  []byte // row-major, in the input's type, as numbers lie in memory
}

// Lay lays a bag out. It returns a *core.BagError when the bag does not fit the input.
func (p *Ports) Lay(bag *core.Bag) (l *Laid, err error) {
	defer rescue(&err)
	m := p.m
	at, err := m.input.fit(bag)
	if err != nil {
		return nil, err
	}
	if err := m.checkBag(bag); err != nil {
		return nil, err
	}
	if err := m.checkPixels(bag); err != nil {
		return nil, err
	}
	t := &tensor.Tensor{}
	if err := m.load(machine.New(m.limits.run()), t, bag, at); err != nil {
		return nil, err
	}
	data := t.Bytes()
	if m.input.Type != m.input.Type.Runtime() {
		data = halves(tensor.Of[float32](t), m.input.Type)
	}
	return &Laid{at.shape, at.axis, data}, nil
}

// halves writes numbers in 16 bits.
func halves(values []float32, t tensor.Type) []byte {
	out := make([]uint16, len(values))
	for i, v := range values {
		if out[i] = tensor.ToFloat16(v); t == tensor.BFloat16 {
			out[i] = tensor.ToBFloat16(v)
		}
	}
	data := make([]byte, 0, 2*len(out))
	for _, h := range out {
		data = append(data, byte(h), byte(h>>8))
	}
	return data
}

// Batched reports whether a bag that was laid out may stand beside others of its size: the axis before the instances is
// open.
func (p *Ports) Batched(l *Laid) bool {
	return l.Axis == 1 && p.m.input.Shape != nil && p.m.input.Shape[0] < 0
}

// Notes are what was decided about a bag, in sentences.
func (p *Ports) Notes(bag *core.Bag) []string {
	return slices.Concat(p.Info().Notes, p.m.pixelNotes(bag))
}

// Settled reports whether it is known which output has the class scores.
func (p *Ports) Settled() bool { return p.m.scores.Load() != nil }

// Settle decides it by the outputs for two bags of different sizes.
func (p *Ports) Settle(one, two []Output) error {
	a, err := p.shapes(one)
	if err != nil {
		return err
	}
	b, err := p.shapes(two)
	if err != nil {
		return err
	}
	s, err := p.m.resolve(a, b, nil)
	if err == nil {
		p.m.settle(s)
	}
	return err
}

func (p *Ports) shapes(outputs []Output) ([][]int, error) {
	var shapes [][]int
	for _, port := range p.m.g.Outputs {
		at := slices.IndexFunc(outputs, func(o Output) bool { return o.Name == port.Name })
		if at < 0 {
			return nil, fault.Unsupportedf(fmt.Sprintf("output %q", port.Name), "it was announced and did not come")
		}
		shapes = append(shapes, outputs[at].Shape)
	}
	return shapes, nil
}

// Task is what an evaluator of a bag is asked about, once the scores are settled.
func (p *Ports) Task(bag *core.Bag) core.Task {
	s := p.m.scores.Load()
	return core.Task{Instances: bag.Len(), Classes: s.classes, Scale: s.scale, Negative: s.negative}
}

// Attention is [core.Attender] for the outputs of a whole bag.
func (p *Ports) Attention(ctx context.Context, bag *core.Bag, outputs []Output, class int) ([]float64, error) {
	b := &Bound{m: p.m, task: p.Task(bag), scores: p.m.scores.Load(), whole: map[int]*tensor.Tensor{}, places: make([]ops.Place, len(p.m.g.Values))}
	for _, port := range p.m.g.Outputs {
		t := tensor.New(tensor.Float64, 0)
		if at := slices.IndexFunc(outputs, func(o Output) bool { return o.Name == port.Name }); at >= 0 {
			t = tensor.From(tensor.Float64, outputs[at].Data, outputs[at].Shape...)
		}
		b.whole[port.ID] = t
	}
	return b.Attention(ctx, class)
}
