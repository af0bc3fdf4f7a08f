package compute

import (
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// steps64 computes the cells in float64, unit by unit. No known model needs it, so it is plain
// rather than fast.
type steps64 struct {
	*layer
	x, h, c, w, r, b, p []float64
	input               int
}

// sum returns what input and biases contribute to a unit of a gate, and what a state h contributes.
func (s *steps64) sum(gate, unit int, h []float64) (ofInput, ofState float64) {
	row := gate*s.hidden + unit
	for i, v := range s.x {
		ofInput += v * s.w[row*s.input+i]
	}
	for i, v := range h {
		ofState += v * s.r[row*s.hidden+i]
	}
	if s.b != nil {
		ofInput += s.b[row]
		ofState += s.b[len(s.b)/2+row]
	}
	return ofInput, ofState
}

// gate returns an activation of a unit. c is the cell state of an LSTM, which peepholes read, or
// nil.
func (s *steps64) gate(act, gate, unit int, h, c []float64) float64 {
	v, w := s.sum(gate, unit, h)
	v += w
	if s.p != nil && c != nil {
		v += s.p[gate*s.hidden+unit] * c[unit]
	}
	return s.bounded(act, v)
}

// bounded clips v to attribute clip, if it is set, and applies an activation.
func (s *steps64) bounded(act int, v float64) float64 {
	if clip := float64(s.clip); clip > 0 {
		v = max(-clip, min(clip, v))
	}
	return s.acts[act].one(v)
}

// rnn computes the next state of an RNN.
func (s *steps64) rnn(next []float64) {
	for u := range s.hidden {
		next[u] = s.gate(0, 0, u, s.h, nil)
	}
}

// gru computes the next state of a GRU. The second half of next holds the reset gate.
func (s *steps64) gru(next []float64) {
	n := s.hidden
	reset := next[n:]
	for u := range n {
		reset[u] = s.gate(0, 1, u, s.h, nil)
		if !s.resetLate {
			reset[u] *= s.h[u]
		}
	}
	for u := range n {
		var v, w float64
		if s.resetLate {
			v, w = s.sum(2, u, s.h)
			w *= reset[u]
		} else {
			v, w = s.sum(2, u, reset)
		}
		z := s.gate(0, 0, u, s.h, nil)
		next[u] = (1-z)*s.bounded(1, v+w) + z*s.h[u]
	}
}

// lstm computes the next state of an LSTM and replaces its cell state.
func (s *steps64) lstm(next []float64) {
	n := s.hidden
	cells := next[n:]
	for u := range n {
		in := s.gate(0, 0, u, s.h, s.c)
		forget := 1 - in
		if !s.coupled {
			forget = s.gate(0, 2, u, s.h, s.c)
		}
		cells[u] = forget*s.c[u] + in*s.gate(1, 3, u, s.h, nil)
	}
	for u := range n {
		next[u] = s.gate(0, 1, u, s.h, cells) * s.bounded(2, cells[u])
	}
	copy(s.c, cells)
}

// run64 is run in float64. Sequences are computed one after another.
func (s *sequence) run64(
	m *machine.Machine, l *layer, y []*tensor.Tensor, d int, backward bool,
) error {
	h, c := direction[float64](s, y[1], d), direction[float64](s, y[2], d)
	clear(h)
	clear(c)
	copy(h, direction[float64](s, s.h, d))
	copy(c, direction[float64](s, s.c, d))
	l.hidden = s.hidden
	next, err := machine.Scratch[float64](m, 2*s.hidden)
	if err != nil {
		return err
	}
	cell := steps64{layer: l, w: direction[float64](s, s.w, d), r: direction[float64](s, s.r, d),
		b: direction[float64](s, s.b, d), p: direction[float64](s, s.p, d), input: s.input}
	x, all := tensor.Of[float64](s.x), tensor.Of[float64](y[0])
	for j := range s.batch {
		n := s.time
		if s.lengths != nil {
			n = s.lengths[j]
		}
		cell.h, cell.c = h[j*s.hidden:(j+1)*s.hidden], c[j*s.hidden:(j+1)*s.hidden]
		for i := range s.time {
			if err := m.Tick(2 * l.gates * s.hidden * (s.hidden + s.input)); err != nil {
				return err
			}
			t := i
			if backward && i < n {
				t = n - 1 - i
			}
			to := all[((t*s.directions+d)*s.batch+j)*s.hidden:][:s.hidden]
			if i >= n { // step i is behind the end of this sequence
				clear(to)
				continue
			}
			cell.x = x[(t*s.batch+j)*s.input:][:s.input]
			l.step64(&cell, next)
			copy(cell.h, next[:s.hidden])
			copy(to, cell.h)
		}
	}
	return nil
}
