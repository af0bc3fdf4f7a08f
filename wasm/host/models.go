package host

import (
	"context"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/wasm/wire"
)

// openModel opens a model with its card and its external files.
func (h *Host) openModel(r wire.OpenModel) (any, error) {
	m, err := h.openBytes(r, onnxbackend.Randomize{})
	if err != nil {
		return nil, err
	}
	return wire.ModelOpened{Handle: h.handles.add(m), Info: modelInfo(m)}, nil
}

// openBytes opens the model of a request with some weights shuffled.
func (h *Host) openBytes(
	r wire.OpenModel, weights onnxbackend.Randomize,
) (*onnxbackend.Model, error) {
	o, err := h.modelOptions(r)
	if err != nil {
		return nil, err
	}
	o.Randomize = weights
	return onnxbackend.Open(r.Bytes, o)
}

// modelOptions returns the options of a request that opens a model.
func (h *Host) modelOptions(r wire.OpenModel) (onnxbackend.Options, error) {
	// JavaScript computes the hash of the file, which is faster there.
	o := onnxbackend.Options{Name: r.Name, Plain: r.Plain, Digest: h.config.Digest}
	if r.Card != "" {
		o.Card = []byte(r.Card)
	}
	external, err := byName(r.External)
	if err != nil {
		return o, err
	}
	o.External = onnxbackend.ExternalFiles(external)
	o.Limits = modelLimits(r.Limits)
	o.Device, o.DeviceAlways, err = h.device()
	return o, err
}

// openEncoder opens a model that turns pictures into features.
func (h *Host) openEncoder(r wire.OpenEncoder) (any, error) {
	o, err := h.modelOptions(wire.OpenModel{Name: r.Name, Card: r.Card, Limits: r.Limits,
		External: r.External})
	if err != nil {
		return nil, err
	}
	e, err := onnxbackend.OpenEncoder(r.Bytes, o)
	if err != nil {
		return nil, err
	}
	return wire.ModelOpened{Handle: h.handles.add(e), Info: modelInfo(e)}, nil
}

// openModelFile opens a model by the path of its file.
func (h *Host) openModelFile(ctx context.Context, r wire.OpenModelFile) (any, error) {
	if h.config.System == nil {
		return nil, &noFilesError{"a model by its path"}
	}
	m, err := h.openFile(ctx, r, onnxbackend.Randomize{})
	if err != nil {
		return nil, err
	}
	return wire.ModelOpened{Handle: h.handles.add(m), Info: modelInfo(m)}, nil
}

// openFile opens the model file of a request with some weights shuffled.
func (h *Host) openFile(
	ctx context.Context, r wire.OpenModelFile, weights onnxbackend.Randomize,
) (*onnxbackend.Model, error) {
	o := onnxbackend.Options{Name: r.Name, Plain: r.Plain, Limits: modelLimits(r.Limits),
		Randomize: weights}
	if r.Card != "" {
		o.Card = []byte(r.Card)
	}
	return h.config.System.OpenModel(ctx, r.Path, o)
}

// modelLimits returns the limits of a request, nil for the defaults.
func modelLimits(l *wire.ModelLimits) onnxbackend.Limits {
	if l == nil {
		return onnxbackend.Limits{}
	}
	return onnxbackend.Limits{ModelBytes: l.ModelBytes, Elements: l.Elements,
		RunBytes: l.RunBytes, Nodes: l.Nodes, Depth: l.Depth, LoopTrips: l.LoopTrips,
		Work: l.Work}
}

// byName returns the bytes of files by name, or a *core.SettingError if two files have the same
// name.
func byName(files []wire.File) (map[string][]byte, error) {
	m := make(map[string][]byte, len(files))
	for _, f := range files {
		// The model refers to its files by name.
		if _, twice := m[f.Name]; twice {
			return nil, &core.SettingError{Setting: "external",
				Reason: msg.Sprintf("two files are called %q", f.Name)}
		}
		m[f.Name] = f.Bytes
	}
	return m, nil
}

// model returns the open model with a handle.
func (h *Host) model(handle int) (*onnxbackend.Model, error) {
	return find[*onnxbackend.Model](&h.handles, handle, "model")
}

// described is what modelInfo needs of a model or an encoder.
type described interface {
	Info() core.ModelInfo
	Card() onnxbackend.Card
}

// modelInfo returns the description of a model for the client.
func modelInfo(m described) wire.ModelInfo {
	i := m.Info()
	out := wire.ModelInfo{
		Name: i.Name, SHA256: i.SHA256, Opset: i.Opset,
		Inputs: tensorInfos(i.Inputs), Outputs: tensorInfos(i.Outputs),
		Operators: i.Operators, Parameters: i.Parameters,
		Input: i.Input, InstanceAxis: i.InstanceAxis, Output: i.Output,
		Classes: i.Classes, Negative: i.Negative, Scale: string(i.Scale),
		Heads: listOf(i.Heads, func(h core.Head) wire.Head {
			return wire.Head{Name: h.Name, Kind: string(h.Kind), Classes: h.Classes,
				Scale: string(h.Scale), Negative: h.Negative, Unit: string(h.Unit)}
		}),
		Inherent: i.Inherent, Notes: i.Notes,
		Truth: listOf(i.Truth, func(t core.Truth) wire.Truth { return wire.Truth(t) }),
	}
	out.Encoder = m.Card().Encoder
	// Pages show the patch size before a picture is read.
	if p := m.Card().Patch; p != nil {
		out.Microns = p.Microns
		out.Patch = &wire.Patch{Size: p.Size, Stride: p.Stride, Background: background(p)}
	}
	if p := m.Card().Preprocess; p != nil {
		out.Preprocess = &wire.Preprocess{Scale: p.Scale, Mean: p.Mean, Std: p.Std}
	}
	return out
}

// tensorInfos returns inputs or outputs for JavaScript.
func tensorInfos(list []core.TensorInfo) []wire.TensorInfo {
	return listOf(list, func(t core.TensorInfo) wire.TensorInfo { return wire.TensorInfo(t) })
}

// listOf converts each element of a list.
func listOf[T, U any](list []T, convert func(T) U) []U {
	out := make([]U, len(list))
	for i, v := range list {
		out[i] = convert(v)
	}
	return out
}

// predict returns the prediction for a bag without the given instances. It does not wait in the
// queue, so that predictions stay quick during an explanation.
func (h *Host) predict(ctx context.Context, id uint32, r wire.Predict) (any, error) {
	defer h.closePool(id)
	// Large bags are encoded with helpers.
	_, in, err := h.input(id, target{r.Model, r.Bag, r.Without, r.Watch},
		h.helpers(id, r.Helpers, r.Eager))
	if err != nil {
		return nil, err
	}
	p, read, err := ask.Scores(ctx, in, word(r.Output))
	if err != nil {
		return nil, err
	}
	return predicted(p, read), nil
}

// predicted returns a prediction for the client.
func predicted(p *onnxbackend.Prediction, read core.Reading) wire.Predicted {
	return wire.Predicted{
		Prediction: read.Values, Output: string(read.Output),
		Units: listOf(read.Units, func(u core.Unit) string { return string(u) }),
		Curves: listOf(p.Curves, func(c onnxbackend.Curve) wire.Curve {
			return wire.Curve{Class: c.Class, Unit: string(c.Unit), Edges: c.Edges,
				Survival: c.Survival}
		}),
		Scores: p.Scores, Scale: string(p.Scale), Classes: p.Classes, Notes: p.Notes,
		Outputs: listOf(p.Outputs, func(t onnxbackend.Output) wire.Tensor {
			return wire.Tensor{Name: t.Name, Type: t.Type, Shape: t.Shape, Data: t.Data}
		}),
	}
}
