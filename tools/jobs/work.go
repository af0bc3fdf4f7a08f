package jobs

import (
	"bytes"
	"context"
	"slices"

	"go.etcd.io/bbolt"
)

// live is a job with items that are not done.
type live struct {
	id      string
	pending []int // items that nobody works at, in order
	ended   chan struct{}
}

func newLive(id string) *live { return &live{id: id, ended: make(chan struct{})} }

// Work is an item that someone works at. It ends with Put or with Return.
type Work struct {
	Job   string
	Item  int
	Data  []byte
	Ended <-chan struct{} // closed when the job is cancelled, and nobody wants the result
}

// Take waits for an item that nobody works at, and claims it. Jobs have their turn in the order in which they came. It
// returns the cause when ctx ends first.
func (s *Store) Take(ctx context.Context) (*Work, error) {
	for {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		w, changed := s.claim()
		if w != nil {
			err := s.begin(w)
			if err == nil {
				return w, nil
			}
			s.Return(w)
			return nil, err
		}
		select {
		case <-changed:
		case <-ctx.Done():
		}
	}
}

func (s *Store) claim() (*Work, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.live {
		if len(l.pending) > 0 {
			w := &Work{Job: l.id, Item: l.pending[0], Ended: l.ended}
			l.pending = l.pending[1:]
			return w, nil
		}
	}
	return nil, s.changed
}

// begin reads the item, and notes that its job has begun.
func (s *Store) begin(w *Work) error {
	first := false
	err := s.db.View(func(tx *bbolt.Tx) error {
		j, err := record(tx, w.Job)
		if err != nil {
			return nil // it was removed since, and its end is told
		}
		first = j.State == Waiting
		w.Data = bytes.Clone(tx.Bucket(dataBucket).Bucket([]byte(w.Job)).Bucket(itemsBucket).Get(number(w.Item)))
		return nil
	})
	if err != nil || !first {
		return err
	}
	return s.db.Update(func(tx *bbolt.Tx) error {
		j, err := record(tx, w.Job)
		if err != nil || j.State != Waiting {
			return nil
		}
		j.State = Running
		return j.save(tx)
	})
}

// Return gives a claim up: the item is the next that is taken.
func (s *Store) Return(w *Work) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l := s.find(w.Job); l != nil {
		at, _ := slices.BinarySearch(l.pending, w.Item)
		l.pending = slices.Insert(l.pending, at, w.Item)
		s.tell()
	}
}

func (s *Store) find(id string) *live {
	for _, l := range s.live {
		if l.id == id {
			return l
		}
	}
	return nil
}

// Put keeps the result of an item, with which its claim ends. A result that comes after its job was cancelled, or a second
// one, is left out. When it fails the claim still holds.
func (s *Store) Put(w *Work, result []byte, failed bool) error {
	var j *Job
	kept := false
	err := s.db.Update(func(tx *bbolt.Tx) error {
		var err error
		kept = false
		j, err = record(tx, w.Job)
		if err == ErrUnknown {
			return nil
		}
		if err != nil || j.State.Ended() {
			return err
		}
		data := tx.Bucket(dataBucket).Bucket([]byte(w.Job))
		done := data.Bucket(doneBucket)
		if done.Get(number(w.Item)) != nil {
			return nil
		}
		if err := done.Put(number(w.Item), number(j.Done)); err != nil {
			return err
		}
		if err := data.Bucket(resultsBucket).Put(number(j.Done), result); err != nil {
			return err
		}
		kept = true
		j.Done, j.Bytes, j.State = j.Done+1, j.Bytes+int64(len(result)), Running
		if failed {
			j.Failed++
		}
		if j.Done == j.Total {
			j.end(Done, s.limits.Keep)
		}
		return j.save(tx)
	})
	if err != nil || !kept {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bytes += int64(len(result))
	if j.State.Ended() {
		s.drop(w.Job)
	}
	s.tell()
	return nil
}

// drop forgets the items of a job, and tells those who work at them. The lock is held.
func (s *Store) drop(id string) {
	if l := s.find(id); l != nil {
		close(l.ended)
		s.live = slices.DeleteFunc(s.live, func(o *live) bool { return o == l })
	}
}
