//go:build gpu

package gpu

import (
	"math/bits"

	"github.com/cogentcore/webgpu/wgpu"
)

// A buffer is memory of the device that several values may share, such as a matrix and its reshaped
// view.
type buffer struct {
	gpu  *wgpu.Buffer
	size int // bytes, those of its class
	refs int
}

// A pool makes buffers and keeps those that are given back, when the commands that use them are
// submitted. Commands run in the order of their submission, so that a buffer may be used again
// before they have run.
type pool struct {
	p     *processor
	limit int // bytes of all buffers
	held  int // bytes of all buffers
	free  map[int][]*buffer
}

// classOf rounds a number of bytes up to one of four sizes to each power of two.
func classOf(n int) int {
	n = max(n, 256)
	step := 1 << (bits.Len(uint(n-1)) - 3)
	return (n + step - 1) &^ (step - 1)
}

// take returns a buffer of at least n bytes, whose content is undefined.
func (m *pool) take(n int) (*buffer, error) {
	size := classOf(n)
	if free := m.free[size]; len(free) > 0 {
		b := free[len(free)-1]
		m.free[size], b.refs = free[:len(free)-1], 1
		return b, nil
	}
	if m.held+size > m.limit && len(m.free) > 0 {
		if err := m.p.waitAll(); err != nil {
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
		return nil, m.p.lose(err.Error())
	}
	m.held += size
	return &buffer{gpu: g, size: size, refs: 1}, nil
}

// put takes a buffer back that nobody has.
func (m *pool) put(b *buffer) { m.free[b.size] = append(m.free[b.size], b) }

// trim lets go of the buffers that nobody has, of which no command may be left to run.
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
