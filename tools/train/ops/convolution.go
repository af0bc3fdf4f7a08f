package ops

import (
	"fmt"
	"math"

	G "gorgonia.org/gorgonia"

	"github.com/bagscope/bagscope/onnxbackend/kernel"
)

// Convolve returns pool(relu(w∗x + b)) with shape (k, maps·height'·width'), for pictures x
// (k, channels·height·width), weights w (maps, taps) and biases b (1, maps). If x is a variable of
// the graph, it is a bag and gets no gradient. If values of a pool are equal, the first gets the
// gradient, as in PyTorch.
func Convolve(a *Arena, x, w, b *G.Node, c Convolution) (*G.Node, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	if columns(x) != c.input() || rows(w) != c.Maps || columns(w) != c.Taps() ||
		columns(b) != c.Maps {
		return nil, fmt.Errorf(
			"a convolution %+v has an input of shape %v, weights %v and biases %v", c, x.Shape(),
			w.Shape(), b.Shape())
	}
	k := rows(x)
	s := &convolver{Convolution: c, arg: a.ints.alloc(k * c.Values())}
	patches := kernel.NewPatches(c.places(), c.Kernel*c.Kernel, c.Positions())
	packed, plain := a.Floats(kernel.PackedLen(c.Taps(), c.Positions())),
		a.Floats(c.Maps*c.Positions())
	diff := map[int]gradient{
		1: func(out, grad *G.Node) (*G.Node, error) { return s.weightGradient(a, x, out, grad) },
		2: func(out, grad *G.Node) (*G.Node, error) { return s.biasGradient(a, out, grad) },
	}
	if !x.IsVar() {
		diff[0] = func(out, grad *G.Node) (*G.Node, error) {
			return s.inputGradient(a, w, out, grad)
		}
	}
	return apply(a, "convolution", k, c.Values(), []*G.Node{x, w, b}, diff,
		func(dst []float32, in [][]float32) {
			for i := range k {
				patches.Columns(packed, in[0][i*c.input():], c.Channels, c.Height*c.Width)
				kernel.Gemm(plain, c.Positions(), in[1], c.Taps(), packed, c.Maps, c.Positions(),
					c.Taps(), kernel.Epilogue{RowBias: in[2], Act: kernel.ActRelu})
				n := c.Values()
				s.pool(dst[i*n:(i+1)*n], s.arg[i*n:(i+1)*n], plain)
			}
		})
}

// convolver is a convolution with the state of its last run that its gradients need.
type convolver struct {
	Convolution
	arg []int32 // position in its map of each maximum (k, values)
}

// pool writes the maximum of each 2 by 2 values to dst and its position to arg. After the rectifier
// no value is negative, so values have the order of their bits. The position is part of the same
// integer, because the processor would mispredict the branches of an argmax.
func (s *convolver) pool(dst []float32, arg []int32, plain []float32) {
	_, w := s.plain()
	ph, pw := s.pooled()
	n := s.Positions()
	step := [4]int32{int32(w) + 1, int32(w), 1, 0}
	at := 0
	for m := range s.Maps {
		plane := plain[m*n : (m+1)*n]
		for y := range ph {
			first := 2 * y * w
			upper, lower := plane[first:][:2*pw], plane[first+w:][:2*pw]
			to, from := dst[at:at+pw], arg[at:at+pw]
			for x := range to {
				best := max(ranked(upper[2*x], 3), ranked(upper[2*x+1], 2), ranked(lower[2*x], 1),
					ranked(lower[2*x+1], 0))
				to[x] = math.Float32frombits(uint32(best >> 2))
				from[x] = int32(first+2*x) + step[best&3]
			}
			at += pw
		}
	}
}

// ranked returns an integer with the order of v, which must not be negative (but may be -0). Equal
// values have the order of rank, from 0 to 3.
func ranked(v float32, rank uint64) uint64 {
	return uint64(math.Float32bits(v)&^(1<<31))<<2 | rank
}

// unpool writes the gradient before pool and rectifier of picture i to dst (maps, positions), whose
// rows are ld apart.
func (s *convolver) unpool(dst []float32, ld, i int, out, grad []float32) {
	n := s.Values()
	per := n / s.Maps
	out, grad = out[i*n:(i+1)*n], grad[i*n:(i+1)*n]
	for m := range s.Maps {
		row := dst[m*ld:][:s.Positions()]
		clear(row)
		y, g := out[m*per:(m+1)*per], grad[m*per:(m+1)*per]
		for j, place := range s.arg[i*n+m*per:][:per] {
			row[place] = passed(y[j], g[j])
		}
	}
}
