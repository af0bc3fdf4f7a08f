package host

import (
	"context"
	"fmt"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/wasm/wire"
)

func (h *Host) openModel(r wire.OpenModel) (any, error) {
	o := onnxbackend.Options{Name: r.Name, Plain: r.Plain, Digest: h.config.Digest}
	if r.Card != "" {
		o.Card = []byte(r.Card)
	}
	external, err := byName(r.External)
	if err != nil {
		return nil, err
	}
	o.External = onnxbackend.ExternalFiles(external)
	if r.Limits != nil {
		o.Limits = onnxbackend.Limits(*r.Limits)
	}
	if o.Device, o.DeviceAlways, err = h.device(); err != nil {
		return nil, err
	}
	m, err := onnxbackend.Open(r.Bytes, o)
	if err != nil {
		return nil, err
	}
	return wire.ModelOpened{Handle: h.handles.add(m), Info: modelInfo(m)}, nil
}

// byName returns the bytes of files by name, or a *core.SettingError if two files have the same
// name.
func byName(files []wire.File) (map[string][]byte, error) {
	m := make(map[string][]byte, len(files))
	for _, f := range files {
		if _, twice := m[f.Name]; twice {
			return nil, &core.SettingError{Setting: "external",
				Reason: fmt.Sprintf("two files are called %q", f.Name)}
		}
		m[f.Name] = f.Bytes
	}
	return m, nil
}

func (h *Host) model(handle int) (*onnxbackend.Model, error) {
	return find[*onnxbackend.Model](&h.handles, handle, "model")
}

func modelInfo(m *onnxbackend.Model) wire.ModelInfo {
	i := m.Info()
	out := wire.ModelInfo{
		Name: i.Name, SHA256: i.SHA256, Opset: i.Opset,
		Inputs: tensorInfos(i.Inputs), Outputs: tensorInfos(i.Outputs),
		Operators: i.Operators, Parameters: i.Parameters,
		Input: i.Input, InstanceAxis: i.InstanceAxis, Output: i.Output,
		Classes: i.Classes, Negative: i.Negative, Scale: string(i.Scale),
		Inherent: i.Inherent, Notes: i.Notes,
	}
	for _, t := range i.Truth {
		out.Truth = append(out.Truth, wire.Truth(t))
	}
	if p := m.Card().Patch; p != nil {
		out.Patch = &wire.Patch{Size: p.Size, Stride: p.Stride, Background: background(p)}
	}
	if p := m.Card().Preprocess; p != nil {
		out.Preprocess = &wire.Preprocess{Scale: p.Scale, Mean: p.Mean, Std: p.Std}
	}
	return out
}

func tensorInfos(list []core.TensorInfo) []wire.TensorInfo {
	out := make([]wire.TensorInfo, len(list))
	for n, t := range list {
		out[n] = wire.TensorInfo(t)
	}
	return out
}

// predict returns the prediction for a bag without the given instances.
func (h *Host) predict(ctx context.Context, id uint32, r wire.Predict) (any, error) {
	m, err := h.model(r.Model)
	if err != nil {
		return nil, err
	}
	b, err := h.bag(r.Bag)
	if err != nil {
		return nil, err
	}
	bag, _, err := without(b.bag, r.Without)
	if err != nil {
		return nil, err
	}
	crew := h.crew(id, r.Helpers, r.Eager)
	defer h.disband(id)
	p, err := m.PredictWith(ctx, bag, crew, h.encoding(id, r.Watch))
	if err != nil {
		return nil, err
	}
	prediction, output, err := p.Scale.Prediction(slices.Clone(p.Scores), core.Output(r.Output))
	if err != nil {
		return nil, err
	}
	out := wire.Predicted{
		Prediction: prediction, Output: string(output),
		Scores: p.Scores, Scale: string(p.Scale), Classes: p.Classes, Notes: p.Notes,
	}
	for _, t := range p.Outputs {
		out.Outputs = append(out.Outputs, wire.Tensor{Name: t.Name, Type: t.Type, Shape: t.Shape,
			Data: t.Data})
	}
	return out, nil
}
