//go:build gpu

package gpu

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/cogentcore/webgpu/wgpu"

	"github.com/bagscope/bagscope/onnxbackend/internal/machine"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// errNotFinite is the error for a value with NaN or an infinity. WGSL does not define what shaders
// compute from such values.
var errNotFinite = errors.New("a value is NaN or infinite")

// Finish implements device.Session. Values that are postponed are computed in the order in which
// they came, so that a run takes what a dry run estimates.
func (s *session) Finish(m *machine.Machine) error {
	values := slices.SortedFunc(maps.Keys(s.at), func(a, b *tensor.Tensor) int {
		return s.at[a].order - s.at[b].order
	})
	return s.Fetch(m, values)
}

// Fetch implements device.Session. The CPU waits once for all values together: a wait takes longer
// than most nodes.
func (s *session) Fetch(m *machine.Machine, values []*tensor.Tensor) error {
	if err := s.settleAll(values); err != nil {
		return err
	}
	var remote []*tensor.Tensor
	var from []*buffer
	for _, t := range values {
		if v := s.at[t]; v != nil && !v.onCPU {
			v.onCPU = true // a value that is listed twice is fetched once
			remote, from = append(remote, t), append(from, v.buffer)
			s.cost.Down += 4 * t.Len()
		}
	}
	if len(remote) == 0 {
		return nil
	}
	s.cost.Waits++
	if s.dry {
		return nil
	}
	return s.p.use(func() error {
		to := make([][]float32, len(remote))
		for i, t := range remote {
			if err := m.Alloc(t, t.Type, t.Shape...); err != nil {
				return err
			}
			to[i] = tensor.Of[float32](t)
		}
		return s.p.downloadFloats(m.Context(), &s.record, from, to)
	})
}

// downloadFloats submits r and copies the first elements of from[i] to to[i], for all i. It
// retreats if some element is not finite.
func (p *processor) downloadFloats(
	ctx context.Context, r *record, from []*buffer, to [][]float32,
) error {
	for len(to) > 0 { // each pass copies as many buffers as one mapped buffer can hold
		var pieces [][]byte
		total := 0
		for _, v := range to {
			if total += 4 * len(v); len(pieces) > 0 && total > p.binding {
				break
			}
			pieces = append(pieces, bytesOf(v))
		}
		if err := p.download(ctx, r, pieces, from); err != nil {
			return err
		}
		for _, v := range to[:len(pieces)] {
			if !finite(v) {
				return p.retreat(errNotFinite.Error())
			}
		}
		from, to = from[len(pieces):], to[len(pieces):]
	}
	return nil
}

// download submits what is recorded, waits for it, and copies the first bytes of from[i] to to[i].
// Storage buffers cannot be mapped, so that they are copied to a buffer that can. The caller must
// keep the sum of the sizes within the device's limit.
func (p *processor) download(
	ctx context.Context, r *record, to [][]byte, from []*buffer,
) error {
	total := 0
	for _, piece := range to {
		total += len(piece)
	}
	mapped, err := p.readable(total)
	if err != nil {
		return err
	}
	if err := r.endPass(); err != nil {
		return p.lose(err)
	}
	if err := p.encode(r); err != nil {
		return err
	}
	at := 0
	for i, piece := range to {
		if err := r.encoder.CopyBufferToBuffer(from[i].gpu, 0, mapped, uint64(at),
			uint64(len(piece))); err != nil {
			return p.lose(err)
		}
		at += len(piece)
	}
	if err := p.submit(r); err != nil {
		return err
	}
	if err := p.await(ctx); err != nil {
		return err
	}
	p.counts.down += total
	return p.read(mapped, to)
}

// readable returns a buffer of at least n bytes that can be mapped for reading. It is the same for
// all downloads, since its allocation takes longer than a small one.
func (p *processor) readable(n int) (*wgpu.Buffer, error) {
	if b := p.mapped; b != nil && b.size >= n && b.size <= 4*classOf(n) {
		return b.gpu, nil
	}
	if p.mapped != nil {
		p.mapped.gpu.Destroy()
		p.mapped.gpu.Release()
		p.mapped = nil
	}
	size := classOf(n)
	b, err := p.device.CreateBuffer(&wgpu.BufferDescriptor{Size: uint64(size),
		Usage: wgpu.BufferUsageMapRead | wgpu.BufferUsageCopyDst})
	if err != nil {
		return nil, p.lose(err)
	}
	p.mapped = &buffer{gpu: b, size: size}
	return b, nil
}
