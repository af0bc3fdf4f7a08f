package engine

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/wasm/wire"
)

// ReadArray makes a bag of an array. The bag shares the memory of a file that the request names.
func (f files) ReadArray(
	r wire.ReadArray, o bagio.Options,
) (set *bagio.Set, release func(), err error) {
	raw := bagio.Raw{Type: r.Type, Shape: r.Shape, Data: r.Values.Bytes, Slide: r.Slide}
	if r.Values.Path != "" {
		raw.Data, release, err = f.Map(r.Values.Path, r.Values.Offset, r.Values.Length)
		if err != nil {
			return nil, nil, err
		}
	}
	if r.Places != nil {
		raw.Places = append([]float64{}, *r.Places...)
	}
	if r.Relations != nil {
		raw.Relations, err = f.relations(r.Relations)
	}
	if err == nil {
		set, err = bagio.ReadRaw(r.Name, raw, o)
	}
	if err != nil && release != nil {
		release()
	}
	return set, release, err
}

// relations reads the relations of an array. A matrix is copied, because the file that it is mapped
// from belongs to the request.
func (f files) relations(r *wire.Relations) (*core.Relations, error) {
	if r.Matrix != nil {
		data := r.Matrix.Bytes
		if r.Matrix.Path != "" {
			mapped, release, err := f.Map(r.Matrix.Path, r.Matrix.Offset, r.Matrix.Length)
			if err != nil {
				return nil, err
			}
			defer release()
			data = mapped
		}
		values := make([]float32, len(data)/4)
		for i := range values {
			values[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
		}
		return &core.Relations{Dense: values}, nil
	}
	if len(r.From) != len(r.To) || len(r.From) != len(r.Weights) {
		return nil, &core.SettingError{Setting: "adjacency", Reason: fmt.Sprintf("%d edges begin, "+
			"%d end and %d have a weight; the three numbers must be equal", len(r.From), len(r.To),
			len(r.Weights))}
	}
	edges := make([]core.Edge, len(r.From))
	for e := range edges {
		from, to := r.From[e], r.To[e]
		if min(from, to) < 0 || max(from, to) > math.MaxInt32 {
			return nil, &core.SettingError{Setting: "adjacency", Reason: fmt.Sprintf("edge %d "+
				"joins instances %d and %d; they are counted from 0", e, from, to)}
		}
		edges[e] = core.Edge{From: int32(from), To: int32(to), Weight: float32(r.Weights[e])}
	}
	return &core.Relations{Edges: edges}, nil
}
