package compute

import (
	"fmt"
	"math"
	"slices"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// tripCost is the work of a trip in addition to that of its nodes, as Tick counts it. It bounds
// loops whose bodies do nothing.
const tripCost = 256

// An iteration is a Loop or Scan during a run. States go from trip to trip. Further outputs of each
// trip are collected, and stacked at the end.
type iteration struct {
	m         *machine.Machine
	body      *Body
	first     int // outputs of the body before the states
	state     []tensor.Tensor
	collected [][]tensor.Tensor // (output, trip)
}

// newIteration returns an iteration of a body whose first outputs are first others, then the
// states. It shares the memory of the initial states.
func newIteration(m *machine.Machine, b *Body, first int, states []*tensor.Tensor) *iteration {
	r := &iteration{m: m, body: b, first: first, state: make([]tensor.Tensor, len(states)),
		collected: make([][]tensor.Tensor, len(b.Outputs)-first-len(states))}
	for i, t := range states {
		m.Share(&r.state[i], t, t.Shape)
	}
	return r
}

// trip runs the body once: lead and follow are its inputs before and after the states. more is its
// first output if that is a condition, else true.
func (r *iteration) trip(lead, follow, around []*tensor.Tensor) (more bool, err error) {
	if err := r.m.Tick(tripCost); err != nil {
		return false, err
	}
	// The inputs of the body are those of the trip, the states, and slices of sequences.
	args := slices.Clone(lead)
	for i := range r.state {
		args = append(args, &r.state[i])
	}
	made := make([]tensor.Tensor, len(r.body.Outputs))
	out := make([]*tensor.Tensor, len(made))
	for i := range made {
		out[i] = &made[i]
	}
	if err := r.body.Run(r.m, append(args, follow...), around, out); err != nil {
		return false, err
	}
	// The new states replace those of the trip before.
	next := made[r.first:]
	for i := range r.state {
		r.m.Release(&r.state[i])
		r.state[i] = next[i]
	}
	for i := range r.collected {
		r.collected[i] = append(r.collected[i], next[len(r.state)+i])
	}
	if r.first == 0 {
		return true, nil
	}
	more, err = truthOf(&made[0])
	r.m.Release(&made[0])
	return more, err
}

// finish returns the states and the stacked outputs in out. stack returns along which axis
// collected output i is stacked, given its rank, and whether in backward order.
func (r *iteration) finish(
	out []*tensor.Tensor, stack func(i, rank int) (axis int, backward bool, err error),
) error {
	for i, o := range out {
		if i < len(r.state) {
			r.m.Share(o, &r.state[i], r.state[i].Shape)
			continue
		}
		j := i - len(r.state)
		if err := r.stack(o, r.collected[j], r.first+i,
			func(rank int) (int, bool, error) { return stack(j, rank) }); err != nil {
			return err
		}
	}
	return nil
}

// release frees the states and the collected outputs, also after an error.
func (r *iteration) release() {
	for i := range r.state {
		r.m.Release(&r.state[i])
	}
	for _, list := range r.collected {
		for i := range list {
			r.m.Release(&list[i])
		}
	}
}

// stack joins what the trips returned as one output of the body: all must have one type and shape.
// how returns the axis for a rank, and whether the order is backward.
func (r *iteration) stack(
	out *tensor.Tensor, parts []tensor.Tensor, output int, how func(rank int) (int, bool, error),
) error {
	if len(parts) == 0 {
		return r.allocateEmpty(out, output)
	}
	x := &parts[0]
	axis, backward, err := how(x.Rank() + 1)
	if err != nil {
		return err
	}
	if err := allocate(r.m, out, x.Type, slices.Insert(slices.Clone(x.Shape), axis,
		len(parts))...); err != nil {
		return err
	}
	dst, outer, inner := out.Bytes(), elements(x.Shape[:axis]),
		elements(x.Shape[axis:])*x.Type.Size()
	for t := range parts {
		y := &parts[t]
		if y.Type != x.Type || !slices.Equal(y.Shape, x.Shape) {
			return msg.Errorf("trips return %v %v and %v %v, which cannot be stacked", x.Type,
				x.Shape, y.Type, y.Shape)
		}
		if backward {
			t = len(parts) - 1 - t
		}
		src := y.Bytes()
		for o := range outer {
			copy(dst[(o*len(parts)+t)*inner:][:inner], src[o*inner:])
		}
	}
	return nil
}

// allocateEmpty makes the result of a loop without trips: of the shape that the file states, with 0
// for unknown dimensions.
func (r *iteration) allocateEmpty(out *tensor.Tensor, output int) error {
	v := r.body.Outputs[output]
	if v.Type.Runtime().Size() == 0 {
		return msg.Errorf(
			"it runs no trip, and the file states no type for output %q of its body",
			v.Name)
	}
	shape := []int{0}
	for _, d := range v.Shape {
		shape = append(shape, max(d, 0))
	}
	return r.m.Alloc(out, v.Type.Runtime(), shape...)
}

// repeated returns the body of a Loop or Scan and the number of its outputs that trips collect
// (scans). These follow the states; first counts the outputs before the states. inputs is the
// number of inputs that the body must have.
func (n *Node) repeated(inputs, first, states int) (body *Body, scans int) {
	if b := n.Bodies["body"]; b != nil {
		scans = max(0, len(b.Outputs)-first-states)
	}
	if n.Outputs > states+scans {
		n.fail("it has %d outputs, but its body returns %d", n.Outputs, states+scans)
	}
	return n.body("body", inputs, first+states+scans), scans
}

// NewLoop makes Loop, which repeats its body until a number of trips is reached or a condition is
// false. Inputs are the number, the condition, either of which may be omitted, and the states.
func NewLoop(n *Node) (Func, error) {
	states := max(0, n.Inputs-2)
	body, _ := n.repeated(2+states, 1, states)
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		// Without a number of trips, only the condition ends the loop.
		trips, more := math.MaxInt, true
		var err error
		if in[0] != nil {
			if trips, err = intOf(in[0]); err != nil {
				return err
			}
		}
		if in[1] != nil {
			if more, err = truthOf(in[1]); err != nil {
				return err
			}
		}
		r := newIteration(m, body, 1, in[2:n.Inputs])
		defer r.release()
		for t := 0; t < trips && more; t++ {
			// The machine's limit ends loops whose condition never becomes false.
			if err := m.Trips(t + 1); err != nil {
				return err
			}
			number, condition := tensor.From(tensor.Int64, []int64{int64(t)}),
				tensor.From(tensor.Bool, []uint8{1})
			if more, err = r.trip([]*tensor.Tensor{number, condition}, nil, in); err != nil {
				return err
			}
		}
		return r.finish(out, func(int, int) (int, bool, error) { return 0, false, nil })
	}, nil
}

// NewScan makes Scan, which runs its body on the slices of sequences along an axis. Inputs are
// states, then the sequences, which are equally long. Outputs are the last states, then the
// collected outputs of the body, stacked along axes of their own.
func NewScan(n *Node) (Func, error) {
	if n.Opset < 9 {
		return nil, fmt.Errorf("the batches of Scan before opset 9 are not computed by this " +
			"engine; export with opset 9 or newer")
	}
	sequences := n.Int("num_scan_inputs", 0)
	states := n.Inputs - sequences
	if states < 0 {
		n.fail("attribute num_scan_inputs is %d for %d inputs", sequences, n.Inputs)
		return nil, nil
	}
	body, scans := n.repeated(n.Inputs, 0, states)
	from, to := n.scanAxes("input", sequences), n.scanAxes("output", scans)
	return func(m *machine.Machine, in, out []*tensor.Tensor) error {
		// The body has no condition, so its first output is a state.
		r := newIteration(m, body, 0, in[:states])
		defer r.release()
		trips := -1
		axes := make([]int, sequences)
		for i, x := range in[states:n.Inputs] {
			a, err := axisOf(from[i].axis, x.Rank())
			if err != nil {
				return err
			}
			if axes[i] = a; trips >= 0 && x.Shape[a] != trips {
				return fmt.Errorf("its sequences are %d and %d long", trips, x.Shape[a])
			}
			trips = x.Shape[a]
		}
		if err := m.Trips(trips); err != nil {
			return err
		}
		slot := make([]tensor.Tensor, sequences)
		for t := range trips {
			var parts []*tensor.Tensor
			for i, x := range in[states:n.Inputs] {
				if err := from[i].slice(m, &slot[i], x, axes[i], t); err != nil {
					return err
				}
				parts = append(parts, &slot[i])
			}
			_, err := r.trip(nil, parts, in)
			for i := range slot {
				m.Release(&slot[i])
			}
			if err != nil {
				return err
			}
		}
		return r.finish(out, func(i, rank int) (int, bool, error) {
			a, err := axisOf(to[i].axis, rank)
			return a, to[i].backward, err
		})
	}, nil
}

// A scanAxis is the axis along which a Scan reads or writes a tensor, and from which end.
type scanAxis struct {
	axis     int
	backward bool
}

// scanAxes reads attributes scan_input_axes and scan_input_directions, or those of outputs. By
// default the axis is 0 and the direction forward.
func (n *Node) scanAxes(side string, count int) []scanAxis {
	axes, directions := n.Ints("scan_"+side+"_axes"), n.Ints("scan_"+side+"_directions")
	if axes != nil && len(axes) != count || directions != nil && len(directions) != count {
		n.fail("%d axes and %d directions for %d scanned %ss", len(axes), len(directions), count,
			side)
		return nil
	}
	list := make([]scanAxis, count)
	for i := range list {
		if axes != nil {
			list[i].axis = axes[i]
		}
		list[i].backward = directions != nil && directions[i] == 1
	}
	return list
}

// slice makes the part of x that trip t reads. It drops the axis.
func (c scanAxis) slice(m *machine.Machine, out, x *tensor.Tensor, axis, t int) error {
	if c.backward {
		t = x.Shape[axis] - 1 - t
	}
	if err := gathered(m, out, x, axis, []int{t}); err != nil {
		return err
	}
	out.Shape = slices.Delete(out.Shape, axis, axis+1)
	return nil
}
