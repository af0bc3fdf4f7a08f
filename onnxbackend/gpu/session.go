//go:build gpu

package gpu

import (
	"unsafe"

	"github.com/bagscope/bagscope/onnxbackend/internal/device"
	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// A session is one run on the processor. Nodes are recorded; they are computed when a value is
// fetched or enough work is recorded.
type session struct {
	p      *processor
	loaded *loaded
	dry    bool // only shapes and costs are computed
	at     map[*tensor.Tensor]*value
	record record
	cost   device.Cost
	put    int   // values that came into at
	live   int   // bytes of the values in at, as buffers
	turn   *mark // end of the block before, nil in the first one
}

// A value is a tensor on the device. onCPU reports whether the run's memory has it too. scores is
// not nil if nothing has computed it yet; see attention.go.
type value struct {
	*buffer
	onCPU  bool
	scores *scores
	order  int // how many values came before
}

// keep records a value.
func (s *session) keep(t *tensor.Tensor, v value) {
	v.order = s.put
	s.put++
	s.at[t] = &v
}

// Cost implements device.Session.
func (s *session) Cost() device.Cost { return s.cost }

// Run implements device.Session. If memory is full or a value is not finite, the CPU computes the
// node.
func (s *session) Run(
	m *machine.Machine, n *graph.Node, in, out []*tensor.Tensor,
) (done bool, err error) {
	f := kernels[n.Row.Device]
	if f == nil || len(out) != 1 && n.Row.Device != "split" {
		return false, nil
	}
	err = s.p.use(func() (err error) {
		done, err = f(&call{session: s, m: m, n: &n.Node.Node, function: n.Func, in: in,
			out: out[0], outs: out})
		if err == errFull || err == errNotFinite {
			done, err = false, nil
		}
		if done && err == nil {
			s.cost.Nodes++
			return nil
		}
		for _, t := range out {
			s.drop(t)
		}
		return err
	})
	return done, err
}

// supports reports whether a value can be on the device: non-empty float32 of a size that can be
// bound.
func (s *session) supports(t *tensor.Tensor) bool {
	return t.Type == tensor.Float32 && t.Len() > 0 && 4*t.Len() <= s.p.binding
}

// place returns the buffer of a value, which it uploads if it is not on the device. Constants of
// the model stay for all sessions; other values count as transferred bytes.
func (s *session) place(t *tensor.Tensor, constant bool) (*buffer, error) {
	if err := s.settle(t); err != nil {
		return nil, err
	}
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
		return s.p.omitted, nil
	}
	values := tensor.Of[float32](t)
	if !finite(values) {
		return nil, errNotFinite
	}
	b, err := s.alloc(4 * len(values))
	if err != nil {
		return nil, err
	}
	if err := s.p.fill(b, bytesOf(values)); err != nil {
		return nil, err
	}
	if constant {
		s.loaded.constants[t] = b
		return b, nil
	}
	s.cost.Up += 4 * len(values)
	s.note(t, b, true)
	return b, nil
}

// alloc returns a buffer of n bytes. If memory is full, it submits the record, which frees dropped
// buffers, and tries again.
func (s *session) alloc(n int) (*buffer, error) {
	b, err := s.p.memory.alloc(n)
	if err == errFull && len(s.record.dropped) > 0 {
		if err := s.p.submit(&s.record); err != nil {
			return nil, err
		}
		b, err = s.p.memory.alloc(n)
	}
	return b, err
}

// note records that a value is in a buffer.
func (s *session) note(t *tensor.Tensor, b *buffer, onCPU bool) {
	b.size = max(b.size, classOf(4*t.Len())) // a dry run has no buffers
	s.cost.Largest = max(s.cost.Largest, 4*t.Len())
	s.live += b.size
	s.cost.Peak = max(s.cost.Peak, s.live)
	s.keep(t, value{buffer: b, onCPU: onCPU})
}

// Drop implements device.Session.
func (s *session) Drop(t *tensor.Tensor) {
	s.p.mu.Lock()
	defer s.p.mu.Unlock()
	s.drop(t)
}

// drop is Drop for callers that use the processor already.
func (s *session) drop(t *tensor.Tensor) {
	if v := s.at[t]; v != nil {
		delete(s.at, t)
		if v.scores != nil {
			s.drop(v.scores.a)
			s.drop(v.scores.b)
			return
		}
		if s.record.drop(v.buffer) {
			s.live -= v.size
		}
	}
}

// Close implements device.Session. It submits what is recorded although no result is needed, since
// recorded commands cannot be withdrawn.
func (s *session) Close() {
	_ = s.p.use(func() error {
		for t := range s.at {
			s.drop(t)
		}
		if s.dry {
			return nil
		}
		return s.p.submit(&s.record)
	})
}

// bytesOf returns the memory of values as bytes.
func bytesOf[T float32 | int32 | uint32 | uint64](values []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))),
		len(values)*int(unsafe.Sizeof(*new(T))))
}
