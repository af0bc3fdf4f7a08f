package onnxbackend

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/offload"
	"github.com/bagscope/bagscope/onnxbackend/internal/plan"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
	"github.com/bagscope/bagscope/onnxbackend/internal/tolerance"
	"github.com/bagscope/bagscope/onnxbackend/signature"
)

// An Encoder is an ONNX model that turns pictures into features: (n, channels, height, width) to
// (n, d). Pooling models take the features of the patches of a slide. An Encoder is safe for
// concurrent use.
type Encoder struct {
	m      *Model
	output graph.Port
	// single is true if the file was exported for one picture at a time.
	single bool
	// checked says whether single pictures have given the features that they have among others,
	// which the CPU computed ([0]) or a device ([2]), and those that a device computed alone ([1]).
	checked [3]atomic.Bool
	card    []string                 // notes on the card of a file of its own
	notes   atomic.Pointer[[]string] // what a device computed at last, or why it computed nothing
}

// OpenEncoder reads an ONNX file that encodes pictures. If several outputs could be the features,
// the model card's "output_name" names one. The card's "preprocess" is applied to raw pixels.
// Errors are those of [Open]; a model that cannot be an encoder is an *UnsupportedError.
func OpenEncoder(model []byte, o Options) (e *Encoder, err error) {
	return openEncoder(model, o, (*Encoder).checkInput)
}

// OpenCodes is OpenEncoder for an ONNX file that computes numbers of each instance from its
// features, (n, d) to (n, codes), as a sparse autoencoder or a linear probe does.
func OpenCodes(model []byte, o Options) (e *Encoder, err error) {
	return openEncoder(model, o, func(e *Encoder) error {
		in := e.m.sig.Input()
		if in.Axis == 0 && (in.Shape == nil || len(in.Shape) == 2 && in.Shape[0] < 2) {
			e.single = in.Shape != nil && in.Shape[0] == 1
			return nil
		}
		return fault.Unsupportedf(msg.Sprintf("input %q of shape %s", in.Name,
			signature.ShapeText(&in.Value)), "codes are computed of features (n, d), for any "+
			"number n of instances")
	})
}

// openEncoder is OpenEncoder with a check of the input.
func openEncoder(
	model []byte, o Options, check func(e *Encoder) error,
) (e *Encoder, err error) {
	defer fault.Rescue(&err)
	first := 0
	m, err := open(model, o, purpose{axis: &first, meaning: signature.NewEncoder})
	if err != nil {
		return nil, err
	}
	e = &Encoder{m: m, card: m.sig.Card().Notes()}
	if err := check(e); err != nil {
		return nil, err
	}
	e.output, err = m.features()
	return e, err
}

// checkInput finds how many pictures the input takes. It returns an *UnsupportedError if it takes
// no pictures.
func (e *Encoder) checkInput() error {
	in := e.m.sig.Input()
	refuse := func(reason string) error {
		return fault.Unsupportedf(msg.Sprintf("input %q of shape %s", in.Name,
			signature.ShapeText(&in.Value)), "%s", msg.Text(reason))
	}
	if in.Axis != 0 {
		return refuse("an encoder takes pictures along axis 0; remove \"instance_axis\" from its " +
			"model card")
	}
	if in.Shape == nil {
		return nil
	}
	// Patches are squares, so that two equal sides at the front are those of channels last.
	if s := in.Shape; len(s) != 4 || s[1] > core.MostBands ||
		s[1] > 3 && s[1] == s[2] && s[2] != s[3] {
		return refuse("an encoder takes pictures (n, channels, height, width), or (n, height, " +
			"width, channels) with 1 or 3 channels")
	}
	e.single = in.Shape[0] == 1
	if in.Shape[0] > 1 {
		return refuse(fmt.Sprintf("it was exported for %d pictures at a time; export it for one, "+
			"or with axis 0 dynamic", in.Shape[0]))
	}
	return nil
}

// features returns the output that holds the features: the one that the card names, else the only
// one of real numbers, else the only one of those with two axes.
func (m *Model) features() (graph.Port, error) {
	real := slices.DeleteFunc(slices.Clone(m.g.Outputs),
		func(p graph.Port) bool { return !p.Type.Float() || p.Shape != nil && len(p.Shape) < 2 })
	if len(real) == 0 {
		return graph.Port{}, fault.Unsupportedf("graph outputs", "none of them holds features "+
			"(n, d) of real numbers; a model that returns the scores of a bag is no encoder")
	}
	if name := m.sig.Card().OutputName; name != "" {
		real = slices.DeleteFunc(real, func(p graph.Port) bool { return p.Name != name })
		if len(real) == 0 {
			return graph.Port{}, fault.Unsupportedf(msg.Sprintf("output %q", name),
				"the model card names it, but it holds no features (n, d) of real numbers")
		}
	}
	if len(real) == 1 {
		return real[0], nil
	}
	flat := slices.DeleteFunc(slices.Clone(real),
		func(p graph.Port) bool { return len(p.Shape) != 2 })
	if len(flat) == 1 {
		return flat[0], nil
	}
	var names []string
	for _, p := range real {
		names = append(names, msg.Sprintf("%q %s", p.Name, signature.ShapeText(&p.Value)))
	}
	return graph.Port{}, fault.Unsupportedf("graph outputs",
		"%d of them could be the features: %s; "+
			`name one as "output_name" in the model card of the encoder`, len(real), names)
}

// Info describes the model.
func (e *Encoder) Info() core.ModelInfo { return e.m.Info() }

// Card returns the merged model card. Its Patch states the size of patches.
func (e *Encoder) Card() Card { return e.m.Card() }

// Shape returns the shape of a picture, (channels, height, width), -1 for what the file leaves
// open, or nil if the file does not declare it.
func (e *Encoder) Shape() []int {
	return e.m.Info().InstanceShape()
}

// Encode returns the features of pictures, (instance, d), with the bag's name, boxes, slide and
// labels. A picture alone must give the features that it has among others, up to rounding: this is
// checked once, for the last picture of the first bag that has several. If a device encodes, the
// CPU computes the first and the last picture again, of the first bag of one picture and of the
// first that has several. If the features differ by more than 1e-4 of the largest, the CPU encodes
// this bag and all others.
//
// It returns a *core.BagError if the pictures do not fit the model's input, an *UnsupportedError if
// the output has no features of each picture or if pictures influence each other, a *RunError if a
// node cannot compute, and the cause when ctx ends.
func (e *Encoder) Encode(ctx context.Context, bag *core.Bag) (*core.Bag, error) {
	return e.EncodeWith(ctx, bag, nil)
}

// EncodeWith is Encode with helpers that share the pictures. Its result is the same. Helpers do
// their tasks by RunTask of an Encoder of the same file and options. pool may be nil.
func (e *Encoder) EncodeWith(
	ctx context.Context, bag *core.Bag, pool *Helpers,
) (out *core.Bag, err error) {
	defer fault.Rescue(&err)
	fitted, err := e.m.fit(bag)
	if err != nil {
		return nil, err
	}
	values, onDevice, err := e.run(ctx, fitted, pool)
	if err == nil {
		err = e.check(ctx, fitted, values, onDevice)
	}
	if errors.Is(err, errOtherFeatures) {
		e.m.encoder.Device.Lose(err.Error())
		return e.EncodeWith(ctx, bag, pool) // the device is lost: encode without it
	}
	if err != nil {
		return nil, fitted.SizeError(ctx, err)
	}
	k := bag.Len()
	features := make([]float32, len(values))
	for i, v := range values {
		features[i] = float32(v)
	}
	if at := tolerance.NonFinite(features); at >= 0 {
		d := len(features) / k
		return nil, &core.BagError{Bag: bag.Name, Reason: msg.Sprintf("the encoder returns %v as "+
			"feature %d of instance %d, counted from 0", features[at], at%d, at/d)}
	}
	return &core.Bag{Name: bag.Name, Shape: []int{len(features) / k}, Values: features,
		Boxes: bag.Boxes, Slide: bag.Slide, Noun: bag.Noun, Class: bag.Class,
		InstanceNames: bag.InstanceNames,
		Labels:        bag.Labels}, nil
}

// errOtherFeatures is the error of check if a device encoded wrongly.
var errOtherFeatures = errors.New("the CPU computes other features than it")

// check compares features (instance, d) with those of single pictures on the CPU: once for the CPU,
// and for a device once for one picture and once for several. It returns an *UnsupportedError if
// pictures influence each other, and errOtherFeatures if a device computed other features.
func (e *Encoder) check(
	ctx context.Context, bag signature.Fitted, values []float64, onDevice bool,
) error {
	k := bag.Len()
	checked, compared, within := &e.checked[0], []int{k - 1}, tolerance.For(k)
	if onDevice {
		checked, compared, within = &e.checked[1], []int{0, k - 1}, max(within, tolerance.Device)
		if k > 1 { // a picture alone does not show what a device computes of several
			checked = &e.checked[2]
		}
	}
	if checked.Load() || !onDevice && (k == 1 || e.single) {
		return nil
	}
	d := len(values) / k
	for _, i := range slices.Compact(compared) {
		alone, err := e.alone(ctx, bag.Part(i, i+1))
		if err != nil {
			return err
		}
		if tolerance.Within(alone, values[i*d:(i+1)*d], within) {
			continue
		}
		if onDevice {
			return errOtherFeatures
		}
		return e.refuse("the features of a picture depend on the other pictures; an " +
			"encoder must treat each alone: export the model in evaluation mode")
	}
	checked.Store(true)
	return nil
}

// alone returns the features of one picture, computed by the CPU.
func (e *Encoder) alone(ctx context.Context, picture signature.Fitted) ([]float64, error) {
	r := e.m.encoder.NewRunner()
	defer r.Close()
	if err := e.m.encoder.RunOnCPU(ctx, r, picture); err != nil {
		return nil, err
	}
	return e.featuresOf(r, picture)
}

// run returns the features of all pictures, one picture at a time if the file takes no more, and
// whether a device computed some of them.
func (e *Encoder) run(
	ctx context.Context, bag signature.Fitted, pool *Helpers,
) (values []float64, onDevice bool, err error) {
	if !e.single {
		return e.once(ctx, bag, pool)
	}
	for i := range bag.Len() {
		one, on, err := e.once(ctx, bag.Part(i, i+1), nil)
		if err != nil {
			return nil, false, err
		}
		values, onDevice = append(values, one...), onDevice || on
	}
	return values, onDevice, nil
}

// once runs the graph for pictures together.
func (e *Encoder) once(
	ctx context.Context, bag signature.Fitted, pool *Helpers,
) (values []float64, onDevice bool, err error) {
	f, err := e.m.encoder.Forward(ctx, bag, nil, pool, nil)
	if err != nil {
		return nil, false, err
	}
	defer f.Done()
	whole := f.Whole().Runner
	onDevice = offload.Encoded(whole)
	if onDevice || e.notes.Load() == nil {
		notes := e.m.encoder.Device.Notes(whole, "pictures")
		e.notes.Store(&notes)
	}
	values, err = e.featuresOf(f.Runner, bag)
	return values, onDevice, err
}

// featuresOf returns the features that a runner has computed.
func (e *Encoder) featuresOf(r *plan.Runner, bag signature.Fitted) ([]float64, error) {
	t := r.Value(e.output.ID)
	if err := e.checkFeatures(t, bag.Len()); err != nil {
		return nil, err
	}
	return t.Float64s()
}

// Notes says which device computed pictures, in sentences, or that it was lost. There are none
// before the first call of Encode, and none if no device was opened.
func (e *Encoder) Notes() []string {
	if lost := e.m.encoder.Device.LostNote(); lost != "" {
		return []string{lost}
	}
	if notes := e.notes.Load(); notes != nil {
		return *notes
	}
	return nil
}

// RunTask does a task of helpers, see [Model.RunTask].
func (e *Encoder) RunTask(ctx context.Context, task []byte) ([]byte, error) {
	return e.m.RunTask(ctx, task)
}

// checkFeatures returns an *UnsupportedError if a tensor does not hold features of k pictures.
func (e *Encoder) checkFeatures(t *tensor.Tensor, k int) error {
	if len(t.Shape) < 2 || t.Shape[0] != k || t.Len() == 0 {
		return e.refuse(msg.Sprintf("it has shape %v for %d pictures, but an encoder has features "+
			"(n, d)", t.Shape, k))
	}
	for _, d := range t.Shape[2:] {
		if d != 1 {
			return e.refuse(msg.Sprintf("it has shape %v for %d pictures: several vectors for "+
				"each; export the class token or the pooled features, (n, d), as an output",
				t.Shape, k))
		}
	}
	return nil
}

// refuse returns an *UnsupportedError about the output.
func (e *Encoder) refuse(reason string) error {
	return fault.Unsupportedf(msg.Sprintf("output %q", e.output.Name), "%s", msg.Text(reason))
}

// BatchSize returns how many pictures of a shape (channels, height, width) Encode should get at a
// time: enough to employ all goroutines, and at most as many as fit into bytes, at least 1.
func (e *Encoder) BatchSize(shape []int, bytes int64) int {
	n := 1
	for _, d := range shape {
		n *= max(d, 1)
	}
	most := min(bytes/4/int64(n), 16*int64(e.m.encoder.Workers))
	return int(max(1, most))
}

// PixelNotes says, in sentences, what the card of an encoder in a file of its own is from and
// cannot state, and what happens to raw pixels of pictures of a shape, (channels, height, width),
// if it states no preprocessing: whether the first layer takes them. Call it before many pictures
// are encoded.
func (e *Encoder) PixelNotes(shape []int) []string {
	return slices.Concat(e.card, e.m.sig.PixelNotes(shape))
}
