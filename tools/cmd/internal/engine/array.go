package engine

import (
	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/wasm/wire"
)

// ReadArray makes a bag of an array. The bag shares the memory of a file that the request names.
func (f files) ReadArray(
	r wire.ReadArray, o bagio.Options,
) (set *bagio.Set, release func(), err error) {
	raw := bagio.Raw{Type: r.Type, Shape: r.Shape, Data: r.Values.Bytes}
	if r.Values.Path != "" {
		raw.Data, release, err = f.Map(r.Values.Path, r.Values.Offset, r.Values.Length)
		if err != nil {
			return nil, nil, err
		}
	}
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
	set, err = bagio.ReadRaw(r.Name, raw, o)
	if err != nil && release != nil {
		release()
	}
	return set, release, err
}
