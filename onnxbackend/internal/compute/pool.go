package compute

import (
	"fmt"
	"math"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// NewMaxPool makes MaxPool. Its second output holds where in the whole tensor each maximum lies;
// with storage_order 1 the places are counted column by column in each picture.
func NewMaxPool(n *Node) (Func, error) {
	win, columns := newWindow(n), n.Int("storage_order", 0) != 0
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		p, err := pooling(m, win, out[0], in[0])
		if err != nil {
			return err
		}
		var places []int64
		if len(out) > 1 {
			if err := m.Alloc(out[1], tensor.Int64, out[0].Shape...); err != nil {
				return err
			}
			places = tensor.Of[int64](out[1])
		}
		// The places are converted after they have been written.
		if columns {
			defer p.byColumns(places)
		}
		switch in[0].Type {
		case tensor.Float32:
			// Windows inside the picture need no table of positions.
			if places == nil && p.insidePlane() {
				return maxPlanes(m, p, tensor.Of[float32](out[0]), tensor.Of[float32](in[0]))
			}
			return maxPool[float32](m, p, out[0], in[0], places)
		case tensor.Float64:
			return maxPool[float64](m, p, out[0], in[0], places)
		case tensor.Int8:
			return maxPool[int8](m, p, out[0], in[0], places)
		case tensor.Uint8:
			return maxPool[uint8](m, p, out[0], in[0], places)
		}
		return typeError(in[0].Type)
	}, nil
}

// pooling places a window over the pictures of x and allocates the output: (batch, channel,
// spatial...) with the sizes that the window gives.
func pooling(m *machine.Machine, win window, out, x *tensor.Tensor) (placed, error) {
	p, err := win.overPictures(x)
	if err != nil {
		return p, err
	}
	return p, allocate(m, out, x.Type, append([]int{x.Shape[0], x.Shape[1]}, p.out...)...)
}

// overPictures places the window of a pool over x (batch, channel, spatial...).
func (w window) overPictures(x *tensor.Tensor) (placed, error) {
	if x.Rank() < 3 {
		return placed{}, msg.Errorf("shape %v has no spatial dimensions", x.Shape)
	}
	if w.kernel == nil {
		return placed{}, fmt.Errorf("kernel_shape is missing")
	}
	return w.over(x.Shape[2:])
}

// eachPlane calls f for each channel of each picture with its elements and those of the result.
// from is the table of p; work is the cost of a tap.
func eachPlane[T tensor.Number](
	m *machine.Machine, p placed, from []int32, work int, src, dst []T,
	f func(plane int, picture, result []T),
) error {
	size, positions := elements(p.in), p.positions()
	for c := range len(dst) / positions {
		if err := m.Tick(work * len(from)); err != nil {
			return err
		}
		f(c, src[c*size:(c+1)*size], dst[c*positions:(c+1)*positions])
	}
	return nil
}

// maxPool writes the maximum of each window, and its place if places is not nil. NaN wins over all
// numbers.
func maxPool[T tensor.Number](
	m *machine.Machine, p placed, out, x *tensor.Tensor, places []int64,
) error {
	from, err := p.table(m)
	if err != nil {
		return err
	}
	work := func(c int, picture, row []T) {
		for j := range row {
			best, at := T(0), int32(-1)
			for t := j; t < len(from); t += len(row) {
				if q := from[t]; q >= 0 && (at < 0 || picture[q] > best ||
					picture[q] != picture[q]) {
					best, at = picture[q], q
				}
			}
			row[j] = best
			if places != nil {
				places[c*len(row)+j] = int64(c*len(picture)) + int64(at)
			}
		}
	}
	return eachPlane(m, p, from, 1, tensor.Of[T](x), tensor.Of[T](out), work)
}

// byColumns converts places that are counted row by row to the order in which the first spatial
// dimension is the fastest.
func (p placed) byColumns(places []int64) {
	size := elements(p.in)
	for i, at := range places {
		rest, to := int(at)%size, 0
		for d := len(p.in) - 1; d >= 0; d-- {
			to = to*p.in[d] + rest%p.in[d]
			rest /= p.in[d]
		}
		places[i] += int64(to - int(at)%size)
	}
}

// NewAveragePool makes AveragePool. With count_include_pad the padding counts as zeros.
func NewAveragePool(n *Node) (Func, error) {
	win, padding := newWindow(n), n.Int("count_include_pad", 0) != 0
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		p, err := pooling(m, win, out[0], in[0])
		if err != nil {
			return err
		}
		switch in[0].Type {
		case tensor.Float32:
			return averagePool[float32](m, p, out[0], in[0], padding)
		case tensor.Float64:
			return averagePool[float64](m, p, out[0], in[0], padding)
		}
		return typeError(in[0].Type)
	}, nil
}

// averagePool writes the average of each window. Sums are float64 for both types.
func averagePool[T float32 | float64](
	m *machine.Machine, p placed, out, x *tensor.Tensor, padding bool,
) error {
	from, err := p.table(m)
	if err != nil {
		return err
	}
	counts, err := machine.Scratch[float64](m, p.positions())
	if err != nil {
		return err
	}
	p.counts(counts, from, padding)
	average := func(_ int, picture, row []T) {
		for j := range row {
			sum := 0.0
			for t := j; t < len(from); t += len(row) {
				if q := from[t]; q >= 0 {
					sum += float64(picture[q])
				}
			}
			row[j] = T(sum / counts[j])
		}
	}
	return eachPlane(m, p, from, 1, tensor.Of[T](x), tensor.Of[T](out), average)
}

// counts writes what each window's sum is divided by: the number of its elements in the picture, or
// with padding in the padded picture. The surplus that ceil_mode adds never counts.
func (p placed) counts(dst []float64, from []int32, padding bool) {
	pos := make([]int, len(p.out))
	for j := range dst {
		n := 0
		for t := j; t < len(from); t += len(dst) {
			if from[t] >= 0 {
				n++
			}
		}
		if padding {
			n = 1
			for i, at := range pos {
				start := at * p.strides[i]
				inside := (p.in[i] + p.pads[i] + p.pads[i+len(pos)] - start +
					p.dilations[i] - 1) / p.dilations[i]
				n *= min(p.kernel[i], inside)
			}
		}
		dst[j] = float64(n)
		advance(pos, p.out)
	}
}

// NewGlobalAveragePool makes GlobalAveragePool: the mean of each channel of each picture.
func NewGlobalAveragePool(*Node) (Func, error) { return globalPooling(false), nil }

// NewGlobalMaxPool makes GlobalMaxPool: the maximum of each channel of each picture.
func NewGlobalMaxPool(*Node) (Func, error) { return globalPooling(true), nil }

// globalPooling returns the function of GlobalMaxPool if largest is true, else of
// GlobalAveragePool. Spatial dimensions stay, with one place each.
func globalPooling(largest bool) Func {
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		x := in[0]
		if x.Rank() < 2 {
			return msg.Errorf("shape %v has no channels", x.Shape)
		}
		shape := append([]int{}, x.Shape...)
		fill(shape[2:], 1)
		if err := allocate(m, out[0], x.Type, shape...); err != nil {
			return err
		}
		switch x.Type {
		case tensor.Float32:
			return globalPool[float32](m, out[0], x, largest)
		case tensor.Float64:
			return globalPool[float64](m, out[0], x, largest)
		}
		return typeError(x.Type)
	}
}

// globalPool writes the mean or the maximum of each channel. The mean is summed in float64.
func globalPool[T float32 | float64](
	m *machine.Machine, out, x *tensor.Tensor, largest bool,
) error {
	src, dst := tensor.Of[T](x), tensor.Of[T](out)
	size := elements(x.Shape[2:])
	for c := range dst {
		if err := m.Tick(size); err != nil {
			return err
		}
		channel := src[c*size : (c+1)*size]
		if !largest {
			dst[c] = T(sumOf[T, float64](channel) / float64(size))
			continue
		}
		top := T(math.Inf(-1))
		for _, v := range channel {
			top = max(top, v)
		}
		dst[c] = top
	}
	return nil
}
