//go:build gpu && js

package gpu

import (
	"context"
	"errors"

	"github.com/cogentcore/webgpu/wgpu"
	"github.com/hack-pad/safejs"
)

// settle waits for a promise and returns what it settles to. Others run meanwhile.
func settle(promise safejs.Value, err error) (safejs.Value, error) {
	if err != nil {
		return promise, err
	}
	type settled struct {
		value safejs.Value
		fault error
	}
	done := make(chan settled, 1)
	kept, err := safejs.FuncOf(func(_ safejs.Value, args []safejs.Value) any {
		done <- settled{value: args[0]}
		return nil
	})
	if err != nil {
		return promise, err
	}
	defer kept.Release()
	broken, err := safejs.FuncOf(func(_ safejs.Value, args []safejs.Value) any {
		reason := "it was refused"
		if message, err := args[0].Get("message"); err == nil {
			reason, _ = message.String()
		}
		done <- settled{fault: errors.New(reason)}
		return nil
	})
	if err != nil {
		return promise, err
	}
	defer broken.Release()
	if _, err := promise.Call("then", kept, broken); err != nil {
		return promise, err
	}
	s := <-done
	return s.value, s.fault
}

// waitAll waits until what is submitted has run.
func (p *processor) waitAll() error { return p.await(context.Background()) }

// await is waitAll that ends with a context.
func (p *processor) await(ctx context.Context) error {
	if err := p.failed(); err != nil {
		return err
	}
	queue, err := p.js.Get("queue")
	if err != nil {
		return p.lose(err.Error())
	}
	done := make(chan error, 1)
	go func() {
		_, err := settle(queue.Call("onSubmittedWorkDone"))
		done <- err
	}()
	select {
	case err = <-done:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if err == nil {
		err = p.judge()
	}
	if err == nil && *p.gone != "" {
		err = errors.New(*p.gone)
	}
	if err != nil {
		return p.lose(err.Error())
	}
	return nil
}

// write hands bytes, a multiple of four, to a buffer. What was submitted before still sees what it
// held.
//
// The binding hands the browser a view of this program's memory. Where the memory grows while it
// does so, the view is of nothing and the browser refuses it, once for each time that it grows.
func (p *processor) write(b *wgpu.Buffer, data []byte) (err error) {
	for range 4 {
		if err = p.tryWrite(b, data); err == nil {
			return nil
		}
	}
	return err
}

func (p *processor) tryWrite(b *wgpu.Buffer, data []byte) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = errors.New(reasonOf(r))
		}
	}()
	return p.queue.WriteBuffer(b, 0, data)
}

// read copies a buffer for reading, to which nothing is going on. The binding says nothing of a
// mapping that is refused: what it does then is an exception.
func (p *processor) read(b *wgpu.Buffer, to []byte) error {
	if err := b.MapAsync(wgpu.MapModeRead, 0, uint64(len(to)),
		func(wgpu.BufferMapAsyncStatus) {}); err != nil {
		return p.lose(err.Error())
	}
	if copy(to, b.GetMappedRange(0, uint(len(to)))) < len(to) {
		return p.lose("it gives back less than was asked for")
	}
	return b.Unmap()
}
