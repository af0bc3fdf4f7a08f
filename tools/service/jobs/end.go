package jobs

import (
	"time"

	"go.etcd.io/bbolt"
)

// Cancel ends a job: items that are not done never will be, and what came so far is kept. A job that has ended stays as it
// is. An unknown one is ErrUnknown.
func (s *Store) Cancel(id string) (j *Job, err error) {
	err = s.update(func(tx *bbolt.Tx) error {
		if j, err = record(tx, id); err != nil || j.State.Ended() {
			return err
		}
		j.end(Cancelled, s.limits.Keep)
		return j.save(tx)
	})
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop(id)
	s.tell()
	return j, nil
}

// Remove forgets a job with all its results, and returns what it was.
func (s *Store) Remove(id string) (j *Job, err error) {
	err = s.update(func(tx *bbolt.Tx) error {
		if j, err = record(tx, id); err != nil {
			return err
		}
		if err := tx.Bucket(dataBucket).DeleteBucket([]byte(id)); err != nil {
			return err
		}
		return tx.Bucket(jobsBucket).Delete([]byte(id))
	})
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count, s.bytes = s.count-1, s.bytes-j.Bytes
	s.drop(id)
	s.tell()
	return j, nil
}

// Expire removes the jobs whose time is over, and returns how many.
func (s *Store) Expire(now time.Time) (removed int, err error) {
	list, err := s.List()
	for _, j := range list {
		if j.Expires == nil || j.Expires.After(now) {
			continue
		}
		if _, err := s.Remove(j.ID); err != nil && err != ErrUnknown {
			return removed, err
		}
		removed++
	}
	return removed, err
}
