package compute

import (
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// A signal is a tensor of numbers whose last axis has a real and perhaps an imaginary part.
type signal struct {
	values []float64
	parts  int // 1 or 2
}

// signalOf returns the elements of x as a signal. It returns an error if x has less than two axes
// or its last one is neither 1 nor 2.
func signalOf(m *machine.Machine, x *tensor.Tensor) (s signal, err error) {
	if !x.Type.Float() {
		return s, typeError(x.Type)
	}
	rank := x.Rank()
	if rank < 2 || x.Shape[rank-1] != 1 && x.Shape[rank-1] != 2 {
		return s, msg.Errorf("the last axis of a signal must have 1 real number, or 2 for a real "+
			"and an imaginary part, and its shape is %v", x.Shape)
	}
	s.parts = x.Shape[rank-1]
	s.values, err = asFloat64(m, x)
	return s, err
}

// at returns the number with an index. The imaginary part of a real signal is 0.
func (s *signal) at(i int) (re, im float64) {
	if s.parts == 2 {
		return s.values[2*i], s.values[2*i+1]
	}
	return s.values[i], 0
}

// oneSidedErr says that half of a spectrum is enough for real signals only.
func oneSidedErr(op string) error {
	return msg.Errorf("%s with onesided needs a real signal, and this one has imaginary parts; "+
		"export the model with onesided=0", op)
}

// DFTAxis returns the axis of a DFT over a tensor of a rank: an attribute before version 20, and
// since then the value of input 2, nil if it is omitted. The last axis, that of real and imaginary
// parts, is an error.
func (n *Node) DFTAxis(given *tensor.Tensor, rank int) (int, error) {
	axis := n.Int("axis", 1)
	if n.Opset >= 20 {
		axis = -2
	}
	if given != nil {
		var err error
		if axis, err = intOf(given); err != nil {
			return 0, err
		}
	}
	a, err := axisOf(axis, rank)
	if err == nil && a == rank-1 {
		err = msg.Errorf("axis %d of a DFT holds real and imaginary parts; it must be another one",
			axis)
	}
	return a, err
}

// A dft is a DFT along an axis: of onesided spectra forth or back, or of whole ones.
type dft struct{ inverse, onesided bool }

// NewDFT makes DFT, the discrete Fourier transform along an axis, computed in float64. Input 1 is
// its length: longer lines are cut, shorter ones get zeros.
func NewDFT(n *Node) (Func, error) {
	d := dft{n.Int("inverse", 0) != 0, n.Int("onesided", 0) != 0}
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		axis, err := n.DFTAxis(given(in, 2), in[0].Rank())
		if err != nil {
			return err
		}
		x, err := signalOf(m, in[0])
		if err != nil {
			return err
		}
		if d.onesided && !d.inverse && x.parts == 2 {
			return oneSidedErr("DFT")
		}
		have := in[0].Shape[axis]
		length := have
		if d.onesided && d.inverse {
			length = 2 * (have - 1)
		}
		if length, err = optionalInt(in, 1, length); err != nil {
			return err
		}
		if length < 1 {
			return msg.Errorf("a DFT has length %d, but it must be at least 1", length)
		}
		var space [8]int
		shape := append(space[:0], in[0].Shape...)
		shape[axis], shape[len(shape)-1] = length, 2
		switch {
		case d.onesided && d.inverse:
			shape[len(shape)-1] = 1
		case d.onesided:
			shape[axis] = length/2 + 1
		}
		f, err := newFourier(m, length)
		if err != nil {
			return err
		}
		return viaFloat64(m, out[0], in[0].Type, shape, func(dst []float64) error {
			outer, _, inner := splitAt(shape[:len(shape)-1], axis)
			for line := range outer * inner {
				if err := m.Tick(f.work()); err != nil {
					return err
				}
				d.read(f, x, line/inner*have*inner+line%inner, inner, have)
				if d.inverse {
					f.inverse()
				} else {
					f.transform()
				}
				d.write(f, dst, line/inner*shape[axis]*inner+line%inner, inner, shape[axis])
			}
			return nil
		})
	}, nil
}

// read copies a line of a signal with have places, step apart, and zeros behind it. Of half of a
// spectrum it makes the whole one, whose other half is the conjugate in reverse order.
func (d dft) read(f *fourier, x signal, first, step, have int) {
	clear(f.re)
	clear(f.im)
	half := d.inverse && d.onesided
	if half {
		have = min(have, f.n/2+1)
	}
	for j := range min(have, f.n) {
		f.re[j], f.im[j] = x.at(first + j*step)
		if opposite := f.n - j; half && j > 0 && opposite > j {
			f.re[opposite], f.im[opposite] = f.re[j], -f.im[j]
		}
	}
}

// write copies the first count numbers of a line, step apart.
func (d dft) write(f *fourier, dst []float64, first, step, count int) {
	for j := range count {
		at := first + j*step
		if d.inverse && d.onesided {
			dst[at] = f.re[j]
		} else {
			dst[2*at], dst[2*at+1] = f.re[j], f.im[j]
		}
	}
}
