package ops

import (
	"strings"

	"github.com/bagscope/bagscope/onnxbackend/internal/compute"
)

// A Product is a contraction of two tensors: it sums over the labels that its result lacks. Passes
// compare labels to see which axes a product combines, whatever operator computes it. For example,
// a MatMul of matrices has the terms "ms" and "sn" and the result "mn".
type Product struct {
	// Terms holds a label for each dimension of the factors.
	Terms [2][]rune
	// Result holds the labels of the result.
	Result []rune
}

// A ProductRule returns the labels of a product of two tensors of shapes a and b. It reports false
// if the node is not such a product, for example because it has three operands.
type ProductRule func(n *Node, a, b []int) (Product, bool)

// Product returns what a node multiplies, given the shapes of its first two inputs. It reports
// false if the node is not a product of two tensors, or if a factor has a label twice, which stands
// for a diagonal.
func (n *Node) Product(a, b []int) (p Product, ok bool) {
	if n.Row == nil || n.Row.Product == nil {
		return p, false
	}
	if p, ok = n.Row.Product(n, a, b); !ok {
		return p, false
	}
	ok = len(p.Terms[0]) == len(a) && len(p.Terms[1]) == len(b)
	return p, ok && once(p.Terms[0]) && once(p.Terms[1])
}

// matMulProduct labels a MatMul, which depends on the ranks alone.
func matMulProduct(_ *Node, a, b []int) (Product, bool) { return matrices(len(a), len(b)), true }

// gemmProduct labels the product of a Gemm, without the addend: m rows, s summed, n columns.
func gemmProduct(n *Node, _, _ []int) (Product, bool) {
	p := Product{[2][]rune{{'m', 's'}, {'s', 'n'}}, []rune{'m', 'n'}}
	for side, name := range [2]string{"transA", "transB"} {
		if t := p.Terms[side]; n.Int(name, 0) != 0 {
			t[0], t[1] = t[1], t[0]
		}
	}
	return p, true
}

// einsumTerms returns the labels of an Einsum's operands and of its result. It reports false for
// ellipses, whose labels depend on the ranks.
func einsumTerms(n *Node) (terms []string, result string, ok bool) {
	equation := n.Text("equation", "")
	terms, result, err := compute.ParseEinsum(equation)
	return terms, result, err == nil && !strings.Contains(equation, ".")
}

// einsumProductOf labels an Einsum of two operands.
func einsumProductOf(n *Node, _, _ []int) (p Product, ok bool) {
	terms, result, ok := einsumTerms(n)
	if !ok || len(terms) != 2 {
		return p, false
	}
	return Product{[2][]rune{[]rune(terms[0]), []rune(terms[1])}, []rune(result)}, true
}

// firstBatchLabel is the label of the last batch dimension of a MatMul. Those before it have the
// labels that follow.
const firstBatchLabel = '\u0100'

// matrices labels a MatMul of tensors of ranks a and b. Batch dimensions are numbered from the end,
// so that broadcast ones get the same label. A vector has the summed label only.
func matrices(a, b int) Product {
	lead := func(rank int) (out []rune) {
		for i := rank - 3; i >= 0; i-- {
			out = append(out, firstBatchLabel+rune(i))
		}
		return out
	}
	p := Product{Terms: [2][]rune{lead(a), lead(b)}, Result: lead(max(a, b))}
	if a > 1 {
		p.Terms[0], p.Result = append(p.Terms[0], 'm'), append(p.Result, 'm')
	}
	p.Terms[0], p.Terms[1] = append(p.Terms[0], 's'), append(p.Terms[1], 's')
	if b > 1 {
		p.Terms[1], p.Result = append(p.Terms[1], 'n'), append(p.Result, 'n')
	}
	return p
}

// once reports whether there is a label and none occurs twice.
func once(labels []rune) bool {
	for i, r := range labels {
		if strings.ContainsRune(string(labels[:i]), r) {
			return false
		}
	}
	return len(labels) > 0
}
