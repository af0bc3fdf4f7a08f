package signature

import (
	"errors"
	"slices"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// Exporters write numbers that Python computed from the example, such as the sizes of a reshape, as
// constants. The file then takes bags of the example's number of instances, and of few others. Runs
// on random bags prove it before a bag fails: the graph runs on n instances, and not on more.
// Graphs that run on more instances, need a least number, or fail for other reasons are not noted.

// Bounds of the search for a fixed number of instances.
const (
	countWork   = 1 << 27 // multiplications, or elements touched, of all runs
	mostCount   = 1 << 12 // the largest number that is tried
	countValues = 64      // elements of a constant that may hold sizes
)

// noteFixedCount notes a number of instances that the graph takes, and a larger one that it does
// not take, if there are two.
func (s *Signature) noteFixedCount() {
	at := s.input.one()
	if s.graph == nil || at == nil {
		return
	}
	r := &randomRuns{s: s, work: countWork}
	// fails returns the node that fails on n instances. done is set if a limit ends a run.
	done := false
	fails := func(n int) (node *fault.Run) {
		bag, ok := s.randomBag(n, at, uint64(n), 1)
		if ok && r.run(bag.Give) {
			return nil
		}
		done = !ok || !errors.As(r.err, &node)
		return node
	}
	for _, n := range append(slices.Clone(randomSizes[:]), s.constantSizes()...) {
		if fails(n) != nil {
			continue
		}
		for _, more := range []int{n + 1, 2*n + 1, 65, 66} {
			if more <= n || done {
				continue
			}
			if node := fails(more); node != nil {
				s.noteConstant(n, more, node)
				return
			}
		}
		return
	}
}

// noteConstant notes that the graph takes n instances, and fails in a node for more.
func (s *Signature) noteConstant(n, more int, node *fault.Run) {
	s.input.Notes = append(s.input.Notes, msg.Sprintf("The model takes bags of %d instances, and "+
		"not of %d: node %q (%s) fails: the file holds a number of them; in its code, "+
		"%s; then export with a dynamic axis.", n, more, node.Node, node.Op,
		msg.Text(insteadOf(node.Op))))
}

// constantCause returns the error of a node, that the file holds a number of instances, and how to
// export another one.
func constantCause(node *fault.Run) string {
	return msg.Sprintf("%s. The file holds a number of instances as a constant. In the code of "+
		"that node, %s; then export with the axis of the instances dynamic", node,
		insteadOf(node.Op))
}

// insteadOf says what to write instead of a number that became a constant of an operator.
func insteadOf(op string) string {
	switch op {
	case "Reshape":
		return "write -1 or x.shape[...] for that number in reshape and view"
	case "Expand", "Tile", "ConstantOfShape":
		return "write x.shape[...] for that number in expand, repeat, zeros and ones"
	case "Gather", "GatherND", "GatherElements", "Slice", "ScatterElements", "ScatterND":
		return "compute indices by torch, because those of Python and NumPy become constants"
	case "Add", "Sub", "Mul", "Div":
		return "cut tables of positions and other constants to x.shape[...] rows"
	}
	return "take that number from x.shape[...], not from len, int or a loop"
}

// constantSizes returns what the number of the example may be: 2 up to sizesMost, the numbers in
// small constants, the sizes of tables, and those smaller by one, because a class token is one row
// more. Each is listed once, the smallest first.
func (s *Signature) constantSizes() []int {
	var sizes []int
	for n := 2; n <= sizesMost; n++ { // a constant of one row broadcasts to one instance too
		sizes = append(sizes, n)
	}
	add := func(n int) {
		if n > 2 && n <= mostCount {
			sizes = append(sizes, n-1, n)
		}
	}
	for _, v := range s.graph.Run.Values {
		switch {
		case v.Const == nil:
		case v.Const.Type == tensor.Int64 && v.Const.Len() <= countValues:
			for _, n := range tensor.Of[int64](v.Const) {
				add(int(min(max(n, 0), mostCount+1)))
			}
		case v.Const.Type.Float():
			for _, n := range v.Const.Shape {
				add(n)
			}
		}
	}
	slices.Sort(sizes)
	return slices.Compact(sizes)
}
