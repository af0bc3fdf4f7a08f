package jobs

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"slices"
	"time"

	"github.com/bagscope/bagscope/internal/msg"
	"go.etcd.io/bbolt"
)

// A State is the state of a job.
type State string

// The states of a job.
const (
	Waiting   State = "waiting" // no item was begun
	Running   State = "running"
	Done      State = "done"
	Cancelled State = "cancelled"
	Full      State = "full" // there was no room for a result
)

// Ended reports whether a job has ended and will have no more results.
func (s State) Ended() bool { return s == Done || s == Cancelled || s == Full }

// A Job describes a stored job.
type Job struct {
	ID      string     `json:"id"`
	State   State      `json:"state"`
	Created time.Time  `json:"created"`
	Ended   *time.Time `json:"ended"`   // nil until it ends
	Expires *time.Time `json:"expires"` // when it is removed; nil until it ends
	Total   int        `json:"total"`   // items
	Done    int        `json:"done"`    // items with a result, failed ones too
	Failed  int        `json:"failed"`  // items whose result is an error
	Bytes   int64      `json:"bytes"`   // size of files, items and results
	Reason  string     `json:"reason"`  // why it is Full, in words; "" in other states
}

// records reads all jobs, in the order in which they were added.
func records(tx *bbolt.Tx) ([]*Job, error) {
	var list []*Job
	err := tx.Bucket(jobsBucket).ForEach(func(k, v []byte) error {
		j, err := decodeRecord(k, v)
		list = append(list, j)
		return err
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(list, func(a, b *Job) int {
		return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.ID, b.ID))
	})
	return list, nil
}

// decodeRecord decodes the record of a job. Those of earlier versions have no seal.
func decodeRecord(id, v []byte) (*Job, error) {
	var err error
	if isSealed(v) {
		if v, err = unseal(id, v); err != nil {
			return nil, err
		}
	}
	j := &Job{}
	if err := json.Unmarshal(v, j); err != nil || j.ID != string(id) || j.Total < 0 ||
		j.Done < 0 || j.Done > j.Total {
		return nil, damaged("the record of job %q is not valid", id)
	}
	return j, nil
}

// record reads a job. It returns ErrUnknown if there is none with this ID.
func record(tx *bbolt.Tx, id string) (*Job, error) {
	v := tx.Bucket(jobsBucket).Get([]byte(id))
	if v == nil {
		return nil, ErrUnknown
	}
	return decodeRecord([]byte(id), v)
}

// dataOf returns the bucket with the data of a job, or nil.
func dataOf(tx *bbolt.Tx, id string) *bbolt.Bucket {
	return tx.Bucket(dataBucket).Bucket(
		[]byte(id))
}

// viewData calls read with the data of a job in a transaction, or returns ErrUnknown. read must
// copy what it returns, because the bytes belong to the transaction.
func (s *Store) viewData(id string, read func(j *Job, data *bbolt.Bucket) error) error {
	return s.view(func(tx *bbolt.Tx) error {
		j, err := record(tx, id)
		if err != nil {
			return err
		}
		data := dataOf(tx, id)
		if data == nil {
			return damaged("job %s has no data", id)
		}
		return read(j, data)
	})
}

// save writes the record of a job.
func (j *Job) save(tx *bbolt.Tx) error {
	v, err := json.Marshal(j)
	if err != nil {
		return err
	}
	return tx.Bucket(jobsBucket).Put([]byte(j.ID), seal([]byte(j.ID), v))
}

// end records that a job has ended.
func (j *Job) end(state State, keep time.Duration) {
	now := time.Now().UTC()
	expires := now.Add(keep)
	j.State, j.Ended, j.Expires = state, &now, &expires
}

// number returns a key for a number. The order of keys is the order of the numbers.
func number(n int) []byte { return binary.BigEndian.AppendUint64(nil, uint64(n)) }

// List returns all jobs, in the order in which they were added.
func (s *Store) List() (list []*Job, err error) {
	err = s.view(func(tx *bbolt.Tx) error {
		list, err = records(tx)
		return err
	})
	return list, err
}

// Get returns a job, or ErrUnknown.
func (s *Store) Get(id string) (j *Job, err error) {
	err = s.view(func(tx *bbolt.Tx) error {
		j, err = record(tx, id)
		return err
	})
	return j, err
}

// Results returns the results of a job in the order of completion. It skips the first after
// results, and returns at most most bytes, or one result if that is larger. The returned number
// counts the skipped and the returned results. A result that is missing or differs from its
// checksum is a *DamagedError.
func (s *Store) Results(
	reserve Reserve, id string, after, most int,
) (lines [][]byte, next int, err error) {
	next = after
	err = s.viewData(id, func(j *Job, data *bbolt.Bucket) error {
		results := data.Bucket(resultsBucket)
		for ; next < j.Done; next++ {
			key := number(next)
			line, err := unsealIn(data, key, results.Get(key))
			if err == nil && line == nil {
				err = damaged("result %d of job %s is missing", next, id)
			}
			if err != nil {
				return err
			}
			if most -= len(line); most < 0 && lines != nil {
				break
			}
			if err := reserve.bytes(len(line)); err != nil {
				return err
			}
			lines = append(lines, slices.Clone(line))
		}
		return nil
	})
	return lines, next, err
}

// Usage returns the number of jobs in each state, and the bytes of all jobs.
func (s *Store) Usage() (states map[State]int, bytes int64, err error) {
	list, err := s.List()
	states = map[State]int{Waiting: 0, Running: 0, Done: 0, Cancelled: 0, Full: 0}
	for _, j := range list {
		states[j.State]++
		bytes += j.Bytes
	}
	return states, bytes, err
}

// full returns a *FullError of a limit.
func (s *Store) full(reason string, args ...any) error {
	return &FullError{Reason: msg.Sprintf(reason, args...)}
}
