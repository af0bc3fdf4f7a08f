package jobs

import (
	"time"

	"go.etcd.io/bbolt"
)

// Cancel ends a job. Its results are kept and its unfinished items are dropped. A job that has
// ended does not change. An unknown job is ErrUnknown.
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

// Remove deletes a job with all its results and returns its last state.
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

// Expire removes expired jobs and returns their number.
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
