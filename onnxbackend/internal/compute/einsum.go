package compute

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// NewEinsum makes Einsum: a matrix product where the labels allow one, else a plain sum over all
// labels. Labels are letters; an ellipsis stands for any number of dimensions, which are broadcast.
func NewEinsum(n *Node) (Func, error) {
	terms, result, err := ParseEinsum(n.Text("equation", ""))
	if err != nil {
		return nil, err
	}
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		terms, result, err := expandEllipses(terms, result, in)
		if err != nil {
			return err
		}
		s, err := newEinsumWalk(terms, result, in)
		if err != nil {
			return err
		}
		if p := s.product(); p != nil {
			return p.run(m, out[0], in)
		}
		return einsumByType.run(m, out[0], in[0].Type, s, in...)
	}, nil
}

// ellipsis stands for an ellipsis in a term.
const ellipsis = '.'

// firstEllipsisLabel is the label of the last dimension that an ellipsis stands for. The dimensions
// before it have the labels that follow. It lies beyond the letters of equations.
const firstEllipsisLabel = '\u0100'

// expandEllipses replaces ellipses by labels, as many as the shapes require. Labels are counted
// from the end, so that broadcast dimensions of operands get the same one.
func expandEllipses(terms []string, result string, in []*tensor.Tensor) ([]string, string, error) {
	if len(terms) != len(in) {
		return nil, "", fmt.Errorf("%d terms for %d operands", len(terms), len(in))
	}
	// The result's ellipsis stands for as many dimensions as the longest one of the terms.
	most := 0
	labels := func(count int) string {
		var b strings.Builder
		for i := count - 1; i >= 0; i-- {
			b.WriteRune(firstEllipsisLabel + rune(i))
		}
		return b.String()
	}
	out := slices.Clone(terms)
	for o, t := range terms {
		if strings.ContainsRune(t, ellipsis) {
			count := in[o].Rank() - len(t) + 1
			if count < 0 {
				return nil, "", msg.Errorf("term %q does not match shape %v", t, in[o].Shape)
			}
			most = max(most, count)
			out[o] = strings.Replace(t, string(ellipsis), labels(count), 1)
		}
	}
	return out, strings.Replace(result, string(ellipsis), labels(most), 1), nil
}

// EinsumOrder returns the order of dimensions, as that of a Transpose, of an equation of one term
// that has each label once, for an operand of this rank. It reports false for other equations.
func EinsumOrder(equation string, rank int) (perm []int, ok bool) {
	terms, result, err := ParseEinsum(equation)
	if err != nil || len(terms) != 1 {
		return nil, false
	}
	x := tensor.Tensor{Shape: make([]int, rank)}
	terms, result, err = expandEllipses(terms, result, []*tensor.Tensor{&x})
	if err != nil {
		return nil, false
	}
	from, to := []rune(terms[0]), []rune(result)
	for _, label := range to {
		at := slices.Index(from, label)
		if at < 0 || slices.Contains(perm, at) || slices.Contains(from[at+1:], label) {
			return nil, false
		}
		perm = append(perm, at)
	}
	return perm, len(from) == rank && len(to) == rank
}

// einsumByType computes unsigned integers like signed ones: their sums and products have the same
// bits.
var einsumByType = byType[einsumWalk]{
	f32: einsum[float32], f64: einsum[float64], i64: einsum[int64], u64: einsum[int64],
}

// ParseEinsum splits an equation into the labels of its terms and of the result, with one dot for
// an ellipsis. Without an arrow, the result has the dimensions of ellipses and the labels that
// occur once, in alphabetical order. Spaces are ignored.
func ParseEinsum(equation string) (terms []string, result string, err error) {
	text := strings.ReplaceAll(strings.ReplaceAll(equation, " ", ""), "...", string(ellipsis))
	left, right, arrow := strings.Cut(text, "->")
	for _, r := range left + right {
		if !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == ',' || r == ellipsis) {
			return nil, "", msg.Errorf("the equation %q holds %q, which is not a label", equation,
				r)
		}
	}
	for _, t := range append(strings.Split(left, ","), right) {
		if strings.Count(t, string(ellipsis)) > 1 {
			return nil, "", msg.Errorf("a term of the equation %q has two ellipses", equation)
		}
	}
	// Without an arrow, the result has the labels that occur once.
	if arrow {
		return strings.Split(left, ","), right, nil
	}
	if strings.ContainsRune(left, ellipsis) {
		right = string(ellipsis)
	}
	for r := 'A'; r <= 'z'; r++ {
		if strings.Count(left, string(r)) == 1 {
			right += string(r)
		}
	}
	return strings.Split(left, ","), right, nil
}

// An einsumWalk says how operands move over the labels: first those of the result, then the summed
// ones.
type einsumWalk struct {
	dims         []int
	resultLabels int
	// strides is (operand, label). It is 0 if the operand lacks the label, or has one place there.
	strides [][]int
	has     [][]bool
}

// newEinsumWalk assigns a size to each label and strides to each operand. It rejects labels with
// two sizes, labels of the result that no term has, and sums beyond the range of integers.
func newEinsumWalk(terms []string, result string, in []*tensor.Tensor) (einsumWalk, error) {
	labels := result
	for _, t := range terms {
		for _, r := range t {
			if !strings.ContainsRune(labels, r) {
				labels += string(r)
			}
		}
	}
	names := []rune(labels)
	s := einsumWalk{resultLabels: utf8.RuneCountInString(result), dims: make([]int, len(names))}
	fill(s.dims, -1)
	for o, t := range terms {
		if utf8.RuneCountInString(t) != in[o].Rank() {
			return s, msg.Errorf("term %q does not match shape %v", t, in[o].Shape)
		}
		if in[o].Type != in[0].Type {
			return s, mixedError(in[0].Type, in[o].Type)
		}
		strides, has, st := make([]int, len(names)), make([]bool, len(names)),
			tensor.Strides(in[o].Shape)
		for i, r := range []rune(t) {
			l, d := slices.Index(names, r), in[o].Shape[i]
			// A size of 1 broadcasts to any other size of the label.
			if s.dims[l] > 1 && d > 1 && s.dims[l] != d || s.dims[l] == 0 && d > 1 ||
				s.dims[l] > 1 && d == 0 {
				return s, fmt.Errorf("label %c has sizes %d and %d", r, s.dims[l], d)
			}
			if s.dims[l] < 0 || d != 1 {
				s.dims[l] = d
			}
			// A label that occurs twice in a term stands for a diagonal: its strides add up.
			if has[l] = true; d != 1 {
				strides[l] += st[i]
			}
		}
		s.strides, s.has = append(s.strides, strides), append(s.has, has)
	}
	for l, d := range s.dims {
		if d < 0 || strings.Count(result, string(names[l])) > 1 {
			return s, fmt.Errorf("label %c of the result occurs in no term, or twice in the result",
				names[l])
		}
	}
	if _, ok := tensor.Count(s.dims); !ok {
		return s, msg.Errorf("the sum over labels %v is too large for any machine", s.dims)
	}
	return s, nil
}

// einsum sums the products of all operands over all labels, one product at a time.
func einsum[T tensor.Number](
	m *machine.Machine, out *tensor.Tensor, in []*tensor.Tensor, s einsumWalk,
) error {
	if err := allocate(m, out, in[0].Type, s.dims[:s.resultLabels]...); err != nil {
		return err
	}
	dst := tensor.Of[T](out)
	clear(dst)
	src := make([][]T, len(in))
	for o, t := range in {
		src[o] = tensor.Of[T](t)
	}
	summed, w := elements(s.dims[s.resultLabels:]), newWalk(m, s.dims, s.strides...)
	return w.rows(func(at int, from []int) error {
		for i := range w.row() {
			v := T(1)
			for o, p := range from {
				v *= src[o][p+i*w.step(o)]
			}
			// The labels of the result come first, so each run of summed products belongs to one
			// element.
			dst[(at+i)/summed] += v
		}
		return m.Tick(4 * len(in) * w.row())
	})
}
