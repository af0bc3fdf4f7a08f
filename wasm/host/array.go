package host

import (
	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/wasm/wire"
)

// readArray makes a bag of an array, whose bytes are in the message or in a file.
func (h *Host) readArray(r wire.ReadArray) (any, error) {
	o, err := h.bagOptions(wire.ReadBags{InstanceShape: r.InstanceShape, Model: r.Model,
		Limits: r.Limits})
	if err != nil {
		return nil, err
	}
	data, b, err := h.bytesOf(r.Values)
	if err != nil {
		return nil, err
	}
	raw := bagio.Raw{Type: r.Type, Shape: r.Shape, Data: data}
	if r.Labels != nil {
		raw.Labels = append([]int{}, *r.Labels...)
	}
	if r.Places != nil {
		raw.Places = append([]float64{}, *r.Places...)
	}
	if s := r.Slide; s != nil {
		raw.Slide = &core.Slide{Width: s.Width, Height: s.Height, Magnification: s.Magnification,
			MPP: s.MPP, PatchSize: s.PatchSize}
	}
	set, err := bagio.ReadRaw(r.Name, raw, o)
	if err != nil {
		h.drop(b)
		return nil, err
	}
	return h.bagsRead(set, b), nil
}

// bytesOf returns the bytes of a block of a message, and the mapped memory if they lie in a file.
func (h *Host) bytesOf(w wire.Block) ([]byte, *block, error) {
	if w.Path == "" {
		return w.Bytes, nil, nil
	}
	if h.config.System == nil {
		return nil, nil, &noFilesError{"an array by the path of its file"}
	}
	data, release, err := h.config.System.Map(w.Path, w.Offset, w.Length)
	if err != nil {
		return nil, nil, err
	}
	return data, &block{users: 1, release: release}, nil
}
