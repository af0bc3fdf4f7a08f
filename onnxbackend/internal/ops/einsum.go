package ops

import (
	"fmt"
	"strings"

	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// newEinsum makes Einsum as a plain sum over all labels, without ellipses.
func newEinsum(n *Node) (Func, error) {
	terms, result, err := parseEinsum(n.Text("equation", ""))
	if err != nil {
		return nil, err
	}
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		s, err := newEinsumWalk(terms, result, in)
		if err != nil {
			return err
		}
		return einsum(m, s, out[0], in)
	}, nil
}

func einsum(m *machine.Machine, s einsumWalk, out *tensor.Tensor, in []*tensor.Tensor) error {
	if in[0].Type == tensor.Int32 {
		return widened(m, out, tensor.Int32, func(out *tensor.Tensor, in []*tensor.Tensor) error {
			return einsum(m, s, out, in)
		}, in...)
	}
	if err := m.Alloc(out, in[0].Type, s.dims[:s.kept]...); err != nil {
		return err
	}
	switch in[0].Type {
	case tensor.Float32:
		return einsumWide[float32](m, s, out, in)
	case tensor.Float64:
		return einsumWide[float64](m, s, out, in)
	case tensor.Int64:
		return einsumWide[int64](m, s, out, in)
	}
	return typeError(in[0].Type)
}

// parseEinsum splits an equation into the labels of its terms and of the result, which defaults to the
// labels that occur once, in alphabetical order.
func parseEinsum(equation string) (terms []string, result string, err error) {
	equation = strings.ReplaceAll(equation, " ", "")
	left, right, arrow := strings.Cut(equation, "->")
	for _, r := range left + right {
		if !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == ',') {
			return nil, "", fmt.Errorf("the equation %q holds %q, which this engine does not read; write it with letters alone", equation, r)
		}
	}
	if arrow {
		return strings.Split(left, ","), right, nil
	}
	for r := 'A'; r <= 'z'; r++ {
		if strings.Count(left, string(r)) == 1 {
			right += string(r)
		}
	}
	return strings.Split(left, ","), right, nil
}

// einsumWalk says how operands move over the labels: first those of the result, then the summed ones.
type einsumWalk struct {
	dims    []int
	kept    int
	strides [][]int // (operand, label)
}

func newEinsumWalk(terms []string, result string, in []*tensor.Tensor) (einsumWalk, error) {
	labels := result
	for _, t := range terms {
		for _, r := range t {
			if !strings.ContainsRune(labels, r) {
				labels += string(r)
			}
		}
	}
	s := einsumWalk{kept: len(result), dims: make([]int, len(labels))}
	fill(s.dims, -1)
	if len(terms) != len(in) {
		return s, fmt.Errorf("%d terms for %d operands", len(terms), len(in))
	}
	for o, t := range terms {
		if len(t) != in[o].Rank() {
			return s, fmt.Errorf("term %q does not fit shape %v", t, in[o].Shape)
		}
		if in[o].Type != in[0].Type {
			return s, mixedError(in[0].Type, in[o].Type)
		}
		own, st := make([]int, len(labels)), tensor.Strides(in[o].Shape)
		for i, r := range t {
			l := strings.IndexRune(labels, r)
			if d := in[o].Shape[i]; s.dims[l] >= 0 && s.dims[l] != d {
				return s, fmt.Errorf("label %c is %d and %d long", r, s.dims[l], d)
			}
			s.dims[l] = in[o].Shape[i]
			own[l] += st[i]
		}
		s.strides = append(s.strides, own)
	}
	for l, d := range s.dims {
		if d < 0 || strings.Count(result, labels[l:l+1]) > 1 {
			return s, fmt.Errorf("label %c of the result stands in no term or twice in the result", labels[l])
		}
	}
	if _, ok := tensor.Count(s.dims); !ok {
		return s, fmt.Errorf("the sum over labels %v is beyond any machine", s.dims)
	}
	return s, nil
}

func einsumWide[T tensor.Number](m *machine.Machine, s einsumWalk, out *tensor.Tensor, in []*tensor.Tensor) error {
	dst := tensor.Of[T](out)
	clear(dst)
	src := make([][]T, len(in))
	for o, t := range in {
		src[o] = tensor.Of[T](t)
	}
	total, inner := product1(s.dims), product1(s.dims[s.kept:])
	place, from := make([]int, len(s.dims)), make([]int, len(in))
	for i := range total {
		if i%checkRows == 0 {
			if err := m.Tick(4 * len(in) * min(checkRows, total-i)); err != nil {
				return err
			}
		}
		v := T(1)
		for o, p := range from {
			v *= src[o][p]
		}
		dst[i/inner] += v
		for l := len(place) - 1; l >= 0; l-- {
			place[l]++
			for o := range from {
				from[o] += s.strides[o][l]
			}
			if place[l] < s.dims[l] {
				break
			}
			place[l] = 0
			for o := range from {
				from[o] -= s.strides[o][l] * s.dims[l]
			}
		}
	}
	return nil
}
