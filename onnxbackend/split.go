package onnxbackend

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/decode"
	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
	"github.com/bagscope/bagscope/onnxbackend/internal/plan"
	"github.com/bagscope/bagscope/onnxbackend/internal/prefix"
	"github.com/bagscope/bagscope/onnxbackend/internal/tolerance"
	"github.com/bagscope/bagscope/onnxbackend/signature"
)

// probePictures is how many pictures a model is tried with: no usual length of another axis.
const probePictures = 7

// halves are a model of pictures in two parts: its encoder, and the model of the features.
type halves struct {
	shape   []int // shape of the pictures
	encoder *Encoder
	head    *Model
	width   int // features of a picture
}

// Split returns the encoder that a model of pictures contains: the part of its graph up to features
// (n, d). From then on the model also takes bags of these features, and runs the rest of its graph
// on them, so that the pictures of a slide need not be in memory together. shape is that of the
// pictures, (channels, height, width).
//
// The features are the last value of the graph of shape (n, d) that holds a vector of each instance
// alone and that all ways from the input to the outputs pass. Both parts together are compared with
// the whole model on random pictures. It returns a *core.BagError if the model does not take such
// pictures, an *UnsupportedError if it has no such value, errors of running it, and the cause when
// ctx ends.
func (m *Model) Split(ctx context.Context, shape []int) (e *Encoder, err error) {
	defer fault.Rescue(&err)
	if h := m.halves.Load(); h != nil && slices.Equal(h.shape, shape) {
		return h.encoder, nil
	}
	h, err := m.split(ctx, shape)
	if err != nil {
		return nil, err
	}
	m.halves.Store(h)
	return h.encoder, nil
}

// headFor returns the model that takes a bag of features, or nil for the model itself.
func (m *Model) headFor(bag *core.Bag) *Model {
	h := m.halves.Load()
	if h == nil || bag.Raw || len(bag.Shape) != 1 || bag.Shape[0] != h.width {
		return nil
	}
	return h.head
}

func (m *Model) split(ctx context.Context, shape []int) (*halves, error) {
	probe := randomPictures(shape)
	fitted, err := m.fit(probe)
	if err != nil {
		return nil, err
	}
	a := m.encoder.NewAnalysis(fitted)
	f, err := m.encoder.Forward(ctx, fitted, a, nil, nil)
	if err != nil {
		return nil, fitted.SizeError(ctx, err)
	}
	f.Done()
	for _, v := range m.featureValues(a) {
		behind, ok := m.g.Between(append([]graph.Port{v}, m.besidePorts()...), m.g.Outputs)
		if !ok {
			continue // the outputs read other values of the instances, too
		}
		before, ok := m.g.Between([]graph.Port{m.sig.Input().Port}, []graph.Port{v})
		if !ok {
			continue
		}
		e, err := m.encoderOf(before, v)
		if err != nil {
			return nil, err
		}
		head, err := m.headOf(behind, v)
		if err != nil {
			return nil, err
		}
		h := &halves{slices.Clone(shape), e, head, v.Shape[1]}
		return h, m.compareHalves(ctx, probe, h)
	}
	return nil, fault.Unsupportedf("graph", "a slide's patches are encoded in a stream, but no "+
		"value of shape (n, d) holds all that the model reads of its instances; export the "+
		"encoder and the pooling model as two files, and name the first as the encoder")
}

// randomPictures returns a bag of pictures of noise, the same each time.
func randomPictures(shape []int) *core.Bag {
	bag := &core.Bag{Name: "random pictures", Raw: true, Shape: shape}
	bag.Values = make([]float32, probePictures*bag.Stride())
	random := rand.New(rand.NewPCG(1, 2))
	for i := range bag.Values {
		bag.Values[i] = float32(random.IntN(256))
	}
	return bag
}

// featureValues returns the values of shape (n, d), a vector of each instance alone, that nodes
// compute: the last one first.
func (m *Model) featureValues(a *prefix.Analysis) []graph.Port {
	var list []graph.Port
	for i := len(m.g.Nodes) - 1; i >= 0; i-- {
		for _, id := range m.g.Nodes[i].Out {
			if id < 0 {
				continue
			}
			p := a.Places[id]
			if p.Class != ops.Instance || p.Merged() || p.Axis != 0 || len(p.Shape) != 2 ||
				p.Shape[1] < 1 || !p.Type.Float() {
				continue
			}
			list = append(list, graph.Port{ID: id, Value: decode.Value{Name: m.g.Values[id].Name,
				Type: p.Type, Shape: []int{-1, p.Shape[1]}, Names: []string{"n", ""}}})
		}
	}
	return list
}

// besidePorts returns the inputs beside the instances.
func (m *Model) besidePorts() []graph.Port {
	var list []graph.Port
	for _, r := range m.sig.Relations() {
		list = append(list, r.Port)
	}
	for _, c := range m.sig.Covariates() {
		list = append(list, c.Port)
	}
	return list
}

// encoderOf returns the encoder of a graph that ends with the features.
func (m *Model) encoderOf(g *graph.Graph, features graph.Port) (*Encoder, error) {
	half := &Model{file: m.file, g: g, limits: m.limits, plain: m.plain, sig: m.sig, info: m.info}
	program, err := half.plan(m.sig.Input().ID)
	if err != nil {
		return nil, err
	}
	half.encoder = m.halfEncoder(g, program, m.sig)
	half.encoder.Device = m.encoder.Device
	return &Encoder{m: half, output: features}, nil
}

// headOf returns the model of a graph that begins with the features.
func (m *Model) headOf(g *graph.Graph, features graph.Port) (*Model, error) {
	card := m.Card()
	card.InstanceAxis = nil // the axis is one of the pictures
	first := 0
	input, err := signature.FindInput(g.Inputs, &card, &first)
	if err != nil {
		return nil, err
	}
	half := &Model{file: m.file, g: g, limits: m.limits, plain: m.plain, info: m.info}
	program, err := half.plan(append(m.sig.BesideIDs(), input.ID)...)
	if err != nil {
		return nil, err
	}
	half.sig, err = signature.New(&card, input, g.Outputs, &signature.Graph{File: m.file, Run: g,
		Program: program, Regressor: m.regressor, Relations: m.sig.Relations(),
		Covariates: m.sig.Covariates()}, m.limits.run())
	if err != nil {
		return nil, err
	}
	half.info.Inputs = half.takenPorts()
	half.info.Notes = append(slices.Clip(m.info.Notes), msg.Sprintf(
		"The model's own layers encode the patches, to %d features each, the value %q.",
		features.Shape[1], features.Name))
	half.encoder = m.halfEncoder(g, program, half.sig)
	return half, nil
}

// halfEncoder returns the encoder of bags of a half, on the CPU.
func (m *Model) halfEncoder(
	g *graph.Graph, program *plan.Program, s *signature.Signature,
) *prefix.Encoder {
	// Values of a half have the IDs of the whole graph, so that helpers with the whole model encode
	// its pictures and score its coalitions.
	return &prefix.Encoder{Graph: g, Program: program, Signature: s, Limits: m.encoder.Limits,
		Workers: m.encoder.Workers, BlockValues: m.encoder.BlockValues, Plain: m.encoder.Plain,
		Fingerprint: m.encoder.Fingerprint}
}

// compareHalves returns an *UnsupportedError if both halves together do not compute what the model
// does.
func (m *Model) compareHalves(ctx context.Context, bag *core.Bag, h *halves) error {
	features, err := h.encoder.Encode(ctx, bag)
	if err != nil {
		return err
	}
	got, err := h.head.Predict(ctx, features)
	if err != nil {
		return err
	}
	want, err := m.Predict(ctx, bag)
	if err != nil {
		return err
	}
	if len(got.Scores) != len(want.Scores) ||
		!tolerance.Agree(got.Scores, want.Scores, bag.Len()) {
		return fault.Unsupportedf("graph", "its layers up to %q and those behind give %v for "+
			"random pictures, but the model gives %v; export the encoder and the pooling model "+
			"as two files", h.encoder.output.Name, got.Scores, want.Scores)
	}
	return nil
}
