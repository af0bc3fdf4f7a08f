package compute

import (
	"fmt"
	"math"
	"slices"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// areFloats reports whether tensors, of which some may be nil, hold float64. It returns an error
// unless all hold float64 or all hold float32.
func areFloats(ts ...*tensor.Tensor) (is64 bool, err error) {
	if err = sameType(ts...); err == nil && !ts[0].Type.Float() {
		err = typeError(ts[0].Type)
	}
	return ts[0].Type == tensor.Float64, err
}

// NewBatchNormalization makes BatchNormalization with the stored mean and variance (Ioffe and
// Szegedy, 2015, algorithm 2). Training mode and normalisation by pixel are errors.
func NewBatchNormalization(n *Node) (Func, error) {
	if n.Int("training_mode", 0) != 0 || n.Outputs > 1 {
		return nil, fmt.Errorf(
			"it is in training mode, and this engine only runs inference; export the " +
				"model in evaluation mode")
	}
	if n.Int("spatial", 1) != 1 {
		return nil, fmt.Errorf(
			"spatial=0 is not computed by this engine; export with opset 9 or newer")
	}
	epsilon := float64(n.Float("epsilon", 1e-5))
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		x := in[0]
		is64, err := areFloats(in...)
		if err != nil {
			return err
		}
		if x.Rank() < 2 {
			return msg.Errorf("shape %v has no channels", x.Shape)
		}
		outer, channels, inner := splitAt(x.Shape, 1)
		for _, p := range in[1:] {
			if p.Len() != channels {
				return msg.Errorf("a parameter of shape %v does not match %d channels", p.Shape,
					channels)
			}
		}
		if is64 {
			return batch64(m, out[0], in, channels, inner, epsilon)
		}
		if err := m.Alloc(out[0], x.Type, x.Shape...); err != nil {
			return err
		}
		src, dst := tensor.Of[float32](x), tensor.Of[float32](out[0])
		scale, bias := tensor.Of[float32](in[1]), tensor.Of[float32](in[2])
		mean, variance := tensor.Of[float32](in[3]), tensor.Of[float32](in[4])
		coef, err := machine.Scratch[float32](m, 2*channels)
		if err != nil {
			return err
		}
		// Scale and shift are combined once for each channel, in float64, which leaves one
		// multiplication and one addition for each element.
		for c := range channels {
			s := float64(scale[c]) / math.Sqrt(float64(variance[c])+epsilon)
			coef[2*c], coef[2*c+1] = float32(s), float32(float64(bias[c])-float64(mean[c])*s)
		}
		for i := range outer * channels {
			if err := m.Tick(inner); err != nil {
				return err
			}
			c := i % channels
			s, t, to := coef[2*c], coef[2*c+1], dst[i*inner:(i+1)*inner]
			for j, v := range src[i*inner : (i+1)*inner] {
				to[j] = v*s + t
			}
		}
		return nil
	}, nil
}

// moments returns mean and variance of values, summed in float64, in four chains as by sumOf. Two
// passes avoid the cancellation of E[x²] - E[x]².
func moments(values []float32) (mean, variance float64) {
	n := float64(len(values))
	mean = sumOf[float32, float64](values) / n
	var a, b, c, d float64
	for ; len(values) >= 4; values = values[4:] {
		p, q := float64(values[0])-mean, float64(values[1])-mean
		r, s := float64(values[2])-mean, float64(values[3])-mean
		a, b, c, d = a+p*p, b+q*q, c+r*r, d+s*s
	}
	for _, v := range values {
		p := float64(v) - mean
		a += p * p
	}
	return mean, ((a + b) + (c + d)) / n
}

// NewInstanceNormalization makes InstanceNormalization, which normalises each channel of each
// picture (Ulyanov et al., 2016). It is group normalisation with one channel in a group. Scale and
// bias are inputs, one for each channel.
func NewInstanceNormalization(n *Node) (Func, error) {
	epsilon := float64(n.Float("epsilon", 1e-5))
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		x := in[0]
		if _, err := areFloats(in...); err != nil {
			return err
		}
		if x.Rank() < 3 || in[1].Len() != x.Shape[1] || in[2].Len() != x.Shape[1] {
			return msg.Errorf("parameters of shapes %v and %v do not match pictures of shape %v",
				in[1].Shape, in[2].Shape, x.Shape)
		}
		return normalizeGroups(m, out[0], x, in[1], in[2], x.Shape[1], epsilon, false)
	}, nil
}

// NewGroupNormalization makes GroupNormalization (Wu and He, 2018). Scale and bias belong to groups
// before version 21 and to channels since.
func NewGroupNormalization(n *Node) (Func, error) {
	epsilon, groups := float64(n.Float("epsilon", 1e-5)), n.Int("num_groups", 1)
	byGroup := n.Opset < 21
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		x := in[0]
		if _, err := areFloats(in...); err != nil {
			return err
		}
		count := groups
		if x.Rank() < 2 || x.Shape[1]%groups != 0 {
			return msg.Errorf("%d groups do not divide shape %v", groups, x.Shape)
		}
		if !byGroup {
			count = x.Shape[1]
		}
		if in[1].Len() != count || in[2].Len() != count {
			return msg.Errorf("parameters of shapes %v and %v do not match", in[1].Shape,
				in[2].Shape)
		}
		return normalizeGroups(m, out[0], x, in[1], in[2], groups, epsilon, byGroup)
	}, nil
}

// normalizeGroups normalises groups of channels of each picture. Scale and bias are per channel, or
// per group with byGroup.
func normalizeGroups(
	m *machine.Machine, out, x, scale, bias *tensor.Tensor, groups int, epsilon float64,
	byGroup bool,
) error {
	if x.Type == tensor.Float64 {
		_, channels, inner := splitAt(x.Shape, 1)
		return normalize64(m, out, x, tensor.Of[float64](scale), tensor.Of[float64](bias),
			channels/groups*inner, epsilon, false, func(i int) int {
				c := i / inner % channels
				if byGroup {
					return c / (channels / groups)
				}
				return c
			})
	}
	if err := m.Alloc(out, x.Type, x.Shape...); err != nil {
		return err
	}
	src, dst := tensor.Of[float32](x), tensor.Of[float32](out)
	s, b := tensor.Of[float32](scale), tensor.Of[float32](bias)
	outer, channels, inner := splitAt(x.Shape, 1)
	each := channels / groups
	for i := range outer * groups {
		if err := m.Tick(4 * each * inner); err != nil {
			return err
		}
		part := src[i*each*inner : (i+1)*each*inner]
		mean, variance := moments(part)
		r := 1 / math.Sqrt(variance+epsilon)
		for j, v := range part {
			// The parameter of an element is that of its channel, or of its group.
			at := i%groups*each + j/inner
			if byGroup {
				at = i % groups
			}
			dst[i*each*inner+j] = float32((float64(v)-mean)*r)*s[at] + b[at]
		}
	}
	return nil
}

// NewLayerNormalization makes LayerNormalization (Ba et al., 2016).
func NewLayerNormalization(n *Node) (Func, error) { return buildLayerNormalization(n, false) }

// NewRMSNormalization makes RMSNormalization, which does not subtract the mean (Zhang and Sennrich,
// 2019).
func NewRMSNormalization(n *Node) (Func, error) { return buildLayerNormalization(n, true) }

// buildLayerNormalization makes LayerNormalization and RMSNormalization, over all dimensions from
// the axis on. Further outputs are the mean and 1/√(variance + epsilon), in float32.
func buildLayerNormalization(n *Node, rms bool) (Func, error) {
	epsilon := float64(n.Float("epsilon", 1e-5))
	return withAxis(n, -1, func(m *machine.Machine, in, out []*tensor.Tensor, a int) error {
		x, scale, bias := in[0], in[1], given(in, 2)
		is64, err := areFloats(x, scale, bias)
		if err != nil {
			return err
		}
		rows, size := elements(x.Shape[:a]), elements(x.Shape[a:])
		// The statistics have one place in each dimension that is normalised over.
		stats := append(m.Ints(x.Rank())[:0], x.Shape...)
		fill(stats[a:], 1)
		for _, y := range out[1:] {
			if err := allocate(m, y, tensor.Float32, stats...); err != nil {
				return err
			}
		}
		if is64 {
			return layer64(m, out, x, scale, bias, x.Shape[a:], epsilon, rms)
		}
		if err := m.Alloc(out[0], tensor.Float32, x.Shape...); err != nil {
			return err
		}
		s, err := parameterFor[float32](m, scale, x.Shape[a:])
		if err != nil {
			return err
		}
		b, err := parameterFor[float32](m, bias, x.Shape[a:])
		if err != nil {
			return err
		}
		src, dst := tensor.Of[float32](x), tensor.Of[float32](out[0])
		for i := range rows {
			if err := m.Tick(4 * size); err != nil {
				return err
			}
			row, to := src[i*size:(i+1)*size], dst[i*size:(i+1)*size]
			mean, variance := moments(row)
			if rms {
				// The mean of squares is the variance plus the squared mean.
				mean, variance = 0, variance+mean*mean
			}
			r := 1 / math.Sqrt(variance+epsilon)
			for j, v := range row {
				to[j] = float32((float64(v)-mean)*r) * s[j]
				if b != nil {
					to[j] += b[j]
				}
			}
			if len(out) > 1 {
				tensor.Of[float32](out[1])[i] = float32(mean)
			}
			if len(out) > 2 {
				tensor.Of[float32](out[2])[i] = float32(r)
			}
		}
		return nil
	})
}

// parameterFor returns the values of a parameter, which may be nil, broadcast to a shape: the last
// dimensions of the data. A parameter of this shape is used as it is, which avoids a copy in each
// layer of a transformer.
func parameterFor[T tensor.Number](
	m *machine.Machine, p *tensor.Tensor, shape []int,
) ([]T, error) {
	if p == nil {
		return nil, nil
	}
	// ONNX broadcasts to the whole data, so the other dimensions may be present with one place.
	from := p.Shape
	for len(from) > len(shape) && from[0] == 1 {
		from = from[1:]
	}
	if slices.Equal(from, shape) {
		return tensor.Of[T](p), nil
	}
	to, err := broadcastShape(nil, from, shape)
	if err != nil || !slices.Equal(to, shape) {
		return nil, msg.Errorf("a parameter of shape %v does not match %v", p.Shape, shape)
	}
	y, err := rearranged(m, p, shape, shape, broadcastStrides(m, from, shape))
	if err != nil {
		return nil, err
	}
	return tensor.Of[T](y), nil
}
