//go:build gpu && !js

package gpu

import (
	"context"
	"errors"
	"math"
	"runtime/debug"
	"time"

	"github.com/cogentcore/webgpu/wgpu"
)

// await waits until all submitted commands have run, or ctx ends. It polls with growing pauses:
// short runs are not delayed, and long ones do not use a core.
func (p *processor) await(ctx context.Context) error {
	if p.fail != nil {
		return p.lose(p.fail)
	}
	for pause := 20 * time.Microsecond; !p.device.Poll(false, nil); pause = min(2*pause,
		2*time.Millisecond) {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		time.Sleep(pause)
	}
	return nil
}

// write copies bytes, a multiple of four, to a buffer. Commands submitted before read the previous
// content.
func (p *processor) write(b *wgpu.Buffer, data []byte) error {
	return p.queue.WriteBuffer(b, 0, data)
}

// read copies the content of a buffer that no command uses.
func (p *processor) read(b *wgpu.Buffer, to []byte) (err error) {
	status := wgpu.BufferMapAsyncStatusUnknown
	withoutCollector(func() {
		if err = b.MapAsync(wgpu.MapModeRead, 0, uint64(len(to)),
			func(s wgpu.BufferMapAsyncStatus) { status = s }); err == nil {
			p.device.Poll(true, nil)
		}
	})
	switch {
	case err != nil:
		return p.lose(err)
	case status != wgpu.BufferMapAsyncStatusSuccess:
		return p.lose(errors.New("reading from it fails: " + status.String()))
	}
	copy(to, b.GetMappedRange(0, uint(len(to))))
	return p.lose(b.Unmap())
}

// withoutCollector calls f while the garbage collector does not run. The binding passes the address
// of a Go variable to wgpu and keeps the variable alive only during its own call; wgpu writes to it
// when the buffer is mapped. If the collector frees the variable earlier, the program crashes.
func withoutCollector(f func()) {
	percent, limit := debug.SetGCPercent(-1), debug.SetMemoryLimit(math.MaxInt64)
	defer func() {
		debug.SetMemoryLimit(limit)
		debug.SetGCPercent(percent)
	}()
	f()
}
