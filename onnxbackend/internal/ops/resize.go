package ops

import (
	"fmt"
	"math"
	"slices"

	"github.com/bagscope/bagscope/onnxbackend/internal/decode"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// resizing holds the attributes of Resize and of the older Upsample.
type resizing struct {
	mode, coordinates, nearest, policy string
	cubic                              float64
	exclude, antialias                 bool
	filler                             float64
	axes                               []int
}

// newResize makes Resize and Upsample. Interpolation works axis by axis: each place of the result is a
// weighted sum of places of the input.
func newResize(n *Node) (Func, error) {
	r := resizing{
		mode: n.Text("mode", "nearest"), coordinates: n.Text("coordinate_transformation_mode", "half_pixel"), nearest: n.Text("nearest_mode", "round_prefer_floor"),
		policy: n.Text("keep_aspect_ratio_policy", "stretch"), cubic: float64(n.Float("cubic_coeff_a", -0.75)), exclude: n.Int("exclude_outside", 0) != 0,
		antialias: n.Int("antialias", 0) != 0, filler: float64(n.Float("extrapolation_value", 0)), axes: n.Ints("axes"),
	}
	if n.Op == "Upsample" && n.Opset > 9 {
		return nil, fmt.Errorf("the operator ends with opset 9; export with Resize")
	}
	if n.Opset < 11 {
		r.coordinates, r.nearest = "asymmetric", "floor"
	}
	switch r.mode {
	case "nearest", "linear", "cubic":
	default:
		n.fail("attribute mode is %q", r.mode)
	}
	fixed := n.floats("scales")
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

// floats returns a list attribute, nil when it is absent.
func (n *Node) floats(name string) []float64 {
	var v []float64
	if a := n.find(name, decode.KindFloats); a != nil {
		for _, f := range a.Floats {
			v = append(v, float64(f))
		}
	}
	return v
}

// An along is what a Resize does to one axis.
type along struct {
	in, out    int
	scale      float64
	start, end float64 // of the region that is enlarged, as parts of the axis
}

// keeps reports whether places stay what they are.
func (a along) keeps(r *resizing) bool {
	return a.in == a.out && a.scale == 1 && r.coordinates != "tf_crop_and_resize"
}

// plan resolves scales, sizes and regions for all axes.
func (r *resizing) plan(shape []int, fixed []float64, roi, scales, sizes *tensor.Tensor) ([]along, error) {
	axes := make([]int, len(shape))
	plan := make([]along, len(shape))
	for i, d := range shape {
		axes[i], plan[i] = i, along{d, d, 1, 0, 1}
	}
	if r.axes != nil {
		if _, err := marked(r.axes, len(shape)); err != nil {
			return nil, err
		}
		axes = nil
		for _, a := range r.axes {
			a, _ = tensor.Axis(a, len(shape))
			axes = append(axes, a)
		}
	}
	region, err := reals(roi)
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
	if sizes != nil && sizes.Len() > 0 {
		return plan, r.toSizes(plan, axes, sizes)
	}
	factors := fixed
	if scales != nil {
		if factors, err = reals(scales); err != nil {
			return nil, err
		}
	}
	if len(factors) != len(axes) {
		return nil, fmt.Errorf("%d scales for %d axes", len(factors), len(axes))
	}
	for i, a := range axes {
		p, f := &plan[a], factors[i]
		side := math.Floor(float64(p.in) * (p.end - p.start) * f)
		if !(f > 0) || !(side >= 0 && side < 1<<40) {
			return nil, fmt.Errorf("a side of %d cannot be scaled by %v", p.in, f)
		}
		p.scale, p.out = f, int(side)
	}
	return plan, nil
}

// toSizes sets the sides that are wanted, or the largest or smallest that keep the proportions.
func (r *resizing) toSizes(plan []along, axes []int, sizes *tensor.Tensor) error {
	want, err := intsOf(sizes)
	if err != nil {
		return err
	}
	if len(want) != len(axes) {
		return fmt.Errorf("%d sizes for %d axes", len(want), len(axes))
	}
	common := math.Inf(1)
	if r.policy == "not_smaller" {
		common = 0
	}
	for i, a := range axes {
		p := &plan[a]
		if want[i] < 0 || want[i] > 0 && p.in == 0 {
			return fmt.Errorf("a side of %d cannot become %d", p.in, want[i])
		}
		p.out = want[i]
		p.scale = float64(want[i]) / max(1, float64(p.in))
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

// reals returns the elements of a short list of real numbers, nil for an omitted one.
func reals(t *tensor.Tensor) ([]float64, error) {
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

func (r *resizing) run(m *machine.Machine, out, x *tensor.Tensor, plan []along) error {
	shape := slices.Clone(x.Shape)
	typ := x.Type
	if r.mode != "nearest" && !typ.Float() {
		var wide tensor.Tensor
		if err := Convert(m, &wide, x, tensor.Float64); err != nil {
			return err
		}
		m.AtEnd(&wide)
		x = &wide
	}
	var outside []region
	for axis, p := range plan {
		if p.keeps(r) {
			continue
		}
		shape[axis] = p.out
		var next tensor.Tensor
		if err := m.Alloc(&next, x.Type, shape...); err != nil {
			return err
		}
		m.AtEnd(&next)
		for j := range p.out {
			if at := r.source(p, j); r.coordinates == "tf_crop_and_resize" && (at < 0 || at > float64(p.in-1)) {
				outside = append(outside, region{axis, j})
			}
		}
		if err := r.resample(m, &next, x, axis, p); err != nil {
			return err
		}
		x = &next
	}
	if err := r.extrapolate(m, x, outside); err != nil {
		return err
	}
	return Convert(m, out, x, typ)
}

// A region is a place along an axis.
type region struct{ axis, place int }

// extrapolate overwrites what lies outside of the input.
func (r *resizing) extrapolate(m *machine.Machine, x *tensor.Tensor, outside []region) error {
	if len(outside) == 0 {
		return nil
	}
	var filler tensor.Tensor
	if err := Convert(m, &filler, tensor.From(tensor.Float64, []float64{r.filler}), x.Type); err != nil {
		return err
	}
	m.AtEnd(&filler)
	dst, f, size := bytesOf(x), bytesOf(&filler), x.Type.Size()
	for _, g := range outside {
		outer, n, inner := split3(x.Shape, g.axis)
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

// source returns the coordinate in the input that place j of the result lies at.
func (r *resizing) source(p along, j int) float64 {
	at, in, side := float64(j), float64(p.in), p.scale*float64(p.in)
	switch r.coordinates {
	case "asymmetric":
		return at / p.scale
	case "align_corners":
		if side == 1 {
			return 0
		}
		return at * (in - 1) / (side - 1)
	case "tf_crop_and_resize":
		if side == 1 {
			return (p.start + p.end) / 2 * (in - 1)
		}
		return p.start*(in-1) + at*(p.end-p.start)*(in-1)/(side-1)
	case "pytorch_half_pixel":
		if side == 1 {
			return -0.5
		}
	case "half_pixel_symmetric":
		return in/2*(1-float64(p.out)/side) + (at+0.5)/p.scale - 0.5
	}
	return (at+0.5)/p.scale - 0.5
}

// resample fills next, which has been made, along one axis.
func (r *resizing) resample(m *machine.Machine, next, x *tensor.Tensor, axis int, p along) error {
	if next.Len() == 0 {
		return nil
	}
	if r.mode == "nearest" {
		places := make([]int, p.out)
		for j := range places {
			places[j] = max(0, min(p.in-1, int(r.round(r.source(p, j)))))
		}
		GatherPlaces(next, x, axis, places)
		return m.Tick(next.Len())
	}
	if x.Type == tensor.Float64 {
		return blend[float64](m, r, next, x, axis, p)
	}
	return blend[float32](m, r, next, x, axis, p)
}

func (r *resizing) round(at float64) float64 {
	switch r.nearest {
	case "floor":
		return math.Floor(at)
	case "ceil":
		return math.Ceil(at)
	case "round_prefer_ceil":
		return math.Floor(at + 0.5)
	}
	return math.Ceil(at - 0.5)
}

// blend sums weighted places.
func blend[T float32 | float64](m *machine.Machine, r *resizing, next, x *tensor.Tensor, axis int, p along) error {
	outer, n, inner := split3(x.Shape, axis)
	src, dst := tensor.Of[T](x), tensor.Of[T](next)
	var weights []float64
	for j := range p.out {
		var first int
		first, weights = r.weights(weights[:0], p, r.source(p, j))
		if err := m.Tick(outer * inner * len(weights)); err != nil {
			return err
		}
		for o := range outer {
			to := dst[(o*p.out+j)*inner:][:inner]
			clear(to)
			for i, w := range weights {
				from := src[(o*n+max(0, min(n-1, first+i)))*inner:][:inner]
				for c, v := range from {
					to[c] += T(w) * v
				}
			}
		}
	}
	return nil
}

// weights returns the first of the places around a coordinate, which may lie outside, and their weights. With
// antialias a smaller result spreads them over all places that it stands for.
func (r *resizing) weights(w []float64, p along, at float64) (first int, _ []float64) {
	reach, kernel := 1.0, func(d float64) float64 { return max(0, 1-d) }
	if r.mode == "cubic" {
		reach, kernel = 2, func(d float64) float64 { return keys(d, r.cubic) }
	}
	shrink := 1.0
	if r.antialias {
		shrink = min(1, p.scale)
	}
	low := math.Floor(at)
	start := math.Floor(-reach/shrink) + 1
	sum := 0.0
	for i := start; i < 2-start; i++ {
		v := kernel(math.Abs(low+i-at) * shrink)
		if r.exclude && (low+i < 0 || low+i >= float64(p.in)) {
			v = 0
		}
		sum += v
		w = append(w, v)
	}
	if r.antialias || r.exclude {
		for i := range w {
			w[i] /= sum
		}
	}
	return int(low + start), w
}

// keys is the kernel of cubic convolution (R. Keys, "Cubic Convolution Interpolation for Digital Image
// Processing", 1981, equation 4) at distance d.
func keys(d, a float64) float64 {
	switch {
	case d <= 1:
		return ((a+2)*d-(a+3))*d*d + 1
	case d < 2:
		return ((a*d-5*a)*d+8*a)*d - 4*a
	}
	return 0
}

// resizeRule keeps instances apart when their axis keeps its places.
func resizeRule(n *Node, k int, in, out []Place) {
	if in[0].Class != Instance || n.Text("coordinate_transformation_mode", "") == "tf_crop_and_resize" {
		return
	}
	at := in[0].Axis
	if axes := n.Ints("axes"); axes != nil {
		mark, err := marked(axes, len(in[0].Shape))
		if err != nil {
			return
		}
		at = slices.IndexFunc(axes, func(a int) bool { return a == in[0].Axis || a+len(mark) == in[0].Axis })
		if !mark[in[0].Axis] {
			at = -1
		}
	}
	scales, sizes := 2, 3
	if n.Opset < 11 {
		scales, sizes = 1, len(in)
	}
	switch {
	case n.Text("keep_aspect_ratio_policy", "stretch") != "stretch":
		return
	case sizes < len(in) && in[sizes].Shape != nil && product1(in[sizes].Shape) > 0:
		list := sizesOf(in[sizes])
		for i, d := range list {
			if (i == at) != (d == SizeBag) || d == -1 {
				return
			}
		}
		if list == nil {
			return
		}
	case scales < len(in) && in[scales].Shape != nil:
		v, err := reals(in[scales].Value)
		if err != nil || v == nil || at >= len(v) || at >= 0 && v[at] != 1 {
			return
		}
	default:
		if v := n.floats("scales"); at < 0 || at >= len(v) || v[at] != 1 {
			return
		}
	}
	out[0].keep(in[0].Axis, k)
}
