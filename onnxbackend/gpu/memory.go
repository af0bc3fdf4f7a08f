//go:build gpu

package gpu

import (
	"context"
	"math/bits"

	"github.com/cogentcore/webgpu/wgpu"
)

// A buffer is memory of the device that several values may share, such as a matrix and its reshaped
// view.
type buffer struct {
	gpu  *wgpu.Buffer
	size int // bytes of its size class
	refs int // values in the buffer
}

// A pool allocates buffers and reuses freed ones. Callers free a buffer after they have submitted
// the commands that use it. It may be reused before these commands have run, because commands run
// in the order of their submission.
type pool struct {
	p     *processor
	limit int               // bytes that all buffers may have
	held  int               // bytes that all buffers have, including free ones
	free  map[int][]*buffer // idle buffers by size class
}

// classOf rounds a number of bytes up to its size class. There are four classes for each power of
// two: few enough for reuse, and at most a fifth of a buffer is unused.
func classOf(n int) int {
	n = max(n, 256)
	step := 1 << (bits.Len(uint(n-1)) - 3)
	return (n + step - 1) &^ (step - 1)
}

// alloc returns a buffer of at least n bytes, whose content is undefined. If the limit is reached,
// it waits for the device and frees unused buffers; if that is not enough, it returns errFull.
func (m *pool) alloc(n int) (*buffer, error) {
	size := classOf(n)
	if free := m.free[size]; len(free) > 0 {
		b := free[len(free)-1]
		m.free[size], b.refs = free[:len(free)-1], 1
		return b, nil
	}
	if m.held+size > m.limit && len(m.free) > 0 {
		if err := m.p.await(context.Background()); err != nil {
			return nil, err
		}
		m.trim()
	}
	if m.held+size > m.limit {
		return nil, errFull
	}
	g, err := m.p.device.CreateBuffer(&wgpu.BufferDescriptor{Size: uint64(size),
		Usage: wgpu.BufferUsageStorage | wgpu.BufferUsageCopyDst | wgpu.BufferUsageCopySrc})
	if err != nil {
		return nil, m.p.lose(err)
	}
	m.held += size
	return &buffer{gpu: g, size: size, refs: 1}, nil
}

// put makes a buffer available that no value is in.
func (m *pool) put(b *buffer) { m.free[b.size] = append(m.free[b.size], b) }

// trim frees the unused buffers. All commands that use them must have run.
func (m *pool) trim() {
	for _, free := range m.free {
		for _, b := range free {
			m.held -= b.size
			b.gpu.Destroy()
			b.gpu.Release()
		}
	}
	clear(m.free)
}
