//go:build gpu

package gpu

import (
	"context"

	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// Join implements device.Session. A block's rows are one run of elements for each index of the axes
// before the rows', and go to their place by a copy with strides. If dst is on the device already,
// src must get there; the error is a *device.Retreat if it cannot.
func (s *session) Join(dst, src *tensor.Tensor, axis, lo int) (done bool, err error) {
	err = s.p.use(func() error {
		if s.at[dst] == nil {
			if !s.supports(dst) || !s.supports(src) {
				return nil
			}
			b, err := s.alloc(4 * dst.Len())
			if err == errFull {
				return nil
			}
			if err != nil {
				return err
			}
			s.note(dst, b, false)
		}
		err := s.joinRows(s.at[dst].buffer, dst, src, axis, lo)
		if err == errFull || err == errNotFinite {
			err = s.p.retreat(err.Error())
		}
		done = err == nil
		return err
	})
	return done, err
}

// joinRows records the copy of src into the buffer of dst.
func (s *session) joinRows(to *buffer, dst, src *tensor.Tensor, axis, lo int) error {
	from, err := s.place(src, false)
	if err != nil {
		return err
	}
	outer, rows, inner := tensor.Split(dst.Shape, axis)
	n := src.Len()
	run := n / outer
	var with params
	with.ints(0, n, 0, lo*inner)
	for i := range mostMoved {
		with.ints(4+i, 1)
	}
	with.ints(4, run, outer)
	with.ints(10, 1, run)
	with.ints(16, 1, rows*inner)
	s.cost.Work += n
	return s.p.dispatch(&s.record, "move", with, groupsOf(n), n, to, from)
}

// Turn implements device.Session.
func (s *session) Turn(ctx context.Context) error {
	return s.p.use(func() error {
		if err := s.p.submit(&s.record); err != nil {
			return err
		}
		before := s.turn
		s.turn = s.p.mark()
		if before == nil {
			return nil
		}
		return s.p.reach(ctx, before)
	})
}
