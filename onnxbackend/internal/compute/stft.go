package compute

import (
	"math"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// NewSTFT makes STFT: the discrete Fourier transforms of frames of signals (batch, length, parts),
// each frame multiplied by a window. Frames begin a step apart, input 1; their length is input 3,
// that of the window, or that of the signal.
func NewSTFT(n *Node) (Func, error) {
	onesided := n.Int("onesided", 1) != 0
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		x, err := signalOf(m, in[0])
		if err != nil {
			return err
		}
		if in[0].Rank() != 3 {
			return msg.Errorf("an STFT needs a signal of shape (batch, length, 1 or 2), and its "+
				"shape is %v", in[0].Shape)
		}
		if onesided && x.parts == 2 {
			return oneSidedErr("STFT")
		}
		step, err := intOf(in[1])
		if err != nil {
			return err
		}
		window, err := asFloat64(m, given(in, 2))
		if err != nil {
			return err
		}
		samples := in[0].Shape[1]
		length := samples
		if window != nil {
			length = len(window)
		}
		if length, err = optionalInt(in, 3, length); err != nil {
			return err
		}
		if step < 1 || length < 1 || length > samples || window != nil && len(window) != length {
			return msg.Errorf("an STFT of %d samples has frames of %d, steps of %d and a window "+
				"of %d; frames must fit into the samples, and the window must fit the frames",
				samples, length, step, len(window))
		}
		frames, bins := (samples-length)/step+1, length
		if onesided {
			bins = length/2 + 1
		}
		f, err := newFourier(m, length)
		if err != nil {
			return err
		}
		shape := []int{in[0].Shape[0], frames, bins, 2}
		return viaFloat64(m, out[0], in[0].Type, shape, func(dst []float64) error {
			for frame := range shape[0] * frames {
				if err := m.Tick(f.work()); err != nil {
					return err
				}
				first := frame/frames*samples + frame%frames*step
				for j := range length {
					f.re[j], f.im[j] = x.at(first + j)
					if window != nil {
						f.re[j] *= window[j]
						f.im[j] *= window[j]
					}
				}
				f.transform()
				for j := range bins {
					at := 2 * (frame*bins + j)
					dst[at], dst[at+1] = f.re[j], f.im[j]
				}
			}
			return nil
		})
	}, nil
}

// NewWindow returns a factory of windows of signals: a - b cos(t) + c cos(2t), where t goes from 0
// to 2π. The number of places is input 0. A periodic window omits the last one of a longer window.
func NewWindow(a, b, c float64) Factory {
	return func(n *Node) (Func, error) {
		periodic := n.Int("periodic", 1)
		to := tensor.Type(n.Int("output_datatype", int(tensor.Float32)))
		return func(m *machine.Machine, in, out []*tensor.Tensor) error {
			size, err := intOf(in[0])
			if err != nil {
				return err
			}
			if size < 0 {
				return msg.Errorf("a window has %d places; their number must not be negative", size)
			}
			return viaFloat64(m, out[0], to, []int{size}, func(w []float64) error {
				for i := range w {
					t := 2 * math.Pi * float64(i) / float64(max(size-1+periodic, 1))
					w[i] = a - b*math.Cos(t) + c*math.Cos(2*t)
				}
				return m.Tick(16 * size)
			})
		}, nil
	}
}
