package compute

import (
	"fmt"
	"math"
	"slices"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// resizing holds the attributes of Resize and of the older Upsample.
type resizing struct {
	// mode is nearest, linear or cubic. nearest says how mode nearest rounds coordinates.
	mode, nearest string
	// coordinates says how a place of the result corresponds to one of the input.
	coordinates string
	// policy says how sizes that do not keep the proportions are changed.
	policy string
	// cubic is the parameter of the kernel of cubic convolution.
	cubic float64
	// exclude sets the weights of places outside of the input to 0.
	exclude bool
	// antialias widens the kernel if the result is smaller than the input.
	antialias bool
	// filler replaces elements outside of the input in mode tf_crop_and_resize.
	filler float64
	// axes are those to which sizes, scales and regions belong; nil for all.
	axes []int
}

// NewUpsample makes Upsample, which Resize replaced in opset 10.
func NewUpsample(n *Node) (Func, error) {
	if n.Opset > 9 {
		return nil, fmt.Errorf("the operator ends with opset 9; export with Resize")
	}
	return NewResize(n)
}

// NewResize makes Resize and Upsample. Interpolation works axis by axis: each place of the result
// is a weighted sum of places of the input. That equals interpolation in all dimensions, since the
// weights are products of those of the axes.
func NewResize(n *Node) (Func, error) {
	r := resizing{
		mode:        n.Text("mode", "nearest"),
		nearest:     n.Text("nearest_mode", "round_prefer_floor"),
		coordinates: n.Text("coordinate_transformation_mode", "half_pixel"),
		policy:      n.Text("keep_aspect_ratio_policy", "stretch"),
		cubic:       float64(n.Float("cubic_coeff_a", -0.75)),
		exclude:     n.Int("exclude_outside", 0) != 0,
		antialias:   n.Int("antialias", 0) != 0,
		filler:      float64(n.Float("extrapolation_value", 0)),
		axes:        n.Ints("axes"),
	}
	if n.Opset < 11 {
		r.coordinates, r.nearest = "asymmetric", "floor"
	}
	fixed := n.Floats("scales")
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		var roi, scales, sizes *tensor.Tensor
		if n.Opset < 11 {
			scales = given(in, 1)
		} else {
			roi, scales, sizes = given(in, 1), given(in, 2), given(in, 3)
		}
		x := in[0]
		plan, err := r.plan(x.Shape, fixed, roi, scales, sizes)
		if err != nil {
			return err
		}
		return r.run(m, out[0], x, plan)
	}, nil
}

// An along describes what a Resize does to one axis.
type along struct {
	// in and out are the sizes. scale is the requested factor, from which out/in may differ by
	// rounding.
	in, out int
	scale   float64
	// start and end bound the region that is enlarged, as fractions of the axis.
	start, end float64
}

// keeps reports whether places stay what they are.
func (a along) keeps(r *resizing) bool {
	return a.in == a.out && a.scale == 1 && r.coordinates != "tf_crop_and_resize"
}

// plan resolves scales, sizes and regions for all axes.
func (r *resizing) plan(
	shape []int, fixed []float64, roi, scales, sizes *tensor.Tensor,
) ([]along, error) {
	axes := make([]int, len(shape))
	plan := make([]along, len(shape))
	for i, d := range shape {
		axes[i], plan[i] = i, along{d, d, 1, 0, 1}
	}
	// Lists belong to the named axes, in their order.
	if r.axes != nil {
		if _, err := marked(nil, r.axes, len(shape)); err != nil {
			return nil, err
		}
		axes = nil
		for _, a := range r.axes {
			a, _ = tensor.Axis(a, len(shape))
			axes = append(axes, a)
		}
	}
	// The region of interest is read in one mode only, but checked in all.
	region, err := Reals(roi)
	if err != nil {
		return nil, err
	}
	if r.coordinates == "tf_crop_and_resize" && len(region) != 2*len(axes) {
		return nil, fmt.Errorf("a region of %d numbers for %d axes", len(region), len(axes))
	}
	for i, a := range axes {
		if r.coordinates == "tf_crop_and_resize" {
			plan[a].start, plan[a].end = region[i], region[len(axes)+i]
		}
	}
	// Exporters write an empty list for omitted sizes.
	if sizes != nil && sizes.Len() > 0 {
		return plan, r.toSizes(plan, axes, sizes)
	}
	factors := fixed
	if scales != nil {
		if factors, err = Reals(scales); err != nil {
			return nil, err
		}
	}
	if len(factors) != len(axes) {
		return nil, fmt.Errorf("%d scales for %d axes", len(factors), len(axes))
	}
	for i, a := range axes {
		p, f := &plan[a], factors[i]
		// ONNX rounds sides down.
		side := math.Floor(float64(p.in) * (p.end - p.start) * f)
		if !(f > 0) || !(side >= 0 && side < 1<<40) {
			return nil, msg.Errorf("a side of %d cannot be scaled by %v", p.in, f)
		}
		p.scale, p.out = f, int(side)
	}
	return plan, nil
}

// toSizes sets the requested sides, or the largest or smallest ones that keep the proportions of
// the picture.
func (r *resizing) toSizes(plan []along, axes []int, sizes *tensor.Tensor) error {
	target, err := IntsOf(sizes)
	if err != nil {
		return err
	}
	if len(target) != len(axes) {
		return fmt.Errorf("%d sizes for %d axes", len(target), len(axes))
	}
	// Other policies than stretch scale all axes by one factor: the largest one that keeps the
	// result inside of the requested sizes, or the smallest one that covers them.
	common := math.Inf(1)
	if r.policy == "not_smaller" {
		common = 0
	}
	for i, a := range axes {
		p := &plan[a]
		if target[i] < 0 || target[i] > 0 && p.in == 0 {
			return fmt.Errorf("a side of %d cannot become %d", p.in, target[i])
		}
		p.out = target[i]
		p.scale = float64(target[i]) / max(1, float64(p.in))
		if r.policy == "not_smaller" {
			common = max(common, p.scale)
		} else {
			common = min(common, p.scale)
		}
	}
	if r.policy == "stretch" {
		return nil
	}
	for _, a := range axes {
		plan[a].scale, plan[a].out = common, int(math.Floor(common*float64(plan[a].in)+0.5))
	}
	return nil
}

// Reals returns the elements of a short list of real numbers, nil for an omitted one.
func Reals(t *tensor.Tensor) ([]float64, error) {
	if t == nil {
		return nil, nil
	}
	if t.Len() > 1<<10 {
		return nil, fmt.Errorf("a list of scales or regions holds %d numbers", t.Len())
	}
	var v []float64
	switch t.Type {
	case tensor.Float32:
		for _, f := range tensor.Of[float32](t) {
			v = append(v, float64(f))
		}
	case tensor.Float64:
		v = slices.Clone(tensor.Of[float64](t))
	default:
		return nil, typeError(t.Type)
	}
	return v, nil
}

// run resizes axis by axis. Integers are interpolated in float64 and rounded at the end.
func (r *resizing) run(m *machine.Machine, out, x *tensor.Tensor, plan []along) error {
	shape := slices.Clone(x.Shape)
	for axis, p := range plan {
		shape[axis] = p.out
	}
	if err := m.Fits(shape); err != nil {
		return err
	}
	copy(shape, x.Shape)
	typ := x.Type
	if r.mode != "nearest" && !typ.Float() {
		var err error
		if x, err = converted(m, x, tensor.Float64); err != nil {
			return err
		}
	}
	// Mode tf_crop_and_resize may read beyond the input. Such places are overwritten after all axes
	// are resized.
	var outside []region
	for axis, p := range plan {
		if p.keeps(r) {
			continue
		}
		shape[axis] = p.out
		next, err := temporary(m, x.Type, shape...)
		if err != nil {
			return err
		}
		for j := range p.out {
			if at := r.source(p, j); r.coordinates == "tf_crop_and_resize" &&
				(at < 0 || at > float64(p.in-1)) {
				outside = append(outside, region{axis, j})
			}
		}
		if err := r.resample(m, next, x, axis, p); err != nil {
			return err
		}
		x = next
	}
	if err := r.extrapolate(m, x, outside); err != nil {
		return err
	}
	return Convert(m, out, x, typ)
}

// A region is a place along an axis.
type region struct{ axis, place int }

// extrapolate overwrites places outside of the input with attribute extrapolation_value.
func (r *resizing) extrapolate(m *machine.Machine, x *tensor.Tensor, outside []region) error {
	if len(outside) == 0 {
		return nil
	}
	filler, err := converted(m, tensor.From(tensor.Float64, []float64{r.filler}), x.Type)
	if err != nil {
		return err
	}
	dst, f, size := x.Bytes(), filler.Bytes(), x.Type.Size()
	for _, g := range outside {
		outer, n, inner := splitAt(x.Shape, g.axis)
		if err := m.Tick(outer * inner); err != nil {
			return err
		}
		for o := range outer {
			for i := range inner {
				copy(dst[((o*n+g.place)*inner+i)*size:], f)
			}
		}
	}
	return nil
}
