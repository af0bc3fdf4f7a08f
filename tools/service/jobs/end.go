package jobs

import (
	"time"

	"go.etcd.io/bbolt"
)

// Cancel ends a job. Its results are kept and its unfinished items are dropped. A job that has
// ended does not change. An unknown job is ErrUnknown.
func (s *Store) Cancel(id string) (*Job, error) { return s.endEarly(id, Cancelled, "") }

// Fill ends a job for whose results there is no room, for a reason in words. It is Cancel for
// another state.
func (s *Store) Fill(id, reason string) (*Job, error) { return s.endEarly(id, Full, reason) }

// endEarly ends a job with unfinished items.
func (s *Store) endEarly(id string, state State, reason string) (j *Job, err error) {
	freed := int64(0)
	err = s.update(func(tx *bbolt.Tx) error {
		if j, err = record(tx, id); err != nil || j.State.Ended() {
			return err
		}
		data := dataOf(tx, id)
		if data == nil {
			return damaged("job %s has no data", id)
		}
		if freed, err = removeAllParts(data); err != nil {
			return err
		}
		j.Bytes, j.Reason = j.Bytes-freed, reason
		j.end(state, s.limits.Keep)
		return j.save(tx)
	})
	if err != nil {
		return nil, err
	}
	s.forget(id, 0, freed)
	return j, nil
}

// forget drops the unfinished items of a job and reduces the numbers of stored jobs and bytes.
func (s *Store) forget(id string, jobs int, bytes int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count, s.bytes = s.count-jobs, s.bytes-bytes
	s.drop(id)
	s.broadcast()
}

// Remove deletes a job with all its results and returns its last state. An unknown job is
// ErrUnknown.
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
	s.forget(id, 1, j.Bytes)
	return j, nil
}

// Expire removes the jobs that have expired at the time now and returns their number. A client may
// remove the same job at the same time, which is not an error.
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
