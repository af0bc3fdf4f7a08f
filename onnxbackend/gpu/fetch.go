//go:build gpu

package gpu

import (
	"context"
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

// bring copies values of so many bytes in all into the run's memory.
func (s *session) bring(m *machine.Machine, values []*tensor.Tensor, size int) error {
	from, sizes := make([]*buffer, len(values)), make([]int, len(values))
	for i, t := range values {
		from[i], sizes[i] = s.at[t].buffer, 4*t.Len()
	}
	bytes := make([]byte, size)
	if err := s.p.download(m.Context(), &s.record, bytes, from, sizes); err != nil {
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

// download submits what is recorded, waits for it, and writes the first bytes of buffers one after
// the other. They come through one more buffer, which is the caller's to keep within what one can
// hold.
func (p *processor) download(
	ctx context.Context, r *record, to []byte, from []*buffer, sizes []int,
) error {
	through, err := p.device.CreateBuffer(&wgpu.BufferDescriptor{Size: uint64(len(to)),
		Usage: wgpu.BufferUsageMapRead | wgpu.BufferUsageCopyDst})
	if err != nil {
		return p.lose(err.Error())
	}
	defer func() {
		through.Destroy()
		through.Release()
	}()
	if err := r.endPass(); err != nil {
		return p.lose(err.Error())
	}
	if err := p.encode(r); err != nil {
		return err
	}
	at := 0
	for i, b := range from {
		if err := r.encoder.CopyBufferToBuffer(b.gpu, 0, through, uint64(at),
			uint64(sizes[i])); err != nil {
			return p.lose(err.Error())
		}
		at += sizes[i]
	}
	if err := p.submit(r); err != nil {
		return err
	}
	if err := p.await(ctx); err != nil {
		return err
	}
	return p.read(through, to)
}

// failed returns why the device computes no more.
func (p *processor) failed() error {
	if err := p.fail; err != nil {
		return p.lose(err.Error())
	}
	return nil
}
