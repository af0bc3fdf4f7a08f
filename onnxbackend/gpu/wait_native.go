//go:build gpu && !js

package gpu

import (
	"context"
	"errors"
	"math"
	"runtime/debug"

	"github.com/cogentcore/webgpu/wgpu"
)

// await waits until all submitted commands have run, or ctx ends. The wait is one call of the
// driver: a sleeping goroutine may wake milliseconds late. If ctx ends, the call goes on without
// its caller, and the next await waits for it first, because it may return the results of mappings.
func (p *processor) await(ctx context.Context) error {
	if p.fail != nil {
		return p.lose(p.fail)
	}
	if p.waiting != nil { // of a caller whose context has ended
		if err := p.waited(ctx); err != nil {
			return err
		}
	}
	if p.device.Poll(false, nil) {
		return nil
	}
	done := make(chan struct{})
	p.waiting = done
	go func() {
		defer close(done)
		p.device.Poll(true, nil)
	}()
	return p.waited(ctx)
}

// waited waits for the call that has begun.
func (p *processor) waited(ctx context.Context) error {
	select {
	case <-p.waiting:
		p.waiting = nil
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
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
