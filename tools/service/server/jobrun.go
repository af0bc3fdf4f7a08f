package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/bagscope/bagscope/tools/service/jobs"
)

// expireEvery is how often jobs are looked at whose time may be over.
const expireEvery = time.Minute

// retryAfter is how long is waited when the store fails, such as on a full disk.
const retryAfter = time.Second

var errCancelled = errors.New("the job was cancelled")

// workJobs begins to work at jobs: new bags until taking ends, and those that are under way until giving up. What is not
// done then is done by the next server that opens the store.
func (s *Server) workJobs(taking, givingUp context.Context) {
	if s.Jobs == nil {
		return
	}
	for range s.limits.Concurrency {
		s.work.Go(func() {
			var open *opened
			for {
				w, err := s.Jobs.Take(taking)
				if taking.Err() != nil {
					if w != nil {
						s.Jobs.Return(w)
					}
					return
				}
				if err != nil {
					s.storeFailed(taking, err)
					continue
				}
				open = s.workAt(givingUp, open, w)
			}
		})
	}
	s.work.Go(func() {
		ticker := time.NewTicker(expireEvery)
		defer ticker.Stop()
		for {
			if n, err := s.Jobs.Expire(time.Now()); err != nil {
				s.storeFailed(taking, err)
			} else if n > 0 {
				s.Log.Info("expired", "jobs", n)
			}
			select {
			case <-ticker.C:
			case <-taking.Done():
				return
			}
		}
	})
}

func (s *Server) storeFailed(ctx context.Context, err error) {
	s.Log.Error("store", "error", err.Error())
	select {
	case <-time.After(retryAfter):
	case <-ctx.Done():
	}
}

// workAt works at one item, with what the worker has open from the last one, and returns what it has open then.
func (s *Server) workAt(ctx context.Context, open *opened, w *jobs.Work) *opened {
	if open == nil || open.id != w.Job {
		open = nil // its memory is free while the next one is read
		var err error
		if open, err = s.openJob(w.Job); err != nil {
			if !errors.Is(err, jobs.ErrUnknown) {
				s.storeFailed(ctx, err)
			}
			s.Jobs.Return(w)
			return nil
		}
	}
	var line []byte
	failed, finished := true, true
	if w.Hopeless != nil {
		line = open.givenUp(w)
		s.Log.Error("given up", "job", w.Job, "item", w.Item, "error", w.Hopeless.Error())
	} else {
		line, failed, finished = s.answerItem(ctx, open, w)
	}
	if !finished {
		s.Jobs.Return(w)
		return open
	}
	for {
		err := s.Jobs.Put(w, line, failed)
		if err == nil {
			break
		}
		s.storeFailed(ctx, err)
		if ctx.Err() != nil {
			s.Jobs.Return(w)
			return open
		}
	}
	s.metrics.bag(failed)
	return open
}

// answerItem waits for a turn that requests leave over and answers. It does not finish where the server is stopped or the job
// is cancelled before.
func (s *Server) answerItem(ctx context.Context, open *opened, w *jobs.Work) (line []byte, failed, finished bool) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	over := make(chan struct{})
	defer close(over)
	go func() {
		select {
		case <-w.Ended:
			cancel(errCancelled)
		case <-over:
		}
	}()
	if w.Data == nil || s.gate.borrow(ctx) != nil {
		return nil, false, false
	}
	if err := s.Jobs.Begin(w); err != nil {
		s.gate.giveBack()
		s.storeFailed(ctx, err)
		return nil, false, false
	}
	t := &turn{server: s, ctx: ctx, has: true, begun: time.Now(), left: s.limits.Bag}
	t.timer = time.AfterFunc(t.left, func() { cancel(errBagDeadline) })
	defer t.end()
	line, failed = s.answerSafely(ctx, open, w, t)
	cause := context.Cause(ctx)
	return line, failed, cause == nil || errors.Is(cause, errBagDeadline)
}

// answerSafely turns a panic into the item's problem: it would be met again by every server that opens the store.
func (s *Server) answerSafely(ctx context.Context, open *opened, w *jobs.Work, t *turn) (line []byte, failed bool) {
	var item jobItem
	defer func() {
		if p := recover(); p != nil {
			s.Log.Error("panic", "job", w.Job, "item", w.Item, "stack", string(debug.Stack()))
			b := problem("internal", "the server failed; its log has more under the job and its item")
			b.Instance = "urn:bagscope:job:" + w.Job
			line, failed = open.line(w, item, "problem", b.encode()), true
		}
	}()
	if err := json.Unmarshal(w.Data, &item); err != nil {
		panic(fmt.Sprintf("an item of a job cannot be read: %v", err))
	}
	return open.answer(ctx, w, item, func(int, int) { t.makeWay() })
}

// A turn is that of a bag of a job, which makes way for requests and whose time is only that in which it has it.
type turn struct {
	server *Server
	ctx    context.Context
	timer  *time.Timer
	has    bool
	begun  time.Time     // of the time since it has the turn
	left   time.Duration // of its time, when it began
}

// makeWay gives the turn back where requests want it, and waits for another. It is called between evaluations: while it
// waits nothing is computed, and nothing that was computed is lost. A request does not wait for that: until then both work.
func (t *turn) makeWay() {
	if !t.server.gate.crowded() || !t.timer.Stop() {
		return
	}
	t.left = max(0, t.left-time.Since(t.begun))
	t.server.gate.giveBack()
	t.has = t.server.gate.borrow(t.ctx) == nil
	if t.has {
		t.begun = time.Now()
		t.timer.Reset(t.left)
	}
}

func (t *turn) end() {
	t.timer.Stop()
	if t.has {
		t.server.gate.giveBack()
	}
}
