package onnxbackend

import (
	"encoding/hex"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend/internal/auxinput"
	"github.com/bagscope/bagscope/onnxbackend/internal/decode"
	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
	"github.com/bagscope/bagscope/onnxbackend/internal/passes"
	"github.com/bagscope/bagscope/onnxbackend/internal/plan"
	"github.com/bagscope/bagscope/onnxbackend/signature"
)

// A Model is an opened ONNX file. It is safe for concurrent use.
type Model struct {
	file   *graph.Graph // how the file connects its nodes, without constants
	g      *graph.Graph // what is run: the file's graph after the passes
	passes []PassInfo
	card   Card
	limits Limits
	plain  bool
	input  input

	regressor string // see decode.Model
	auxiliary auxinput.Result

	scores  atomic.Pointer[scores] // nil until a bag tells which output has the class scores
	least   atomic.Int32           // instances of the smallest bag that it takes, 0 until a bag tells
	info    core.ModelInfo
	forward *plan.Program // bag to all outputs
	block   int           // values of instances that are encoded at a time
	workers int           // goroutines that encode
	runners runners       // of forward
	far     *accelerator  // nil for the CPU alone
	routes  routes
	assist  assistant
	print   int // of the file and the options, for helpers
}

// Open reads an ONNX file. It returns a *FormatError when the bytes are wrong, an *UnsupportedError that
// lists everything the engine cannot run, a *MissingError that lists the files beside the model that Options.External
// does not have, and a *LimitError when the file asks for more than the limits. It takes no
// context: the work of computing constants is bounded, whatever the file says.
func Open(model []byte, o Options) (m *Model, err error) {
	defer rescue(&err)
	limits := o.Limits.filled()
	if len(model) > limits.ModelBytes {
		return nil, &fault.Limit{What: "bytes of a model file", Wanted: uint64(len(model)), Limit: uint64(limits.ModelBytes)}
	}
	file, err := decode.DecodeParts(model, o.External, limits.decode())
	if err != nil {
		return nil, err
	}
	m = &Model{limits: limits, plain: o.Plain, block: blockValues, workers: o.Workers, far: newAccelerator(o)}
	if m.workers <= 0 {
		m.workers = runtime.GOMAXPROCS(0)
	}
	if err := m.readCards(file, o.Card); err != nil {
		return nil, err
	}
	if m.auxiliary, err = auxinput.Resolve(file, &m.card, limits.run()); err != nil {
		return nil, err
	}
	m.regressor = file.Regressor
	if m.g, err = graph.New(file, limits.run()); err != nil {
		return nil, err
	}
	if m.input, err = m.findInput(); err != nil {
		return nil, err
	}
	m.rewrite()
	if err := m.plan(); err != nil {
		return nil, err
	}
	if err := m.checkCard(); err != nil {
		return nil, err
	}
	m.settleAxis()
	m.describe(file, o.Name)
	sum := o.digest(model)
	m.info.SHA256, m.print = hex.EncodeToString(sum[:]), printOf(sum[:], o.Plain)
	return m, m.findScores()
}

// readCards reads the file's card, then the caller's over it.
func (m *Model) readCards(file *decode.Model, given []byte) error {
	for _, e := range file.Metadata {
		if e.Key == signature.CardKey {
			if err := m.card.Read([]byte(e.Value), "model card in the file"); err != nil {
				return err
			}
		}
	}
	return m.card.Read(given, "model card")
}

// rewrite runs the passes.
func (m *Model) rewrite() {
	m.file = m.g.Outline()
	if m.plain {
		m.g.Seal()
		return
	}
	for _, r := range passes.Run(m.g) {
		m.passes = append(m.passes, PassInfo(r))
	}
}

func (m *Model) plan() error {
	var wanted []int
	for _, out := range m.g.Outputs {
		wanted = append(wanted, out.ID)
	}
	p, ok := plan.New(m.g, []int{m.input.ID}, wanted)
	if !ok {
		return fault.Formatf("graph", "its outputs need values that nothing gives")
	}
	m.forward = p
	return nil
}

// checkCard looks for names in the card that the graph does not have.
func (m *Model) checkCard() error {
	for _, name := range []string{m.card.OutputName, m.card.Inherent} {
		if name != "" && m.output(name) < 0 {
			return fault.Formatf("model card", "the graph has no output %q; it has %s", name, m.outputNames(nil))
		}
	}
	return nil
}

// output returns the place of a graph output, or -1.
func (m *Model) output(name string) int {
	return slices.IndexFunc(m.g.Outputs, func(p graph.Port) bool { return p.Name == name })
}

// describe fills in what the file says of itself.
func (m *Model) describe(file *decode.Model, name string) {
	i := &m.info
	if i.Name = name; name == "" {
		i.Name = file.Graph.Name
	}
	i.Opset = m.g.Opset
	for _, p := range m.g.Inputs {
		i.Inputs = append(i.Inputs, describePort(p))
	}
	for _, p := range m.g.Outputs {
		i.Outputs = append(i.Outputs, describePort(p))
	}
	i.Operators = m.file.Operators()
	for _, t := range file.Graph.Initializers {
		if t.Tensor.Type.Float() {
			i.Parameters += t.Tensor.Len()
		}
	}
	i.Input, i.InstanceAxis = m.input.Name, m.input.axis
	i.Classes, i.Truth, i.Inherent, i.Negative = m.card.Classes, m.card.Truth, m.card.Inherent, -1
	i.Notes = slices.Concat(i.Notes, m.auxiliary.Notes, m.input.notes)
	if file.External != nil {
		i.Notes = append(i.Notes, "Tensors lie in "+strings.Join(file.External, ", ")+" beside the model; the SHA-256 is of the model file alone.")
	}
	for _, name := range file.Texts {
		i.Notes = append(i.Notes, "Output "+strconv.Quote(name)+" holds text and is left out: this engine computes with numbers.")
	}
	if m.g.Opset > ops.Newest {
		i.Notes = append(i.Notes, "The model imports operator set "+strconv.Itoa(m.g.Opset)+", and this engine knows them up to "+
			strconv.Itoa(ops.Newest)+": operators are computed as they were defined then.")
	}
}

func describePort(p graph.Port) core.TensorInfo {
	return core.TensorInfo{Name: p.Name, Type: p.Type.String(), Shape: slices.Clone(p.Shape), Names: slices.Clone(p.Names)}
}

// Info returns what the model says of itself and what was decided about it.
func (m *Model) Info() core.ModelInfo {
	info := m.info
	if s := m.scores.Load(); s != nil {
		info.Output, info.Classes, info.Scale, info.ScaleFrom, info.Negative = s.Name, s.names, s.scale, s.from, s.negative
		info.Notes = slices.Concat(info.Notes, s.notes)
	}
	return info
}

// Card returns the merged model card.
func (m *Model) Card() Card { return m.card }
