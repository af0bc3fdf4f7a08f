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
	return h.openedModel(m), nil
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
	o := onnxbackend.Options{Name: r.Name, Via: r.Via, Plain: r.Plain, Digest: h.config.Digest}
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
	return h.openedModel(e), nil
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
	return h.openedModel(m), nil
}

// openFile opens the model file of a request with some weights shuffled.
func (h *Host) openFile(
	ctx context.Context, r wire.OpenModelFile, weights onnxbackend.Randomize,
) (*onnxbackend.Model, error) {
	o := onnxbackend.Options{Name: r.Name, Via: r.Via, Plain: r.Plain,
		Limits: modelLimits(r.Limits), Randomize: weights}
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

// openedModel stores a model under a new handle and returns its description.
func (h *Host) openedModel(m ask.Described) wire.ModelOpened {
	card := m.Card()
	return wire.ModelOpened{Handle: h.handles.add(m), Info: m.Info(), Patch: card.Patch,
		Preprocess: card.Preprocess, Encoder: card.Encoder,
		Columns: card.Columns.String()}
}

// predict returns the prediction for a bag without the given instances. It does not wait in the
// queue, so that predictions stay quick during an explanation.
func (h *Host) predict(ctx context.Context, id uint32, r wire.Predict) (any, error) {
	defer h.closePool(id)
	// Large bags are encoded with helpers.
	_, in, err := h.input(ctx, id, target{r.Model, r.Bag, r.Without, r.Watch},
		h.helpers(id, r.Helpers, r.Eager))
	if err != nil {
		return nil, err
	}
	p, read, err := ask.Scores(ctx, in, word(r.Output))
	if err != nil {
		return nil, err
	}
	return wire.Predicted{Raw: *p, Read: read}, nil
}
