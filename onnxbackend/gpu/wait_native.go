//go:build gpu && !js

package gpu

import (
	"context"
	"math"
	"runtime/debug"
	"time"

	"github.com/cogentcore/webgpu/wgpu"
)

// waitAll waits until what is submitted has run.
func (p *processor) waitAll() error {
	if err := p.failed(); err != nil {
		return err
	}
	p.device.Poll(true, nil)
	return nil
}

// await is waitAll that ends with a context. It asks more and more seldom.
func (p *processor) await(ctx context.Context) error {
	if err := p.failed(); err != nil {
		return err
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

// write hands bytes, a multiple of four, to a buffer. What was submitted before still sees what it
// held.
func (p *processor) write(b *wgpu.Buffer, data []byte) error {
	return p.queue.WriteBuffer(b, 0,
		data)
}

// read copies a buffer for reading, to which nothing is going on.
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
		return p.lose(err.Error())
	case status != wgpu.BufferMapAsyncStatusSuccess:
		return p.lose("reading from it fails: " + status.String())
	}
	copy(to, b.GetMappedRange(0, uint(len(to))))
	if err := b.Unmap(); err != nil {
		return p.lose(err.Error())
	}
	return nil
}

// withoutCollector calls f while no garbage is collected. The binding leaves the address of a Go
// variable with wgpu until a buffer is mapped, and keeps the variable no longer than its own call:
// were it collected in between, the program would end.
func withoutCollector(f func()) {
	percent, limit := debug.SetGCPercent(-1), debug.SetMemoryLimit(math.MaxInt64)
	defer func() {
		debug.SetMemoryLimit(limit)
		debug.SetGCPercent(percent)
	}()
	f()
}
