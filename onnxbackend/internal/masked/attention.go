package masked

import (
	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/plan"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// attention is the step of a self-attention.
type attention struct {
	query, key, values memberOperand
	scores             *tensor.Tensor  // scores of the whole bag, or nil
	beside             []memberOperand // values of the keys that nodes read, such as a mask
	nodes              []pairNode      // the product if there are no scores; the last sums values
	out                int             // slot of members
}

// pairNode is a node of an attention.
type pairNode struct {
	node *graph.Node
	in   []pairInput
}

// pairInput is an input of such a node: a constant, or the number of a tensor in block.pairs. The
// first three of those are query, key or scores, and values; then come the nodes' outputs, and last
// the values of the keys, with the numbers -1, -2 and so on.
type pairInput struct {
	tensor *tensor.Tensor
	at     int
}

// Numbers of tensors in block.pairs.
const (
	ofQuery = iota
	ofKey   // or the scores
	ofValues
	ofNodes
)

func (s *attention) reads() []int  { return reads(s.query, s.key, s.values) }
func (s *attention) writes() []int { return []int{s.out} }

// need implements memberStep: queries are needed where the output is.
func (s *attention) need(all []bool) {
	s.query.first = !all[s.out]
	need(all, s.query, s.key, s.values)
}

// place returns the place in block.pairs of a number.
func (s *attention) place(at int) int {
	if at < 0 {
		return ofNodes + len(s.nodes) - 1 - at
	}
	return at
}

// run computes one coalition after another.
func (s *attention) run(r *Runner) error {
	if _, err := r.alloc(s.out); err != nil {
		return err
	}
	t := r.block.tensorsOfPairs(ofNodes + len(s.nodes) + len(s.beside))
	for j := range r.Len() {
		err := s.one(r, t, j)
		for i := range t {
			r.m.Release(&t[i])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// one computes coalition j.
func (s *attention) one(r *Runner, t []tensor.Tensor, j int) error {
	if err := r.operand(&t[ofValues], &s.values, j); err != nil {
		return err
	}
	if s.scores != nil {
		queries := r.block.of(j)
		if s.query.first {
			queries = r.block.first.of(j)
		}
		if err := r.gatherPairs(&t[ofKey], s.scores, queries, r.block.of(j)); err != nil {
			return err
		}
	} else if err := r.operand(&t[ofQuery], &s.query, j); err != nil {
		return err
	} else if err := r.operand(&t[ofKey], &s.key, j); err != nil {
		return err
	}
	for i := range s.beside {
		if err := r.operand(&t[s.place(-1-i)], &s.beside[i], j); err != nil {
			return err
		}
	}
	for i, p := range s.nodes {
		in, _, out := r.block.node(len(p.in), 1)
		for k, from := range p.in {
			if in[k] = from.tensor; from.tensor == nil {
				in[k] = &t[s.place(from.at)]
			}
		}
		err := p.node.Func(r.m, in, out)
		r.m.EndNode()
		if err != nil {
			r.m.Release(out[0])
			return plan.Wrap(r.m, p.node, err)
		}
		move(&t[ofNodes+i], out[0])
	}
	last := len(s.nodes) - 1
	return r.keep(s.nodes[last].node, s.out, &t[ofNodes+last], j)
}

// move gives the memory of a tensor to another, which has none.
func move(to, from *tensor.Tensor) {
	shape := append(to.Shape[:0], from.Shape...)
	*to = *from
	to.Shape = shape
	from.Words, from.Block = nil, nil
}

// gatherPairs makes t the pairs of queries and keys of the scores of the whole bag.
func (r *Runner) gatherPairs(t, scores *tensor.Tensor, queries, keys []int) error {
	axis := len(scores.Shape) - 2
	outer, places, _ := tensor.Split(scores.Shape, axis)
	shape := append(r.block.shape[:0], scores.Shape...)
	shape[axis], shape[axis+1] = len(queries), len(keys)
	r.block.shape = shape
	if err := r.m.Alloc(t, scores.Type, shape...); err != nil {
		return err
	}
	if err := r.m.Tick(t.Len()); err != nil {
		return err
	}
	from, to := tensor.Of[float32](scores), tensor.Of[float32](t)
	for o := range outer {
		for _, q := range queries {
			row := from[(o*places+q)*places:][:places]
			for i, k := range keys {
				to[i] = row[k]
			}
			to = to[len(keys):]
		}
	}
	return nil
}
