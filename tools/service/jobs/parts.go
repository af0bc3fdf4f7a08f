package jobs

import "go.etcd.io/bbolt"

// partsBucket maps the number of an unfinished item to a bucket with the parts of its work.
var partsBucket = []byte("parts")

// Keep stores a part of the work at an item behind those that are stored, so that the work can go
// on there if the process ends. They are removed with the result, and if the job is cancelled. A
// part for which Limits.Bytes or the disk has no room is a *FullError; the work can go on without
// it.
//
// Earlier attempts at the item count no longer: an item that gets further will end.
func (s *Store) Keep(w *Work, part []byte) error {
	if !s.grow(int64(len(part)), s.limits.forJobs()) {
		return s.full("a part of an item has %d bytes; the jobs have their limit of %d bytes",
			len(part), s.limits.forJobs())
	}
	stored := false
	err := s.update(func(tx *bbolt.Tx) error {
		j, data, err := unfinished(tx, w.Job)
		if data == nil || err != nil {
			return err
		}
		parts, err := data.CreateBucketIfNotExists(partsBucket)
		if err != nil {
			return err
		}
		if parts, err = parts.CreateBucketIfNotExists(number(w.Item)); err != nil {
			return err
		}
		n, err := parts.NextSequence()
		if err != nil {
			return err
		}
		key := number(int(n))
		if err := parts.Put(key, seal(key, part)); err != nil {
			return err
		}
		if begun := data.Bucket(begunBucket); begun != nil && w.begun {
			if err := setCount(begun, number(w.Item), 1); err != nil {
				return err
			}
		}
		if err := removeDeaths(data, w.Item); err != nil {
			return err
		}
		stored = true
		j.Bytes += int64(len(part))
		return j.save(tx)
	})
	if err != nil || !stored {
		s.shrink(int64(len(part)))
		return err
	}
	w.before = 0
	s.setDeaths(w, 0)
	return nil
}

// Kept calls read with the parts of an item in their order. Their bytes belong to the call. It
// returns the errors of read, and a *DamagedError for a part that is not what was written.
func (s *Store) Kept(w *Work, read func(part []byte) error) error {
	err := s.viewData(w.Job, func(_ *Job, data *bbolt.Bucket) error {
		parts := partsOf(data, w.Item)
		if parts == nil {
			return nil
		}
		return parts.ForEach(func(key, value []byte) error {
			part, err := unseal(key, value)
			if err != nil {
				return err
			}
			return read(part)
		})
	})
	if err == ErrUnknown {
		return nil
	}
	return err
}

// Discard removes the parts of an item.
func (s *Store) Discard(w *Work) error {
	freed := int64(0)
	err := s.update(func(tx *bbolt.Tx) error {
		j, data, err := unfinished(tx, w.Job)
		if data == nil || err != nil {
			return err
		}
		if freed, err = removeParts(data, w.Item); err != nil {
			return err
		}
		j.Bytes -= freed
		return j.save(tx)
	})
	if err == nil {
		s.shrink(freed)
	}
	return err
}

// unfinished returns a job that has not ended with its data, or nil.
func unfinished(tx *bbolt.Tx, id string) (*Job, *bbolt.Bucket, error) {
	j, err := record(tx, id)
	if err == ErrUnknown || err == nil && j.State.Ended() {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	data := dataOf(tx, id)
	if data == nil {
		return nil, nil, damaged("job %s has no data", id)
	}
	return j, data, nil
}

// partsOf returns the parts of an item, or nil.
func partsOf(data *bbolt.Bucket, item int) *bbolt.Bucket {
	if all := data.Bucket(partsBucket); all != nil {
		return all.Bucket(number(item))
	}
	return nil
}

// removeParts removes the parts of an item and returns their bytes.
func removeParts(data *bbolt.Bucket, item int) (bytes int64, err error) {
	parts := partsOf(data, item)
	if parts == nil {
		return 0, nil
	}
	if bytes, err = partBytes(parts); err != nil {
		return 0, err
	}
	return bytes, data.Bucket(partsBucket).DeleteBucket(number(item))
}

// removeAllParts removes the parts of all items and returns their bytes.
func removeAllParts(data *bbolt.Bucket) (bytes int64, err error) {
	all := data.Bucket(partsBucket)
	if all == nil {
		return 0, nil
	}
	err = all.ForEachBucket(func(item []byte) error {
		n, err := partBytes(all.Bucket(item))
		bytes += n
		return err
	})
	if err != nil {
		return 0, err
	}
	return bytes, data.DeleteBucket(partsBucket)
}

// partBytes returns the bytes of the parts of an item, without seals.
func partBytes(parts *bbolt.Bucket) (bytes int64, err error) {
	err = parts.ForEach(func(_, value []byte) error {
		if len(value) < sealSize {
			return damaged("a part of an item has %d bytes", len(value))
		}
		bytes += int64(len(value) - sealSize)
		return nil
	})
	return bytes, err
}
