package suffix

import (
	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
	"github.com/bagscope/bagscope/onnxbackend/signature"
)

// Embeddings returns the boundary values of each instance, one after another, shaped (instance,
// width), which it reserves in m before. Values that no tensor holds, or that are not of float32,
// are left out; width is 0 if all are.
func (s *Suffix) Embeddings(m *quota.Memory) (values []float32, width int, err error) {
	var parts []BoundaryValue
	for _, b := range s.Boundary {
		if b.Fixed || b.Sizes || b.Bag != nil || b.Form != signature.NoRelation ||
			b.Value.Type != tensor.Float32 {
			continue
		}
		parts = append(parts, b)
		width += b.Value.Len() / s.instances
	}
	if err := m.Reserve(4*int64(s.instances)*int64(width), "the embeddings"); err != nil {
		return nil, 0, err
	}
	values = make([]float32, s.instances*width)
	first := 0
	for _, b := range parts {
		outer, k, inner := tensor.Split(b.Value.Shape, b.Axis)
		from := tensor.Of[float32](b.Value)
		for o := range outer {
			for i := range k {
				copy(values[i*width+first+o*inner:], from[(o*k+i)*inner:(o*k+i+1)*inner])
			}
		}
		first += outer * inner
	}
	return values, width, nil
}
