package masked

import (
	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/plan"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// attention is the step of a self-attention: of nodes that compute values of pairs, and of the node
// that computes members or rows from them.
type attention struct {
	apart
	operands []pairOperand
	nodes    []pairNode  // nodes in the order of evaluation, each with one output
	last     []pairInput // inputs of the node that computes members or rows
	narrows  bool        // queries are kept apart, so that some can be left out
}

// pairOperand is what nodes of pairs read beside the results of each other.
type pairOperand struct {
	memberOperand
	query bool   // its places are queries
	axes  [2]int // axes of queries and keys, if a value of the bag is pairwise
	keep  int    // number in block.kept from 1 on if several operands are this value, else 0
}

// pairNode is a node of an attention.
type pairNode struct {
	node *graph.Node
	in   []pairInput
}

// pairInput is an input of such a node: a constant, which is nil for an omitted input, or the
// number of a node, or that of an operand: -1, -2 and so on.
type pairInput struct {
	constant bool
	tensor   *tensor.Tensor
	at       int
}

func (s *attention) reads() (slots []int) {
	for _, o := range s.operands {
		slots = append(slots, reads(o.memberOperand)...)
	}
	return slots
}

// need implements memberStep: queries are needed where the output is.
func (s *attention) need(all []bool) {
	if !s.narrows {
		for _, at := range s.writes() {
			all[at] = true
		}
	}
	for i := range s.operands {
		o := &s.operands[i]
		o.first = s.narrows && (o.query || o.kind == pairwise)
		for _, at := range s.writes() {
			o.first = o.first && !all[at]
		}
		need(all, o.memberOperand)
	}
}

// run computes one coalition after another.
func (s *attention) run(r *Runner) error {
	t := r.block.tensorsOfPairs(len(s.operands) + len(s.nodes))
	for j := range r.Len() {
		err := s.one(r, t[:len(s.operands)], t[len(s.operands):], j)
		for i := range t {
			r.m.Release(&t[i])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// one computes coalition j. operands and results are empty tensors.
func (s *attention) one(r *Runner, operands, results []tensor.Tensor, j int) error {
	for i := range s.operands {
		if err := r.pairOperand(&operands[i], &s.operands[i], j); err != nil {
			return err
		}
	}
	// run computes a node from operands, results of earlier nodes and constants.
	run := func(n *graph.Node, inputs []pairInput, outputs int) ([]*tensor.Tensor, error) {
		in, _, out := r.block.node(len(inputs), outputs)
		for i, from := range inputs {
			switch {
			case from.constant:
				in[i] = from.tensor
			case from.at < 0:
				in[i] = &operands[-1-from.at]
			default:
				in[i] = &results[from.at]
			}
		}
		err := n.Func(r.m, in, out)
		r.m.EndNode()
		if err != nil {
			return out, plan.Wrap(r.m, n, err)
		}
		return out, nil
	}
	for i, p := range s.nodes {
		out, err := run(p.node, p.in, 1)
		if err != nil {
			r.m.Release(out[0])
			return err
		}
		move(&results[i], out[0])
	}
	// The last node writes to slots; the others only to results, which end with the coalition.
	out, err := run(s.node, s.last, len(s.out))
	for i, at := range s.out {
		if at >= 0 && err == nil {
			err = s.keep(r, at, s.rows[i], out[i], j)
		}
		r.m.Release(out[i])
	}
	return err
}

// move gives the memory of a tensor to another, which has none.
func move(to, from *tensor.Tensor) {
	shape := append(to.Shape[:0], from.Shape...)
	*to = *from
	to.Shape = shape
	from.Words, from.Block = nil, nil
}

// pairOperand makes t an operand of coalition j.
func (r *Runner) pairOperand(t *tensor.Tensor, o *pairOperand, j int) error {
	if o.kind != pairwise {
		return r.operand(t, &o.memberOperand, j)
	}
	lists := [2][]int{r.block.of(j), r.block.of(j)}
	if o.first {
		lists[0] = r.block.first.of(j)
	}
	// gatherPairs takes the axes in ascending order, and keys may come before queries.
	axes := o.axes
	if axes[0] > axes[1] {
		axes[0], axes[1], lists[0], lists[1] = axes[1], axes[0], lists[1], lists[0]
	}
	if o.keep == 0 || o.first {
		return r.gatherPairs(t, o.tensor, axes, lists)
	}
	// Several operands are these pairs: the first one gathers them for the block.
	kept := &r.block.kept[o.keep-1][j]
	if kept.Shape == nil {
		if err := r.gatherPairs(kept, o.tensor, axes, lists); err != nil {
			return err
		}
	}
	t.Type, t.Words, t.Shape = kept.Type, kept.Words, append(t.Shape[:0], kept.Shape...)
	t.Block = nil
	return nil
}

// keepPairs finds the pairs of the bag that several operands are, so that a block takes those of a
// coalition once.
func (p *Plan) keepPairs() {
	operands := map[*tensor.Tensor][]*pairOperand{}
	for _, st := range p.steps {
		s, ok := st.(*attention)
		if !ok {
			continue
		}
		for i := range s.operands {
			o := &s.operands[i]
			if o.kind != pairwise {
				continue
			}
			if operands[o.tensor] = append(operands[o.tensor], o); len(operands[o.tensor]) == 2 {
				p.kept++
			}
			if first := operands[o.tensor][0]; len(operands[o.tensor]) > 1 {
				if first.keep == 0 {
					first.keep = p.kept
				}
				o.keep = first.keep
			}
		}
	}
}

// gatherPairs makes t the pairs of two lists of places along two axes, in ascending order, of a
// value of the bag.
func (r *Runner) gatherPairs(t, of *tensor.Tensor, axes [2]int, lists [2][]int) error {
	outer, n, rest := tensor.Split(of.Shape, axes[0])
	between, m, inner := tensor.Split(of.Shape[axes[0]+1:], axes[1]-axes[0]-1)
	shape := append(r.block.shape[:0], of.Shape...)
	shape[axes[0]], shape[axes[1]] = len(lists[0]), len(lists[1])
	r.block.shape = shape
	if err := r.m.Alloc(t, of.Type, shape...); err != nil {
		return err
	}
	if err := r.m.Tick(t.Len()); err != nil {
		return err
	}
	// Most pairs are single floats, which are copied without a call for each.
	if of.Type == tensor.Float32 && inner == 1 {
		from, to := tensor.Of[float32](of), tensor.Of[float32](t)
		for o := range outer {
			for _, q := range lists[0] {
				for b := range between {
					row := from[((o*n+q)*between+b)*m:][:m]
					for i, k := range lists[1] {
						to[i] = row[k]
					}
					to = to[len(lists[1]):]
				}
			}
		}
		return nil
	}
	size := of.Type.Size()
	rest, inner = rest*size, inner*size
	from, to := of.Bytes(), t.Bytes()
	for o := range outer {
		for _, q := range lists[0] {
			for b := range between {
				row := from[(o*n+q)*rest+b*m*inner:]
				for _, k := range lists[1] {
					copy(to[:inner], row[k*inner:])
					to = to[inner:]
				}
			}
		}
	}
	return nil
}
