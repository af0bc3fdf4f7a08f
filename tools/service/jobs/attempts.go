package jobs

import (
	"encoding/binary"
	"fmt"

	"go.etcd.io/bbolt"
)

// An item can end the process, because it uses all memory or because of an error that cannot be
// recovered. It would then end every process that opens the store. Therefore the store records
// that an item is begun before the work starts. If a process ends during an item, the item is a
// suspect: the next process computes it alone, or in a process of its own, whose end is then caused
// by this item and recorded by Died. After Limits.Attempts deaths, or Limits.Stops ends of the
// process that has the store, the item fails. After Limits.Attempts consecutive failed items of a
// job, the job's model is assumed to be the cause, and its other items fail without an attempt.

// diedBucket maps the number of an unfinished item to how often it ended a process of its own. It
// exists after the first death.
var diedBucket = []byte("died")

// A CrashError is the reason why an item fails without another attempt.
type CrashError struct {
	Attempts int // how often the process ended during the item, or 0
	Deaths   int // how often the item ended a process of its own, or 0
	Items    int // number of consecutive items of the job that failed for this reason, or 0
}

func (e *CrashError) Error() string {
	if e.Items > 0 {
		return fmt.Sprintf("the server stopped at each of %d consecutive bags of this job, so "+
			"the remaining bags are skipped; the model may crash the server or need more memory "+
			"than is available", e.Items)
	}
	if e.Deaths > 0 {
		return fmt.Sprintf("a process that computed only this bag stopped %d times, and the "+
			"server does not try again; the bag may crash it or need more memory than is available",
			e.Deaths)
	}
	return fmt.Sprintf("the server stopped %d times at this bag and does not try again; the bag "+
		"may crash the server or need more memory than is available", e.Attempts)
}

// crash returns the reason why an item of a job must not be tried again, or nil.
func (l *live) crash(item int, most Limits) *CrashError {
	switch {
	case l.died[item] >= most.Attempts:
		return &CrashError{Deaths: l.died[item]}
	case l.begun[item] >= most.Stops:
		return &CrashError{Attempts: l.begun[item]}
	case l.givenUp >= most.Attempts:
		return &CrashError{Items: l.givenUp}
	}
	return nil
}

// load reads from the data of a job the unfinished items and the attempts at them.
func (l *live) load(data *bbolt.Bucket, j *Job) error {
	done, begun, died := data.Bucket(doneBucket), data.Bucket(begunBucket), data.Bucket(diedBucket)
	finished := 0
	for n := range j.Total {
		if done.Get(number(n)) != nil {
			finished++
			continue
		}
		l.pending = append(l.pending, n)
		if times := count(begun, number(n)); times > 0 {
			l.begun[n] = times
		}
		if times := count(died, number(n)); times > 0 {
			l.died[n] = times
		}
	}
	l.givenUp = count(data, givenUpKey)
	if finished != j.Done {
		return damaged("job %s has %d finished items, but its record states %d", j.ID, finished,
			j.Done)
	}
	return nil
}

// count reads a number. It returns 0 if the bucket does not exist, as in files of older versions.
func count(b *bbolt.Bucket, key []byte) int {
	if b != nil {
		if v := b.Get(key); len(v) == 8 {
			return int(binary.BigEndian.Uint64(v))
		}
	}
	return 0
}

// setCount writes a number. It removes the key for 0.
func setCount(b *bbolt.Bucket, key []byte, n int) error {
	if n == 0 {
		return b.Delete(key)
	}
	return b.Put(key, number(n))
}

// recordBegun records how often an item was begun.
func (s *Store) recordBegun(w *Work, times int) error {
	return s.update(func(tx *bbolt.Tx) error {
		j, err := record(tx, w.Job)
		if err != nil || j.State.Ended() {
			return nil // it will not be begun again
		}
		begun, err := dataOf(tx, w.Job).CreateBucketIfNotExists(begunBucket)
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

// Suspect reports whether a process ended during the item: it must be computed alone, or in a
// process of its own.
func (w *Work) Suspect() bool { return w.alone }

// Died records that the item ended a process of its own. The claim remains.
func (s *Store) Died(w *Work) error {
	err := s.update(func(tx *bbolt.Tx) error {
		_, data, err := unfinished(tx, w.Job)
		if data == nil || err != nil {
			return err
		}
		died, err := data.CreateBucketIfNotExists(diedBucket)
		if err != nil {
			return err
		}
		return setCount(died, number(w.Item), w.died+1)
	})
	if err == nil {
		s.setDeaths(w, w.died+1)
	}
	return err
}

// setDeaths sets how often a claimed item ended a process of its own, in memory.
func (s *Store) setDeaths(w *Work, times int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w.died = times
	if l := s.find(w.Job); l != nil {
		l.died[w.Item] = times
	}
}

// removeDeaths removes the record of how often an item ended a process of its own.
func removeDeaths(data *bbolt.Bucket, item int) error {
	if died := data.Bucket(diedBucket); died != nil {
		return died.Delete(number(item))
	}
	return nil
}

// finish removes the records that an item was begun and that it ended processes, and counts
// consecutive items that were given up.
func (w *Work) finish(data *bbolt.Bucket) (givenUp int, err error) {
	if begun := data.Bucket(begunBucket); begun != nil {
		if err := begun.Delete(number(w.Item)); err != nil {
			return 0, err
		}
	}
	if err := removeDeaths(data, w.Item); err != nil {
		return 0, err
	}
	if w.Crash != nil {
		if w.Crash.Items > 0 { // the whole job was given up before
			return w.Crash.Items, nil
		}
		givenUp = count(data, givenUpKey) + 1
	}
	return givenUp, setCount(data, givenUpKey, givenUp)
}
