package ops

import (
	"strings"
)

// A Product is a product of two tensors that sums over the labels that its result lacks.
type Product struct {
	Terms  [2][]rune // a label for each dimension of the factors
	Result []rune    // and of the result
}

// Product returns what a MatMul, Gemm or Einsum of two tensors of the given shapes multiplies. It fails for other nodes, and where a
// factor has a label twice.
func (n *Node) Product(a, b []int) (p Product, ok bool) {
	switch n.Op {
	case "MatMul":
		p = matrices(len(a), len(b))
	case "Gemm":
		p = Product{[2][]rune{{'m', 's'}, {'s', 'n'}}, []rune{'m', 'n'}}
		for side, name := range [2]string{"transA", "transB"} {
			if t := p.Terms[side]; n.Int(name, 0) != 0 {
				t[0], t[1] = t[1], t[0]
			}
		}
	case "Einsum":
		terms, result, err := parseEinsum(n.Text("equation", ""))
		if err != nil || len(terms) != 2 {
			return p, false
		}
		if strings.ContainsRune(terms[0]+terms[1], rest) {
			return p, false
		}
		p = Product{[2][]rune{[]rune(terms[0]), []rune(terms[1])}, []rune(result)}
	default:
		return p, false
	}
	return p, len(p.Terms[0]) == len(a) && len(p.Terms[1]) == len(b) && once(p.Terms[0]) && once(p.Terms[1])
}

// matrices labels a MatMul of tensors of so many dimensions: those in front of the matrices count from the end.
func matrices(a, b int) Product {
	lead := func(rank int) (out []rune) {
		for i := rank - 3; i >= 0; i-- {
			out = append(out, firstRest+rune(i))
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

// once reports whether no label is there twice.
func once(labels []rune) bool {
	for i, r := range labels {
		if strings.ContainsRune(string(labels[:i]), r) {
			return false
		}
	}
	return len(labels) > 0
}
