package workshare

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/bagscope/bagscope/internal/msg"
)

// ahead is how many tasks a helper has at a time, so that it does not wait between two tasks.
const ahead = 2

// A Scheduler shares tasks, by work stealing, among local goroutines and helpers. A free place
// takes the next task. If none is left, local goroutines execute again the tasks that helpers have
// not answered yet, and the first result counts. A late, slow or dead helper costs no more than its
// share.
type Scheduler struct {
	// Local does task i here. Its context also ends when the task has a result from elsewhere.
	Local func(ctx context.Context, i int) (Result, error)
	// Remote has a helper do task i. An error means that the helper is lost.
	Remote func(ctx context.Context, helper, i int) (Result, error)

	ctx    context.Context
	mu     sync.Mutex
	tasks  []task
	next   int
	left   int
	err    error
	cancel context.CancelFunc // cancels the tasks of helpers
}

// A Result stores what a task computed. It is called once for each task, and never concurrently.
type Result func() error

type task struct {
	done  atomic.Bool
	local bool // a local goroutine has taken it
}

// Run does n tasks on a number of local goroutines and helpers. It returns the cause if ctx ends,
// else the first error of a local goroutine.
func (s *Scheduler) Run(ctx context.Context, n, locals, helpers int) error {
	s.ctx, s.tasks, s.left = ctx, make([]task, n), n
	remote, cancel := context.WithCancel(ctx)
	defer cancel()
	s.cancel = cancel
	var wg sync.WaitGroup
	for h := range helpers * ahead { // helpers get tasks before local goroutines can take them all
		if i, ok := s.take(false); ok {
			wg.Go(func() { s.help(remote, h%helpers, i) })
		}
	}
	for range locals - 1 {
		wg.Go(s.work)
	}
	if helpers > 0 {
		// on a single thread, sends the tasks before this goroutine begins to compute
		runtime.Gosched()
	}
	s.work()
	wg.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return s.err
}

// work does tasks here until none is left.
func (s *Scheduler) work() {
	for {
		i, ok := s.take(true)
		if !ok {
			return
		}
		s.guarded(i)
	}
}

// guarded does a task. It turns a panic into an error, because a panic in this goroutine would end
// the program.
func (s *Scheduler) guarded(i int) {
	var r Result
	var err error
	defer func() {
		if p := recover(); p != nil {
			err = msg.Errorf("%v", p)
		}
		s.finish(i, r, err)
	}()
	r, err = s.Local(unlessDone{s.ctx, &s.tasks[i].done}, i)
}

// help has a helper do task i, and then others until it is lost.
func (s *Scheduler) help(ctx context.Context, helper, i int) {
	for ok := true; ok; i, ok = s.take(false) {
		r, err := s.Remote(ctx, helper, i)
		if err != nil {
			return
		}
		s.finish(i, r, nil)
	}
}

// take returns the next task to do.
func (s *Scheduler) take(local bool) (int, bool) {
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
	// The last task given away is the furthest from its answer.
	for i := len(s.tasks) - 1; i >= 0; i-- {
		if t := &s.tasks[i]; !t.local && !t.done.Load() {
			t.local = true
			return i, true
		}
	}
	return 0, false
}

// finish stores a result, unless the task has one.
func (s *Scheduler) finish(i int, r Result, err error) {
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

// unlessDone is a context that also ends when a task has its result from elsewhere. Each call of
// Err calls the parent's, which may let other goroutines on its thread run.
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
