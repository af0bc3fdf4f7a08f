package server

import (
	"context"
	"encoding/json"
	"errors"
	"runtime/debug"
	"time"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/tools/service/jobs"
)

// expireEvery is the interval between removals of expired jobs.
const expireEvery = time.Minute

// retryAfter is the wait after an error of the store, for example a full disk.
const retryAfter = time.Second

// fullWait is how long a disk can stay full before the jobs that need room end.
const fullWait = 10 * time.Minute

// errCancelled is the cause of a context if a client cancels the job.
var errCancelled = errors.New("the job was cancelled")

// workJobs starts the workers of jobs. They start new bags until taking ends, and continue running
// bags until giveUp ends. The next server that opens the store computes the rest.
func (s *Server) workJobs(taking, givingUp context.Context) {
	if s.Jobs == nil {
		return
	}
	for range s.limits.Concurrency {
		s.work.Go(func() {
			// The worker keeps the job of its last item open, with its models.
			var open *opened
			defer func() { open.close() }()
			for {
				w, err := s.takeItem(taking, &open)
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
			// Jobs also expire while the server computes nothing.
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

// storeFailed logs an error of the store and waits before the next attempt.
func (s *Server) storeFailed(ctx context.Context, err error) {
	s.Log.Error("store", "error", err.Error())
	wait(ctx, retryAfter)
}

// wait waits until ctx ends, and at most for the time d.
func wait(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// takeItem waits for the next item of a job. If none comes within idleBefore, it closes the open
// job, which would hold its memory until the next one.
func (s *Server) takeItem(ctx context.Context, open **opened) (*jobs.Work, error) {
	if *open == nil {
		return s.Jobs.Take(ctx)
	}
	soon, cancel := context.WithTimeout(ctx, idleBefore)
	defer cancel()
	w, err := s.Jobs.Take(soon)
	if w != nil || ctx.Err() != nil || soon.Err() == nil {
		return w, err
	}
	(*open).close()
	*open = nil
	return s.Jobs.Take(ctx)
}

// workAt computes one item. It reuses the job that is open from the previous item, and returns the
// job that is open afterwards.
func (s *Server) workAt(ctx context.Context, open *opened, w *jobs.Work) *opened {
	if open == nil || open.id != w.Job {
		open.close() // free its memory before the next one is read
		open = nil
		var err error
		if open, err = s.openJob(w.Job); err != nil {
			if !errors.Is(err, jobs.ErrUnknown) {
				s.storeFailed(ctx, err)
			}
			s.Jobs.Return(w)
			return nil
		}
	}
	defer func() { open.item.Close() }()
	var line []byte
	failed, finished := true, true
	if w.Crash != nil {
		line = open.givenUp(w)
		s.Log.Error("given up", "job", w.Job, "item", w.Item, "error", w.Crash.Error())
	} else if line, failed, finished = s.answerItem(ctx, open, w); !finished {
		s.Jobs.Return(w)
		if !open.blocked {
			return open
		}
		// The models and the set could be what another worker waits for.
		open.close()
		wait(ctx, busyWait())
		return nil
	}
	if s.persist(ctx, w, func() error { return s.Jobs.Put(w, line, failed) }) {
		s.metrics.bag(failed)
	} else {
		s.Jobs.Return(w)
	}
	return open
}

// persist calls write until it succeeds, and reports whether it did: a disk that is full for a
// while must not lose a computed result. It fails if the server stops. It ends the job and fails if
// the store has its limit, or if the disk stays full.
func (s *Server) persist(ctx context.Context, w *jobs.Work, write func() error) bool {
	for begun := time.Now(); ; {
		err := write()
		if err == nil {
			return true
		}
		var full *jobs.FullError
		if errors.As(err, &full) && (!full.Disk || time.Since(begun) >= s.fullWait) {
			if _, err = s.Jobs.Fill(w.Job, full.Reason); err == nil {
				s.Log.Error("full", "job", w.Job, "error", full.Reason)
				return false
			}
		}
		if errors.Is(err, jobs.ErrUnknown) {
			return false // a client has removed the job
		}
		s.storeFailed(ctx, err)
		if ctx.Err() != nil {
			return false
		}
	}
}

// answerItem waits for a turn that no request needs and explains the item. It returns finished =
// false if the server stops or the job is cancelled.
func (s *Server) answerItem(
	ctx context.Context, open *opened, w *jobs.Work,
) (line []byte, failed, finished bool) {
	// The bag ends if its job is cancelled, if its time is up, or if the server stops.
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		select {
		case <-w.Ended:
			cancel(errCancelled)
		case <-ctx.Done(): // this function has returned
		}
	}()
	if w.Data == nil || s.gate.acquireJobTurn(ctx) != nil {
		return nil, false, false
	}
	// The start is on disk before the work, see package jobs.
	if !s.persist(ctx, w, func() error { return s.Jobs.Begin(w) }) {
		s.gate.releaseJobTurn()
		return nil, false, false
	}
	t := &turn{server: s, ctx: ctx, has: true, begun: time.Now(), left: s.limits.Bag}
	t.timer = time.AfterFunc(t.left, func() { cancel(errBagDeadline) })
	defer t.end()
	if w.Suspect() && s.Isolate != nil {
		line, failed, finished = s.answerIsolated(ctx, open, w)
	} else {
		line, failed = s.answerSafely(ctx, open, w, func(int, int) { t.yieldTurn() })
		finished = !open.blocked
	}
	// A bag that exceeds its time limit is finished, with a problem as its result.
	cause := context.Cause(ctx)
	finished = cause == nil && finished || errors.Is(cause, errBagDeadline)
	return line, failed, finished
}

// answerSafely turns a panic into the item's problem. Otherwise every server that opens the store
// would panic again.
func (s *Server) answerSafely(
	ctx context.Context, open *opened, w *jobs.Work, progress func(done, total int),
) (line []byte, failed bool) {
	var item jobItem
	defer func() {
		if p := recover(); p != nil {
			s.Log.Error("panic", "job", w.Job, "item", w.Item, "stack", string(debug.Stack()))
			line, failed = open.problemLine(w, item, problem("internal", internalItem)), true
		}
	}()
	if err := json.Unmarshal(w.Data, &item); err != nil {
		panic(msg.Sprintf("an item of a job cannot be read: %v", err))
	}
	return open.answer(ctx, w, item, progress)
}

// A turn is the turn of a job's bag. Requests take priority over it. The bag's time limit applies
// only to the time with the turn.
type turn struct {
	server *Server
	ctx    context.Context
	timer  *time.Timer
	has    bool
	begun  time.Time     // when it got the turn
	left   time.Duration // time left when it got the turn
}

// yieldTurn returns the turn if a request needs it, and waits for another turn. It is called
// between evaluations: while it waits, nothing is computed and no result is lost. The request does
// not wait for this call; until then both are computed.
func (t *turn) yieldTurn() {
	if !t.server.gate.jobsMustYield() || !t.timer.Stop() {
		return
	}
	t.left = max(0, t.left-time.Since(t.begun))
	t.server.gate.releaseJobTurn()
	t.has = t.server.gate.acquireJobTurn(t.ctx) == nil
	if t.has {
		t.begun = time.Now()
		t.timer.Reset(t.left)
	}
}

// end stops the time limit and returns the turn if the bag has it.
func (t *turn) end() {
	t.timer.Stop()
	if t.has {
		t.server.gate.releaseJobTurn()
	}
}
