package onnxbackend

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/auxinput"
	"github.com/bagscope/bagscope/onnxbackend/internal/decode"
	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/offload"
	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
	"github.com/bagscope/bagscope/onnxbackend/internal/passes"
	"github.com/bagscope/bagscope/onnxbackend/internal/plan"
	"github.com/bagscope/bagscope/onnxbackend/internal/prefix"
	"github.com/bagscope/bagscope/onnxbackend/internal/suffix"
	"github.com/bagscope/bagscope/onnxbackend/internal/workshare"
	"github.com/bagscope/bagscope/onnxbackend/signature"
)

// A Model is an opened ONNX file. It is safe for concurrent use.
type Model struct {
	file   *graph.Graph // how the file connects its nodes, without constants
	g      *graph.Graph // what is run: the file's graph after the passes
	passes []PassInfo   // what the passes did
	limits Limits
	plain  bool // Options.Plain
	layers int  // tensors of weights that Options.Randomize can shuffle
	// regressor is decode.Model.Regressor.
	regressor string

	sig      *signature.Signature // what inputs and outputs mean
	info     core.ModelInfo       // what the file states; Info adds what sig decides
	encoder  *prefix.Encoder      // encodes bags
	suffixes suffix.Cache         // programs for coalitions
	halves   atomic.Pointer[halves]
	served   suffix.Served // answers other processes
}

// Open reads an ONNX file. It returns a *FormatError if the bytes are wrong, an *UnsupportedError
// that lists everything the engine cannot run, a *MissingError that lists the files beside the
// model that Options.External does not have, and a *LimitError if the file exceeds the limits. It
// takes no context: the work of computing constants is bounded, whatever the file states.
func Open(model []byte, o Options) (m *Model, err error) {
	defer fault.Rescue(&err)
	return open(model, o, bags)
}

// A purpose says what a model file is opened for.
type purpose struct {
	// axis is the axis of instances, or nil to find it.
	axis *int
	// meaning finds what the outputs mean.
	meaning func(*signature.Card, signature.Input, []graph.Port, *signature.Graph,
		machine.Limits) (*signature.Signature, error)
}

// bags is the purpose of a model that scores bags.
var bags = purpose{meaning: signature.New}

// open reads an ONNX file. Errors are those of Open.
func open(model []byte, o Options, p purpose) (*Model, error) {
	limits := o.Limits.filled()
	if len(model) > limits.ModelBytes {
		return nil, &fault.Limit{
			What: "bytes of a model file", Wanted: uint64(len(model)),
			Limit: uint64(limits.ModelBytes), Setting: "modelBytes",
		}
	}
	file, err := decode.DecodeParts(model, o.External, limits.decode())
	if err != nil {
		return nil, err
	}
	card, err := readCards(file, o)
	if err != nil {
		return nil, err
	}
	card.Via = cmp.Or(o.Via, card.Via)
	via, chained, err := chain(file, card, o.External, limits, mostChained)
	if err != nil {
		return nil, err
	}
	layers := layersOf(file.Graph)
	o.Randomize.shuffle(file.Graph, layers)
	m := &Model{limits: limits, plain: o.Plain, layers: len(layers), regressor: file.Regressor}
	turned := takeChannelsFirst(file.Graph, p.axis != nil)
	// Auxiliary inputs go first: they add nodes to the file's graph, so that the bag is its only
	// input.
	auxiliary, err := auxinput.Resolve(file, card, limits.run())
	if err != nil {
		return nil, err
	}
	if err := signature.Pool(file.Graph, card); err != nil {
		return nil, err
	}
	if err := signature.JoinHeads(file.Graph, card); err != nil {
		return nil, err
	}
	if m.g, err = graph.New(file, limits.run()); err != nil {
		return nil, err
	}
	ofInput := *card
	if auxiliary.Joined {
		ofInput.InstanceAxis = nil
	}
	input, err := signature.FindInput(m.g.Inputs, &ofInput, cmp.Or(p.axis, auxiliary.Axis))
	if err != nil {
		return nil, err
	}
	if turned != "" {
		input.Notes, input.ChannelsLast = append(input.Notes, turned), true
	}
	if err := passes.CheckAxes(m.g); err != nil {
		return nil, err
	}
	var front *graph.Front
	if len(input.Shape) >= 4 { // pictures, whose pixels may need preprocessing
		front = m.g.Front(input.Port)
	}
	// The passes keep the IDs of values, so that the file's graph and the rewritten one agree.
	m.rewrite()
	g := &signature.Graph{File: m.file, Run: m.g, Regressor: file.Regressor, Front: front,
		Relations:  relationsAmong(m.g.Inputs, auxiliary.Relations),
		Covariates: covariatesAmong(m.g.Inputs, auxiliary.Covariates)}
	if g.Program, err = m.plan(graph.IDs(m.g.Inputs)...); err != nil {
		return nil, err
	}
	if m.sig, err = p.meaning(card, input, m.g.Outputs, g, limits.run()); err != nil {
		return nil, err
	}
	if len(m.sig.BesideIDs()) > 0 {
		o.Device = nil // devices take the instances alone
	}
	m.describe(file, o.Name, slices.Concat(chained, auxiliary.Notes))
	m.info.Places = auxiliary.Places
	sum := o.digest(model)
	if via != nil {
		sum = sha256.Sum256(slices.Concat(sum[:], via))
	}
	m.info.SHA256 = hex.EncodeToString(sum[:])
	workers := o.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	m.encoder = &prefix.Encoder{
		Graph: m.g, Program: g.Program, Signature: m.sig, Limits: limits.run(), Workers: workers,
		Device:      offload.New(o.Device, o.DeviceAlways, workers, limits.run()),
		BlockValues: prefix.DefaultBlockValues, Plain: o.Plain, Now: time.Now,
		Fingerprint: workshare.Fingerprint(sum[:], o.Plain),
	}
	return m, nil
}

// readCards reads the configurations beside the file, then the file's card over them, the caller's
// over both, and what inputs take over all.
func readCards(file *decode.Model, o Options) (*signature.Card, error) {
	card := &signature.Card{}
	if err := card.ReadPublished(o.Published, pictureShape(file.Graph)); err != nil {
		return nil, err
	}
	if err := readInside(card, file, "model card in the file"); err != nil {
		return nil, err
	}
	if err := card.Read(o.Card, "model card"); err != nil {
		return nil, err
	}
	return card, card.Read(o.Inputs, "model card")
}

// readInside reads the card in a file. what names it in errors.
func readInside(card *signature.Card, file *decode.Model, what string) error {
	for _, e := range file.Metadata { // a repeated key is read again over the first
		if e.Key == signature.CardProperty {
			if err := card.Read([]byte(e.Value), what); err != nil {
				return err
			}
		}
	}
	return nil
}

// rewrite runs the passes, and keeps an outline of the file's graph: how scores end is read from
// what the file states, not from fused nodes.
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

// relationsAmong returns the inputs that take relations, by the forms of their names.
func relationsAmong(inputs []graph.Port, forms map[string]signature.Form) []signature.Relation {
	var list []signature.Relation
	for _, p := range inputs {
		if form := forms[p.Name]; form != signature.NoRelation {
			list = append(list, signature.Relation{Port: p, Form: form})
		}
	}
	return list
}

// covariatesAmong returns the inputs that take covariates.
func covariatesAmong(inputs []graph.Port, found []auxinput.Covariate) []signature.Covariate {
	var list []signature.Covariate
	for _, c := range found {
		at := slices.IndexFunc(inputs, func(p graph.Port) bool { return p.Name == c.Name })
		if at < 0 {
			continue
		}
		in := signature.Covariate{Port: inputs[at], Default: c.Default}
		in.Shape = c.Shape
		list = append(list, in)
	}
	return list
}

// plan plans the way from inputs to all outputs.
func (m *Model) plan(given ...int) (*plan.Program, error) {
	p, ok := plan.New(m.g, given, graph.IDs(m.g.Outputs))
	if !ok {
		return nil, fault.Formatf("graph", "its outputs need values that no node computes")
	}
	return p, nil
}

// describe fills in what the file states about itself. notes are those of the auxiliary inputs.
func (m *Model) describe(file *decode.Model, name string, notes []string) {
	i := &m.info
	i.Name = cmp.Or(name, file.Graph.Name)
	i.Opset = m.g.Opset
	i.Inputs, i.Outputs = m.takenPorts(), describePorts(m.outputs())
	i.Operators = m.file.Operators()
	for _, t := range file.Graph.Initializers {
		if t.Tensor.Type.Float() {
			i.Parameters += t.Tensor.Len()
		}
	}
	i.Notes = slices.Concat(notes, m.sig.Input().Notes, m.sig.Card().Notes())
	if file.External != nil {
		i.Notes = append(i.Notes, msg.Sprintf(
			"Tensors lie in %s beside the model; the SHA-256 is of "+
				"the model file alone.", strings.Join(file.External, ", ")))
	}
	for _, name := range file.Texts {
		i.Notes = append(i.Notes, msg.Sprintf("Output %q holds text and is left out: this engine "+
			"computes with numbers.", name))
	}
	if m.g.Opset > ops.Newest {
		i.Notes = append(i.Notes, fmt.Sprintf("The model imports operator set %d, and this engine "+
			"has them up to %d: operators are computed as set %[2]d defines them.",
			m.g.Opset, ops.Newest))
	}
}

// outputs returns the outputs of the file.
func (m *Model) outputs() []graph.Port {
	return slices.DeleteFunc(slices.Clone(m.g.Outputs), func(p graph.Port) bool {
		return m.sig.Card().Added(p.Name)
	})
}

// takenPorts describes the inputs that take instances and their relations.
func (m *Model) takenPorts() []core.TensorInfo {
	return describePorts(slices.DeleteFunc(slices.Clone(m.g.Inputs), func(p graph.Port) bool {
		return slices.ContainsFunc(m.sig.Covariates(),
			func(c signature.Covariate) bool { return c.ID == p.ID })
	}))
}

// describePorts describes inputs or outputs.
func describePorts(ports []graph.Port) []core.TensorInfo {
	var list []core.TensorInfo
	for _, p := range ports {
		list = append(list, core.TensorInfo{
			Name: p.Name, Type: p.Type.String(), Shape: slices.Clone(p.Shape),
			Names: slices.Clone(p.Names),
		})
	}
	return list
}

// Info returns what the file and the card state about the model, and what was decided about it. It
// may change once: a file that does not state which output has the class scores is decided by the
// first bag.
func (m *Model) Info() core.ModelInfo {
	info := m.info
	m.sig.Describe(&info)
	return info
}

// PixelNotes is [Encoder.PixelNotes] for a model that takes pictures.
func (m *Model) PixelNotes(shape []int) []string { return m.sig.PixelNotes(shape) }

// Card returns the merged model card.
func (m *Model) Card() Card { return *m.sig.Card() }

// Helpers are workers elsewhere that share the work on a bag: they do tasks by Model.RunTask.
type Helpers = workshare.Helpers

// RunTask does a task of Helpers and returns the reply. The task must come from a model of the same
// file and options: an error says if it does not. Only the process that made the task can judge the
// reply.
func (m *Model) RunTask(ctx context.Context, task []byte) (reply []byte, err error) {
	defer fault.Rescue(&err)
	kind, head, u, err := workshare.OpenTask(task, m.encoder.Fingerprint)
	if err != nil {
		return nil, err
	}
	switch kind {
	case workshare.Encode:
		return m.encoder.Serve(ctx, head, u)
	case workshare.Hold:
		return nil, m.served.Hold(m.g, m.limits.run(), head, u)
	case workshare.Score:
		return m.served.Score(ctx, head, u)
	}
	return nil, workshare.ErrMessage
}

// EvaluateWith is Evaluate with helpers that share the coalitions. Result and errors are the same.
func (b *Bound) EvaluateWith(
	ctx context.Context, pool *Helpers, dst []float64, z *core.Coalitions,
) (err error) {
	defer fault.Rescue(&err)
	return b.classes.Read(dst, func(raw []float64) error {
		return b.suffix.EvaluateShared(ctx, pool, raw, z)
	})
}

// BatchWith is Batch with helpers. Each helper gets as many coalitions at a time as one goroutine.
func (b *Bound) BatchWith(pool *Helpers) int { return b.suffix.BatchShared(pool) }

// Shares reports whether helpers can share the coalitions: each runs by itself, and every helper
// can keep the boundary values.
func (b *Bound) Shares(pool *Helpers) bool { return b.suffix.Shares(pool) }
