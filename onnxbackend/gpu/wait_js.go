//go:build gpu && js

package gpu

import (
	"context"
	"errors"
	"fmt"

	"github.com/cogentcore/webgpu/wgpu"
	"github.com/hack-pad/safejs"
)

// resolve waits for a promise and returns its value, or an error with the message of its rejection.
// It takes the results of a call and returns the call's error. Other goroutines run meanwhile.
func resolve(promise safejs.Value, err error) (safejs.Value, error) {
	if err != nil {
		return promise, err
	}
	type result struct {
		value safejs.Value
		err   error
	}
	done := make(chan result, 1)
	fulfilled, err := safejs.FuncOf(func(_ safejs.Value, args []safejs.Value) any {
		done <- result{value: args[0]}
		return nil
	})
	if err != nil {
		return promise, err
	}
	defer fulfilled.Release()
	rejected, err := safejs.FuncOf(func(_ safejs.Value, args []safejs.Value) any {
		done <- result{err: errors.New(messageOf(args[0], "the promise was rejected"))}
		return nil
	})
	if err != nil {
		return promise, err
	}
	defer rejected.Release()
	if _, err := promise.Call("then", fulfilled, rejected); err != nil {
		return promise, err
	}
	r := <-done
	return r.value, r.err
}

// messageOf returns the message of an error of JavaScript, or fallback if it has none.
func messageOf(fault safejs.Value, fallback string) string {
	message, err := fault.Get("message")
	if err != nil {
		return fallback
	}
	s, err := message.String()
	if err != nil || s == "" {
		return fallback
	}
	return s
}

// A mark is a promise that resolves when the commands submitted before it have run.
type mark struct {
	promise safejs.Value
	err     error
}

// send submits commands.
func (p *processor) send(commands *wgpu.CommandBuffer) { p.queue.Submit(commands) }

// mark returns the promise of the commands submitted so far.
func (p *processor) mark() *mark {
	queue, err := p.js.Get("queue")
	if err != nil {
		return &mark{err: err}
	}
	promise, err := queue.Call("onSubmittedWorkDone")
	return &mark{promise, err}
}

// await waits until all submitted commands have run, or ctx ends.
func (p *processor) await(ctx context.Context) error {
	p.counts.waits++
	return p.reach(ctx, p.mark())
}

// fill copies a value to a buffer. Commands submitted before read the previous content.
func (p *processor) fill(b *buffer, data []byte) error {
	p.counts.up += len(data)
	return p.lose(p.write(b.gpu, data))
}

// reach waits until the commands up to a mark have run, or ctx ends. It returns the errors that the
// browser has gathered for all submitted commands.
func (p *processor) reach(ctx context.Context, to *mark) (err error) {
	if p.fail != nil {
		return p.lose(p.fail)
	}
	done := make(chan error, 1)
	go func() {
		_, err := resolve(to.promise, to.err)
		done <- err
	}()
	select {
	case err = <-done:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if err == nil {
		err = p.firstError()
	}
	if err == nil && *p.gone != "" {
		err = errors.New(*p.gone)
	}
	return p.lose(err)
}

// write copies bytes, a multiple of four, to a buffer. Commands submitted before read the previous
// content.
//
// The binding gives the browser a view of this program's memory. If the memory grows meanwhile, the
// view is detached and the browser rejects it. Each growth can cause one failure, so that a few
// attempts are enough.
func (p *processor) write(b *wgpu.Buffer, data []byte) (err error) {
	for range 4 {
		if err = p.tryWrite(b, data); err == nil {
			return nil
		}
	}
	return err
}

// tryWrite returns the exception that a detached view causes as an error.
func (p *processor) tryWrite(b *wgpu.Buffer, data []byte) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	return p.queue.WriteBuffer(b, 0, data)
}

// read copies the content of a buffer that no command uses to pieces of memory, one after another.
// If the browser rejects the mapping, the binding returns no error; GetMappedRange then throws an
// exception, which guard recovers.
func (p *processor) read(b *wgpu.Buffer, to [][]byte) error {
	size := 0
	for _, piece := range to {
		size += len(piece)
	}
	if err := b.MapAsync(wgpu.MapModeRead, 0, uint64(size),
		func(wgpu.BufferMapAsyncStatus) {}); err != nil {
		return p.lose(err)
	}
	from := b.GetMappedRange(0, uint(size))
	if len(from) < size {
		return p.lose(errors.New("it returns fewer bytes than requested"))
	}
	for _, piece := range to {
		from = from[copy(piece, from):]
	}
	return b.Unmap()
}
