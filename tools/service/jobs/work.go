package jobs

import (
	"bytes"
	"context"
	"slices"

	"go.etcd.io/bbolt"
)

// live is a job with unfinished items.
type live struct {
	id      string
	pending []int         // items that are not claimed, in order
	begun   map[int]int   // how often items were begun by processes that have ended
	died    map[int]int   // how often items ended a process of their own
	givenUp int           // consecutive items that were given up
	ended   chan struct{} // closed when no more results are needed
}

// newLive returns a job without items.
func newLive(id string) *live {
	return &live{id: id, begun: map[int]int{}, died: map[int]int{}, ended: make(chan struct{})}
}

// Work is a claimed item. Put or Return ends the claim.
type Work struct {
	Job  string
	Item int
	Data []byte
	// Crash is not nil if the item must not be begun. Its result must then be this error.
	Crash *CrashError
	Ended <-chan struct{} // closed when the job is cancelled and the result is not needed

	before int  // how often it was begun by processes that have ended
	died   int  // how often it ended a process of its own
	begun  bool // it was begun by this process
	alone  bool // no other item is claimed
	held   bool // the claim has not ended, see Put and Return
}

// Take waits for an item that is not claimed, and claims it. Jobs take turns in the order in which
// they were added. Take returns the cause if ctx ends first.
func (s *Store) Take(ctx context.Context) (*Work, error) {
	for {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		w, changed := s.claim()
		if w != nil {
			if err := s.read(w); err != nil {
				s.Return(w)
				return nil, err
			}
			return w, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
		}
	}
}

// claim claims the first item that can be computed now, or returns a channel that is closed at the
// next change. An item that must be computed alone waits until no other item is claimed, and blocks
// later items, so that it is not delayed forever.
func (s *Store) claim() (*Work, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.live {
		if len(l.pending) == 0 {
			continue
		}
		item := l.pending[0]
		w := &Work{Job: l.id, Item: item, Ended: l.ended,
			Crash: l.crash(item, s.limits), before: l.begun[item], died: l.died[item], held: true}
		w.alone = w.Crash == nil && w.before+w.died > 0
		if s.alone || w.alone && s.held > 0 {
			break
		}
		l.pending = l.pending[1:]
		s.held, s.alone = s.held+1, w.alone
		return w, nil
	}
	return nil, s.changed
}

// read reads the item.
func (s *Store) read(w *Work) error {
	err := s.viewData(w.Job, func(_ *Job, data *bbolt.Bucket) error {
		key := number(w.Item)
		item, err := unsealIn(data, key, data.Bucket(itemsBucket).Get(key))
		w.Data = bytes.Clone(item)
		return err
	})
	if err == ErrUnknown {
		return nil // the job was removed, and Ended is closed
	}
	return err
}

// Begin records that the work at an item begins. The work must not start before Begin returns, so
// that the next process knows the item if this process ends during the work.
func (s *Store) Begin(w *Work) error {
	if err := s.recordBegun(w, w.before+1); err != nil {
		return err
	}
	w.begun = true
	return nil
}

// Return ends a claim without a result. The item is the next one to be taken, and does not count as
// begun unless that cannot be written.
func (s *Store) Return(w *Work) {
	if w.begun {
		w.begun = s.recordBegun(w, w.before) != nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if l := s.find(w.Job); l != nil && w.held {
		at, _ := slices.BinarySearch(l.pending, w.Item)
		l.pending = slices.Insert(l.pending, at, w.Item)
	}
	s.release(w)
}

// release ends a claim. The caller holds the lock.
func (s *Store) release(w *Work) {
	if w.held {
		w.held = false
		s.held, s.alone = s.held-1, false
	}
	s.broadcast()
}

// find returns the job with this ID if it has unfinished items, or nil. The caller holds the lock.
func (s *Store) find(id string) *live {
	if at := slices.IndexFunc(s.live, func(l *live) bool { return l.id == id }); at >= 0 {
		return s.live[at]
	}
	return nil
}

// Put stores the result of an item and ends its claim. It ignores a second result, and a result of
// a cancelled job. If it fails, the claim remains. It is a *FullError if there is no room.
func (s *Store) Put(w *Work, result []byte, failed bool) error {
	var j *Job
	stored, givenUp, line, grown := false, 0, result, int64(len(result))
	if !s.grow(grown, s.limits.Bytes) {
		return s.full("a result has no room: the stored jobs may have %d bytes in total; remove "+
			"finished jobs, and send the bags without a result again", s.limits.Bytes)
	}
	counted := grown // as bytes of the store
	err := s.update(func(tx *bbolt.Tx) error {
		var err error
		j, err = record(tx, w.Job)
		if err == ErrUnknown {
			return nil
		}
		if err != nil || j.State.Ended() {
			return err
		}
		data := dataOf(tx, w.Job)
		done := data.Bucket(doneBucket)
		if done.Get(number(w.Item)) != nil {
			return nil
		}
		if err := done.Put(number(w.Item), number(j.Done)); err != nil {
			return err
		}
		if data.Get(sealedKey) != nil {
			line = seal(number(j.Done), result)
		}
		if err := data.Bucket(resultsBucket).Put(number(j.Done), line); err != nil {
			return err
		}
		if givenUp, err = w.finish(data); err != nil {
			return err
		}
		freed, err := removeParts(data, w.Item)
		if err != nil {
			return err
		}
		stored, grown = true, grown-freed
		j.Done, j.Bytes, j.State = j.Done+1, j.Bytes+grown, Running
		if failed {
			j.Failed++
		}
		if j.Done == j.Total {
			j.end(Done, s.limits.Keep)
		}
		return j.save(tx)
	})
	if err != nil {
		s.shrink(counted)
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bytes -= counted
	if stored {
		s.bytes += grown
		if l := s.find(w.Job); l != nil {
			l.givenUp = givenUp
		}
		if j.State.Ended() {
			s.drop(w.Job)
		}
	}
	s.release(w)
	return nil
}

// drop forgets the items of a job and closes Ended of its claims. The caller holds the lock.
func (s *Store) drop(id string) {
	if l := s.find(id); l != nil {
		close(l.ended)
		s.live = slices.DeleteFunc(s.live, func(o *live) bool { return o == l })
	}
}
