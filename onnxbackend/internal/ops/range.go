package ops

import (
	"fmt"
	"math"

	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

func newRange(*Node) (Func, error) {
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		var v [3]float64
		for i, t := range in {
			if t.Type != in[0].Type {
				return mixedError(in[0].Type, t.Type)
			}
			if t.Type == tensor.Int64 || t.Type == tensor.Int32 || t.Type.Float() {
				var err error
				if v[i], err = scalar(t); err != nil {
					return err
				}
				continue
			}
			return typeError(t.Type)
		}
		count := math.Ceil((v[1] - v[0]) / v[2])
		if v[2] == 0 || math.IsNaN(count) || count > 1<<40 {
			return fmt.Errorf("a range from %v to %v in steps of %v has no end", v[0], v[1], v[2])
		}
		n := int(max(0, count))
		if err := m.Alloc(out[0], in[0].Type, n); err != nil {
			return err
		}
		if err := m.Tick(n); err != nil {
			return err
		}
		switch in[0].Type {
		case tensor.Float32:
			ramp(tensor.Of[float32](out[0]), float32(v[0]), float32(v[2]))
		case tensor.Float64:
			ramp(tensor.Of[float64](out[0]), v[0], v[2])
		case tensor.Int64:
			ramp(tensor.Of[int64](out[0]), int64(v[0]), int64(v[2]))
		case tensor.Int32:
			ramp(tensor.Of[int32](out[0]), int32(v[0]), int32(v[2]))
		}
		return nil
	}, nil
}

func ramp[T tensor.Number](dst []T, start, step T) {
	for i := range dst {
		dst[i] = start + T(i)*step
	}
}
