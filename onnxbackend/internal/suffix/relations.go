package suffix

import (
	"github.com/bagscope/bagscope/onnxbackend/internal/compute"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
	"github.com/bagscope/bagscope/onnxbackend/signature"
)

// A coalition has the relations among its members: the rows and columns of a matrix, or the edges
// with both ends in the coalition. The numbers stay those of the whole bag.

// relate gives the runner a boundary value's relations among the members.
func (w *worker) relate(s *Suffix, b *BoundaryValue) error {
	slot, mc := w.runner.Slot(b.ID), w.runner.Machine()
	w.shape = append(w.shape[:0], b.Value.Shape...)
	if b.Form != signature.Matrix {
		w.kept = s.edgesAmong(w.members, w.kept[:0], &w.place)
		w.shape[b.Axis] = len(w.kept)
	} else {
		w.shape[b.Axis], w.shape[b.Axis+1] = len(w.members), len(w.members)
	}
	if err := mc.Alloc(slot, b.Value.Type, w.shape...); err != nil {
		return err
	}
	if err := mc.Tick(slot.Len()); err != nil {
		return err
	}
	if b.Form == signature.Matrix {
		compute.GatherPairs(slot, b.Value, b.Axis, w.members)
		return nil
	}
	compute.GatherPlaces(slot, b.Value, b.Axis, w.kept)
	if b.Form == signature.EdgeEnds {
		w.renumber(slot)
	}
	return nil
}

// edgesAmong appends the numbers of the edges whose ends are both members. place is set to the
// place of each instance in the list of members, or -1.
func (s *Suffix) edgesAmong(members, to []int, place *[]int) []int {
	*place = append((*place)[:0], make([]int, s.instances)...)
	for i := range *place {
		(*place)[i] = -1
	}
	for at, i := range members {
		(*place)[i] = at
	}
	ends := s.ends()
	from, into := endsOf(ends)
	for e := range ends.Len() / 2 {
		if (*place)[from(e)] >= 0 && (*place)[into(e)] >= 0 {
			to = append(to, e)
		}
	}
	return to
}

// ends returns the boundary value with the ends of edges, or nil.
func (s *Suffix) ends() *tensor.Tensor {
	for i := range s.Boundary {
		if s.Boundary[i].Form == signature.EdgeEnds {
			return s.Boundary[i].Value
		}
	}
	return nil
}

// endsOf returns the functions of both ends of an edge.
func endsOf(t *tensor.Tensor) (from, to func(edge int) int) {
	n := t.Len() / 2
	if t.Type == tensor.Int32 {
		v := tensor.Of[int32](t)
		return func(e int) int { return int(v[e]) }, func(e int) int { return int(v[n+e]) }
	}
	v := tensor.Of[int64](t)
	return func(e int) int { return int(v[e]) }, func(e int) int { return int(v[n+e]) }
}

// renumber replaces instances of the bag by their places among the members.
func (w *worker) renumber(t *tensor.Tensor) {
	if t.Type == tensor.Int32 {
		v := tensor.Of[int32](t)
		for i := range v {
			v[i] = int32(w.place[v[i]])
		}
		return
	}
	v := tensor.Of[int64](t)
	for i := range v {
		v[i] = int64(w.place[v[i]])
	}
}

// relationsFit reports whether relations that another program sent have the shapes and the numbers
// that gathering relies on.
func (s *Suffix) relationsFit() bool {
	ends := s.ends()
	for _, b := range s.Boundary {
		shape := b.Value.Shape
		switch b.Form {
		case signature.NoRelation:
			continue
		case signature.Matrix:
			if len(shape) < 2 || b.Axis != len(shape)-2 || shape[b.Axis] != s.instances ||
				shape[b.Axis+1] != s.instances {
				return false
			}
		case signature.EdgeEnds:
			t := b.Value.Type
			if b.Axis < 1 || b.Axis != len(shape)-1 || b.Value.Len() != 2*shape[b.Axis] ||
				t != tensor.Int64 && t != tensor.Int32 || !s.endsExist(b.Value) {
				return false
			}
		case signature.EdgeWeights:
			if ends == nil || b.Axis >= len(shape) || b.Value.Len() != shape[b.Axis] ||
				2*b.Value.Len() != ends.Len() {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// endsExist reports whether edges join instances of the bag.
func (s *Suffix) endsExist(t *tensor.Tensor) bool {
	from, to := endsOf(t)
	for e := range t.Len() / 2 {
		if min(from(e), to(e)) < 0 || max(from(e), to(e)) >= s.instances {
			return false
		}
	}
	return true
}
