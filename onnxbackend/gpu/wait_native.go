//go:build gpu && !js

package gpu

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/cogentcore/webgpu/wgpu"
)

// A mark is the number of a place in the queue: all commands before it have run when so many marks
// are counted.
type mark uint64

// marks are those of one queue.
type marks struct {
	set     mark  // the last one
	reached *mark // the last one that the device has reached, in memory of C
}

// send submits commands.
func (p *processor) send(commands *wgpu.CommandBuffer) { p.queue.Submit(commands) }

// mark returns the place behind the last submitted commands.
func (p *processor) mark() *mark {
	p.marks.set++
	countWhenDone(p.queue, p.marks.reached)
	m := p.marks.set
	return &m
}

// await waits until all submitted commands have run, or ctx ends.
func (p *processor) await(ctx context.Context) error {
	p.counts.waits++
	return p.until(ctx, func(empty bool) bool { return empty })
}

// reach waits until the commands up to a mark have run, or ctx ends.
func (p *processor) reach(ctx context.Context, to *mark) error {
	return p.until(ctx, func(bool) bool { return *p.marks.reached >= *to })
}

// spinFor is how long a wait uses a core. A sleeping goroutine may wake milliseconds late, which is
// long for a short run, and little for a long one.
const spinFor = 5 * time.Millisecond

// until polls the device until a condition holds, or ctx ends. The condition gets whether the queue
// is empty. Later pauses are a sixteenth of the time waited. The driver's own wait cannot be used:
// after five seconds wgpu believes that the commands have run, and frees what they use.
func (p *processor) until(ctx context.Context, condition func(empty bool) bool) error {
	if p.fail != nil {
		return p.lose(p.fail)
	}
	start := time.Now()
	for !condition(p.device.Poll(false, nil)) {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if waited := time.Since(start); waited < spinFor {
			runtime.Gosched()
		} else {
			time.Sleep(min(waited/16, 2*time.Millisecond))
		}
	}
	return nil
}

// write copies bytes, a multiple of four, to a buffer. Commands submitted before read the previous
// content.
func (p *processor) write(b *wgpu.Buffer, data []byte) error {
	return p.queue.WriteBuffer(b, 0, data)
}

// read copies the content of a buffer that no command uses to pieces of memory, one after another.
func (p *processor) read(b *wgpu.Buffer, to [][]byte) error {
	size := 0
	for _, piece := range to {
		size += len(piece)
	}
	mapLater(b, wgpu.MapModeRead, size, p.mapping)
	if err := p.until(context.Background(), func(bool) bool {
		return p.mapping.get() != mapPending
	}); err != nil {
		return err
	}
	if got := p.mapping.get(); got != mapSuccess {
		return p.lose(fmt.Errorf("reading from it fails: %v", wgpu.BufferMapAsyncStatus(got)))
	}
	from := b.GetMappedRange(0, uint(size))
	for _, piece := range to {
		copyParallel(piece, from[:len(piece)])
		from = from[len(piece):]
	}
	return p.lose(b.Unmap())
}
