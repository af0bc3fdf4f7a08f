package ops

import (
	"fmt"
	"math"

	G "gorgonia.org/gorgonia"

	"github.com/bagscope/bagscope/onnxbackend/kernel"
)

// Convolve returns pool(relu(w∗x + b)) for pictures x (k, channels·height·width), w (maps, taps)
// and b (1, maps): (k, maps·height'·width'). An x that is a variable of the graph is a bag: no
// gradient is computed for it. Of equal values in a pool the first takes the gradient.
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
	s := &convolving{Convolution: c, arg: a.places.take(k * c.Values())}
	patches := kernel.NewPatches(c.places(), c.Kernel*c.Kernel, c.Positions())
	packed, plain := a.Take(kernel.PackedLen(c.Taps(), c.Positions())), a.Take(c.Maps*c.Positions())
	diff := map[int]gradient{
		1: func(out, grad *G.Node) (*G.Node, error) { return s.weightGradient(a, x, out, grad) },
		2: func(out, grad *G.Node) (*G.Node, error) { return s.biasGradient(a, out, grad) },
	}
	if !x.IsVar() {
		diff[0] = func(out, grad *G.Node) (*G.Node,
			error) {
			return s.inputGradient(a, w, out, grad)
		}
	}
	return apply(a, "convolution", k, c.Values(), []*G.Node{x, w, b}, diff,
		func(dst []float32, in [][]float32) {
			for i := range k {
				patches.Columns(packed, in[0][i*c.input():], c.Channels, c.Height*c.Width)
				kernel.Gemm(plain, c.Positions(), in[1], c.Taps(), packed, c.Maps, c.Positions(),
					c.Taps(),
					kernel.Epilogue{RowBias: in[2], Act: kernel.ActRelu})
				n := c.Values()
				s.pool(dst[i*n:(i+1)*n], s.arg[i*n:(i+1)*n], plain)
			}
		})
}

// convolving is a convolution with what its gradients need of its last run.
type convolving struct {
	Convolution
	arg []int32 // of each result the place among its map's positions that it came from
}

// pool writes the greatest of each 2 by 2 values and where they are. No value is below 0, so that
// their bits are ordered as they are, and the place can ride along in a maximum of integers:
// branches would guess wrong every other time.
func (s *convolving) pool(dst []float32, arg []int32, plain []float32) {
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

// ranked orders values that are not below 0, -0 among them, and of equal ones the one of higher
// rank, 0 to 3, above.
func ranked(v float32, rank uint64) uint64 {
	return uint64(math.Float32bits(v)&^(1<<31))<<2 | rank
}

// spread writes the gradient before pool and rectifier of picture i to rows of dst, ld apart: row
// map, column position.
func (s *convolving) spread(dst []float32, ld, i int, out, grad []float32) {
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
