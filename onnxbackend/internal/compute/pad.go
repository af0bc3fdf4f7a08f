package compute

import (
	"fmt"
	"slices"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// NewPad makes Pad. Pads and value are attributes before version 11 and inputs since; input 3
// restricts the pads to some axes. Negative pads remove places.
func NewPad(n *Node) (Func, error) {
	mode, attr, value := n.Text("mode", "constant"), n.Ints("pads"), n.Float("value", 0)
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		x, pads := in[0], attr
		// By default the padding is zero, in any type.
		filler := tensor.New(x.Type)
		if n.Opset < 11 {
			if x.Type != tensor.Float32 {
				return typeError(x.Type)
			}
			tensor.Of[float32](filler)[0] = value
		} else {
			if given(in, 1) == nil {
				return fmt.Errorf("input 1, the pads, is missing")
			}
			var err error
			if pads, err = IntsOf(in[1]); err != nil {
				return err
			}
			if v := given(in, 2); v != nil {
				if v.Type != x.Type || v.Len() != 1 {
					return msg.Errorf("a value of %v with shape %v does not match elements of %v",
						v.Type, v.Shape, x.Type)
				}
				filler = v
			}
			if pads, err = PadsFor(pads, given(in, 3), x.Rank()); err != nil {
				return err
			}
		}
		return pad(m, out[0], x, pads, mode, filler.Bytes())
	}, nil
}

// PadsFor spreads pads that are given for some axes over all. Pads are begins, then ends.
func PadsFor(pads []int, axes *tensor.Tensor, rank int) ([]int, error) {
	if axes == nil {
		return pads, nil
	}
	list, err := IntsOf(axes)
	if err != nil {
		return nil, err
	}
	if len(pads) != 2*len(list) {
		return nil, fmt.Errorf("%d pads for %d axes", len(pads), len(list))
	}
	if _, err := marked(nil, list, rank); err != nil {
		return nil, err
	}
	full := make([]int, 2*rank)
	for i, a := range list {
		a, _ = tensor.Axis(a, rank)
		full[a], full[rank+a] = pads[i], pads[i+len(list)]
	}
	return full, nil
}

// pad allocates out and fills it with x and its padding. filler holds the bytes of one element,
// which mode constant repeats.
func pad(m *machine.Machine, out, x *tensor.Tensor, pads []int, mode string, filler []byte) error {
	r := x.Rank()
	if len(pads) != 2*r {
		return fmt.Errorf("%d pads for %d dimensions", len(pads), r)
	}
	shape := make([]int, r)
	for i, d := range x.Shape {
		// Negative pads may remove more places than there are.
		if shape[i] = d + pads[i] + pads[r+i]; shape[i] < 0 {
			return msg.Errorf("pads %v make a dimension of shape %v negative", pads, x.Shape)
		}
	}
	// Exporters pad to whole windows, also pictures that have them already.
	if !slices.ContainsFunc(pads, func(p int) bool { return p != 0 }) {
		m.Share(out, x, shape)
		return nil
	}
	if err := m.Alloc(out, x.Type, shape...); err != nil || out.Len() == 0 {
		return err
	}
	// The places of each axis are resolved once, so that a row of the result costs one look-up for
	// each axis.
	from := make([][]int64, r) // (dimension, place in the output): place in the input, -1 outside
	for i, d := range x.Shape {
		if err := m.Tick(shape[i]); err != nil {
			return err
		}
		var err error
		if from[i], err = machine.Scratch[int64](m, shape[i]); err != nil {
			return err
		}
		for j := range from[i] {
			p, err := padSource(j-pads[i], d, mode)
			if err != nil {
				return err
			}
			from[i][j] = int64(p)
		}
	}
	last := r - 1
	low := min(max(0, pads[last]), shape[last])
	row := paddedRow{src: x.Bytes(), size: x.Type.Size(), filler: filler, from: from[last],
		width: x.Shape[last], low: low, high: max(low, min(shape[last], pads[last]+x.Shape[last]))}
	dst, place, n := out.Bytes(), make([]int, last), shape[last]
	for at := 0; at < out.Len(); at += n {
		if err := m.Tick(n + r); err != nil {
			return err
		}
		p := 0
		for i, j := range place {
			q := from[i][j]
			if q < 0 {
				p = -1
				break
			}
			p = p*x.Shape[i] + int(q)
		}
		row.write(dst[at*row.size:][:n*row.size], p)
		advance(place, shape[:last])
	}
	return nil
}

// A paddedRow writes rows of a result. Its bytes are those of elements of some size.
type paddedRow struct {
	src, filler []byte
	size        int
	from        []int64 // (place in a row) place in a row of src, -1 outside
	low, high   int     // places that lie in src, one after another
	width       int     // elements of a row of src
}

// write writes a row from row p of src, or from the padding alone if p is negative.
func (r *paddedRow) write(dst []byte, p int) {
	n := len(dst) / r.size
	low, high := r.low, r.high
	if p < 0 {
		low, high = n, n // the whole row lies outside
	}
	one := func(j int) {
		from := r.filler[:r.size]
		if q := r.from[j]; p >= 0 && q >= 0 {
			from = r.src[(p*r.width+int(q))*r.size:][:r.size]
		}
		copy(dst[j*r.size:], from)
	}
	for j := range low {
		one(j)
	}
	if high > low {
		copy(dst[low*r.size:high*r.size], r.src[(p*r.width+int(r.from[low]))*r.size:])
	}
	for j := high; j < n; j++ {
		one(j)
	}
}

// padSource returns which of d places place p repeats, -1 for none. p may lie before or after them.
func padSource(p, d int, mode string) (int, error) {
	if p >= 0 && p < d {
		return p, nil
	}
	if mode == "constant" {
		return -1, nil
	}
	if d == 0 {
		return 0, fmt.Errorf("padding cannot repeat elements of a dimension of size 0")
	}
	switch mode {
	case "edge":
		return max(0, min(d-1, p)), nil
	case "wrap":
		return (p%d + d) % d, nil
	}
	if d == 1 {
		return 0, nil
	}
	// Mode reflect repeats without doubling the outer places, so its period is twice the side less
	// two.
	period := 2*d - 2
	if p = (p%period + period) % period; p >= d {
		p = period - p
	}
	return p, nil
}
