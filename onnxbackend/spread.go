package onnxbackend

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
)

// A spread shares tasks among local goroutines and a crew. Whoever is free takes the next; when none is
// left, the local ones do over what helpers have not answered yet, and the first result counts. So a helper
// that is late, slow or dead costs no more than its share.
type spread struct {
	ctx    context.Context
	local  func(ctx context.Context, i int) (result, error)
	remote func(ctx context.Context, helper, i int) (result, error)

	mu     sync.Mutex
	tasks  []spreadTask
	next   int
	left   int
	err    error
	cancel context.CancelFunc // of what helpers do
}

// A result is taken over once for each task, one at a time.
type result func() error

type spreadTask struct {
	done  atomic.Bool
	local bool // a local goroutine has taken it
}

// run does n tasks. It returns the first error of a local goroutine, in time.
func (s *spread) run(n, locals, helpers int) error {
	s.tasks, s.left = make([]spreadTask, n), n
	ctx, cancel := context.WithCancel(s.ctx)
	defer cancel()
	s.cancel = cancel
	var wg sync.WaitGroup
	for h := range helpers * ahead { // they get their tasks before a local goroutine can have taken all
		if i, ok := s.take(false); ok {
			wg.Go(func() { s.help(ctx, h%helpers, i) })
		}
	}
	for range locals - 1 {
		wg.Go(s.work)
	}
	if helpers > 0 {
		runtime.Gosched() // on a single thread, the tasks are on their way before this goroutine begins
	}
	s.work()
	wg.Wait()
	if s.ctx.Err() != nil {
		return context.Cause(s.ctx)
	}
	return s.err
}

// work does tasks here.
func (s *spread) work() {
	for {
		i, ok := s.take(true)
		if !ok {
			return
		}
		s.guarded(i)
	}
}

// guarded does a task. A panic is an error like others: it would end the program from this goroutine.
func (s *spread) guarded(i int) {
	var r result
	var err error
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
		s.settle(i, r, err)
	}()
	r, err = s.local(unlessDone{s.ctx, &s.tasks[i].done}, i)
}

// help has a helper do task i, and then others until it is lost.
func (s *spread) help(ctx context.Context, helper, i int) {
	for ok := true; ok; i, ok = s.take(false) {
		r, err := s.remote(ctx, helper, i)
		if err != nil {
			return
		}
		s.settle(i, r, nil)
	}
}

// take returns a task to do.
func (s *spread) take(local bool) (int, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil || s.left == 0 || s.ctx.Err() != nil {
		return 0, false
	}
	if i := s.next; i < len(s.tasks) {
		s.next++
		s.tasks[i].local = local
		return i, true
	}
	if !local {
		return 0, false
	}
	for i := len(s.tasks) - 1; i >= 0; i-- { // the last given away is the furthest from its answer
		if t := &s.tasks[i]; !t.local && !t.done.Load() {
			t.local = true
			return i, true
		}
	}
	return 0, false
}

// settle takes a result over, unless the task has one.
func (s *spread) settle(i int, r result, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := &s.tasks[i]
	if t.done.Load() || s.err != nil {
		return
	}
	if err == nil {
		err = r()
	}
	if err != nil {
		s.err = err
		s.cancel()
		return
	}
	t.done.Store(true)
	if s.left--; s.left == 0 {
		s.cancel()
	}
}

// unlessDone is a context that ends too when a task has its result from elsewhere. It asks its parent each
// time, which may use the moment to let others on its thread have their turn.
type unlessDone struct {
	context.Context
	done *atomic.Bool
}

func (u unlessDone) Err() error {
	if err := u.Context.Err(); err != nil {
		return err
	}
	if u.done.Load() {
		return context.Canceled
	}
	return nil
}
