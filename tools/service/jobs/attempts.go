package jobs

import (
	"encoding/binary"
	"fmt"

	"go.etcd.io/bbolt"
)

// An item that ends the process, by taking all memory or by a fault that nothing recovers, would end every process that opens the
// store. So it is written that an item is begun before it is, and an item that was begun by a process which did not live to say
// how it came out is begun again alone, while nobody works at any other: what happens then is its own doing. After
// Limits.Attempts of that it is given up, and after as many items of a job that were given up one behind the other, the job's
// model is thought to be at fault and its other items are given up unbegun.

// A CrashError says why an item is given up.
type CrashError struct {
	Attempts int // how often the process ended while the item was worked at, or 0
	Items    int // how many items of the job were given up for that, one behind the other, or 0
}

func (e *CrashError) Error() string {
	if e.Items > 0 {
		return fmt.Sprintf("%d bags of this job that were begun one after another each ended the server, and what is left of it is not tried; the model may break it, or want more memory than there is", e.Items)
	}
	return fmt.Sprintf("the server ended %d times while it worked at this bag, and does not try again; the bag may want more memory than there is, or break the program", e.Attempts)
}

// hopeless returns why an item of a job is given up, or nil.
func (l *live) hopeless(item, most int) *CrashError {
	switch {
	case l.begun[item] >= most:
		return &CrashError{Attempts: l.begun[item]}
	case l.fallen >= most:
		return &CrashError{Items: l.fallen}
	}
	return nil
}

// load reads from the data of a job which of its items are not done, and what became of those that were begun.
func (l *live) load(data *bbolt.Bucket, total int) {
	done, begun := data.Bucket(doneBucket), data.Bucket(begunBucket)
	for n := range total {
		if done.Get(number(n)) != nil {
			continue
		}
		l.pending = append(l.pending, n)
		if times := count(begun, number(n)); times > 0 {
			l.begun[n] = times
		}
	}
	l.fallen = count(data, fallenKey)
}

// count reads a number; a bucket that is not there, as in files of before it was, holds none.
func count(b *bbolt.Bucket, key []byte) int {
	if b == nil {
		return 0
	}
	if v := b.Get(key); len(v) == 8 {
		return int(binary.BigEndian.Uint64(v))
	}
	return 0
}

// setCount writes a number, or nothing for 0.
func setCount(b *bbolt.Bucket, key []byte, n int) error {
	if n == 0 {
		return b.Delete(key)
	}
	return b.Put(key, number(n))
}

// note writes how often an item was begun.
func (s *Store) note(w *Work, times int) error {
	return s.update(func(tx *bbolt.Tx) error {
		j, err := record(tx, w.Job)
		if err != nil || j.State.Ended() {
			return nil // nobody will begin it again
		}
		begun, err := tx.Bucket(dataBucket).Bucket([]byte(w.Job)).CreateBucketIfNotExists(begunBucket)
		if err != nil {
			return err
		}
		if err := setCount(begun, number(w.Item), times); err != nil || j.State == Running {
			return err
		}
		j.State = Running
		return j.save(tx)
	})
}

// came forgets that an item was begun, and counts those that were given up one behind the other.
func (w *Work) came(data *bbolt.Bucket) (fallen int, err error) {
	if begun := data.Bucket(begunBucket); begun != nil {
		if err := begun.Delete(number(w.Item)); err != nil {
			return 0, err
		}
	}
	switch {
	case w.Hopeless == nil:
	case w.Hopeless.Items > 0:
		return w.Hopeless.Items, nil
	default:
		fallen = count(data, fallenKey) + 1
	}
	return fallen, setCount(data, fallenKey, fallen)
}
