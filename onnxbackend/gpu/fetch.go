//go:build gpu

package gpu

import (
	"errors"

	"github.com/cogentcore/webgpu/wgpu"

	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// errNotFinite says that a value holds NaN or an infinity, with which shaders may do as they like.
var errNotFinite = errors.New("a value is NaN or infinite")

// Finish implements device.Session.
func (s *session) Finish(m *machine.Machine) error {
	var away []*tensor.Tensor
	for t, v := range s.at {
		if !v.near {
			away = append(away, t)
		}
	}
	return s.Fetch(m, away)
}

// Fetch implements device.Session. All values come with one wait.
func (s *session) Fetch(m *machine.Machine, values []*tensor.Tensor) (err error) {
	var away []*tensor.Tensor
	bytes := 0
	for _, t := range values {
		if v := s.at[t]; t != nil && v != nil && !v.near {
			v.near = true // a value that is named twice comes once
			away = append(away, t)
			bytes += 4 * t.Len()
		}
	}
	if len(away) == 0 {
		return nil
	}
	s.cost.Down += bytes
	s.cost.Waits++
	if s.dry {
		return nil
	}
	s.p.mu.Lock()
	defer s.p.mu.Unlock()
	defer s.p.guard(&err)
	if s.p.lost != "" {
		return s.p.retreat(s.p.lost)
	}
	for len(away) > 0 { // as many at a time as one buffer holds
		n, size := 0, 0
		for n < len(away) && (n == 0 || size+4*away[n].Len() <= s.p.binding) {
			size += 4 * away[n].Len()
			n++
		}
		if err := s.bring(m, away[:n], size); err != nil {
			return err
		}
		away = away[n:]
	}
	return nil
}

// bring copies values of so many bytes in all into one buffer, and from there into the run's memory.
func (s *session) bring(m *machine.Machine, values []*tensor.Tensor, size int) error {
	to, err := s.p.device.CreateBuffer(&wgpu.BufferDescriptor{Size: uint64(size), Usage: wgpu.BufferUsageMapRead | wgpu.BufferUsageCopyDst})
	if err != nil {
		return s.p.lose(err.Error())
	}
	defer func() {
		to.Destroy()
		to.Release()
	}()
	if err := s.record.endPass(); err != nil {
		return s.p.lose(err.Error())
	}
	if err := s.p.encode(&s.record); err != nil {
		return err
	}
	at := 0
	for _, t := range values {
		n := 4 * t.Len()
		if err := s.record.encoder.CopyBufferToBuffer(s.at[t].gpu, 0, to, uint64(at), uint64(n)); err != nil {
			return s.p.lose(err.Error())
		}
		at += n
	}
	if err := s.p.submit(&s.record); err != nil {
		return err
	}
	if err := s.p.await(m.Context()); err != nil {
		return err
	}
	bytes := make([]byte, size)
	if err := s.p.read(to, bytes); err != nil {
		return err
	}
	for _, t := range values {
		var y tensor.Tensor
		if err := m.Alloc(&y, t.Type, t.Shape...); err != nil {
			return err
		}
		t.Block, t.Words = y.Block, y.Words
		v := tensor.Of[float32](t)
		bytes = bytes[copy(bytesOf(v), bytes):]
		if !finite(v) {
			return s.p.retreat(errNotFinite.Error())
		}
	}
	return nil
}

// failed returns why the device computes no more.
func (p *processor) failed() error {
	if err := p.fail; err != nil {
		return p.lose(err.Error())
	}
	return nil
}
