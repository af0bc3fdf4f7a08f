//go:build gpu

package gpu

import (
	"unsafe"

	"github.com/bagscope/bagscope/onnxbackend/internal/device"
	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// A session is one run on the processor.
type session struct {
	p      *processor
	loaded *loaded
	dry    bool
	at     map[*tensor.Tensor]*value
	record record
	cost   device.Cost
}

// A value lies on the device, and near says whether it lies in the run's memory too.
type value struct {
	*buffer
	near bool
}

// Cost implements device.Session.
func (s *session) Cost() device.Cost { return s.cost }

// Run implements device.Session.
func (s *session) Run(
	m *machine.Machine, n *graph.Node, in, out []*tensor.Tensor,
) (done bool, err error) {
	f := kernels[n.Row.Device]
	if f == nil || len(out) != 1 && n.Row.Device != "split" {
		return false, nil
	}
	s.p.mu.Lock()
	defer s.p.mu.Unlock()
	defer s.p.guard(&err)
	if s.p.lost != "" {
		return false, s.p.retreat(s.p.lost)
	}
	done, err = f(&call{session: s, m: m, n: &n.Node, function: n.Func, in: in, out: out[0],
		outs: out})
	if err == errFull || err == errNotFinite {
		done, err = false, nil
	}
	if done && err == nil {
		s.cost.Nodes++
	} else {
		for _, t := range out {
			s.drop(t)
		}
	}
	return done, err
}

// lies reports whether a value can lie on the device.
func (s *session) lies(t *tensor.Tensor) bool {
	return t.Type == tensor.Float32 && t.Len() > 0 && 4*t.Len() <= s.p.binding
}

// place returns where a value lies on the device, after it was uploaded if need be. Constants of
// the model stay.
func (s *session) place(t *tensor.Tensor, constant bool) (*buffer, error) {
	if v := s.at[t]; v != nil {
		return v.buffer, nil
	}
	if b := s.loaded.constants[t]; b != nil {
		return b, nil
	}
	if s.dry {
		if !constant {
			s.cost.Up += 4 * t.Len()
			s.note(t, &buffer{refs: 1}, true)
		}
		return s.p.nothing, nil
	}
	values := tensor.Of[float32](t)
	if !finite(values) {
		return nil, errNotFinite
	}
	b, err := s.take(4 * len(values))
	if err != nil {
		return nil, err
	}
	if err := s.p.write(b.gpu, bytesOf(values)); err != nil {
		return nil, s.p.lose(err.Error())
	}
	if constant {
		s.loaded.constants[t] = b
		return b, nil
	}
	s.cost.Up += 4 * len(values)
	s.note(t, b, true)
	return b, nil
}

// take returns a buffer of n bytes, after what is recorded has given back its own if need be.
func (s *session) take(n int) (*buffer, error) {
	b, err := s.p.memory.take(n)
	if err == errFull && len(s.record.dropped) > 0 {
		if err := s.p.submit(&s.record); err != nil {
			return nil, err
		}
		b, err = s.p.memory.take(n)
	}
	return b, err
}

// note remembers where a value lies.
func (s *session) note(t *tensor.Tensor, b *buffer, near bool) {
	s.cost.Largest = max(s.cost.Largest, 4*t.Len())
	s.at[t] = &value{b, near}
}

// Drop implements device.Session.
func (s *session) Drop(t *tensor.Tensor) {
	s.p.mu.Lock()
	defer s.p.mu.Unlock()
	s.drop(t)
}

func (s *session) drop(t *tensor.Tensor) {
	if v := s.at[t]; v != nil {
		delete(s.at, t)
		if !s.dry {
			s.record.drop(v.buffer)
		}
	}
}

// Close implements device.Session. What is recorded and not needed is submitted all the same:
// commands cannot be taken back.
func (s *session) Close() {
	s.p.mu.Lock()
	defer s.p.mu.Unlock()
	for t := range s.at {
		s.drop(t)
	}
	if s.p.lost != "" {
		return
	}
	var err error
	defer s.p.guard(&err)
	err = s.p.submit(&s.record)
}

func finite(values []float32) bool {
	for _, v := range values {
		if v-v != 0 {
			return false
		}
	}
	return true
}

func bytesOf[T float32 | int32 | uint32 | uint64](values []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))),
		len(values)*int(unsafe.Sizeof(*new(T))))
}
