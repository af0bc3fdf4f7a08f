package jobs

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
	"time"

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
)

// Ended reports whether a job has ended and will have no more results.
func (s State) Ended() bool { return s == Done || s == Cancelled }

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
	Bytes   int64      `json:"bytes"`   // of files, items and results
}

// records reads all jobs, in the order in which they were added.
func records(tx *bbolt.Tx) ([]*Job, error) {
	var list []*Job
	err := tx.Bucket(jobsBucket).ForEach(func(_, v []byte) error {
		j := &Job{}
		list = append(list, j)
		return json.Unmarshal(v, j)
	})
	slices.SortFunc(list, func(a, b *Job) int {
		return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.ID, b.ID))
	})
	return list, err
}

// record reads a job. It returns ErrUnknown if there is none with this ID.
func record(tx *bbolt.Tx, id string) (*Job, error) {
	v := tx.Bucket(jobsBucket).Get([]byte(id))
	if v == nil {
		return nil, ErrUnknown
	}
	j := &Job{}
	return j, json.Unmarshal(v, j)
}

// dataOf returns the bucket with the data of a job, or nil.
func dataOf(tx *bbolt.Tx, id string) *bbolt.Bucket {
	return tx.Bucket(dataBucket).Bucket(
		[]byte(id))
}

// view calls read with the data of a job in a transaction, or returns ErrUnknown. read must copy
// what it returns, because the bytes belong to the transaction.
func (s *Store) view(id string, read func(data *bbolt.Bucket) error) error {
	return s.db.View(func(tx *bbolt.Tx) error {
		if _, err := record(tx, id); err != nil {
			return err
		}
		return read(dataOf(tx, id))
	})
}

// save writes the record of a job.
func (j *Job) save(tx *bbolt.Tx) error {
	v, err := json.Marshal(j)
	if err != nil {
		return err
	}
	return tx.Bucket(jobsBucket).Put([]byte(j.ID), v)
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
	err = s.db.View(func(tx *bbolt.Tx) error {
		list, err = records(tx)
		return err
	})
	return list, err
}

// Get returns a job, or ErrUnknown.
func (s *Store) Get(id string) (j *Job, err error) {
	err = s.db.View(func(tx *bbolt.Tx) error {
		j, err = record(tx, id)
		return err
	})
	return j, err
}

// Results returns the results of a job in the order of completion. It skips the first after
// results, and returns at most bytes bytes, or one result if that is larger. The returned number
// counts the skipped and the returned results.
func (s *Store) Results(id string, after, bytes int) (lines [][]byte, next int, err error) {
	next = after
	err = s.view(id, func(data *bbolt.Bucket) error {
		c := data.Bucket(resultsBucket).Cursor()
		for k, v := c.Seek(number(after)); k != nil; k, v = c.Next() {
			if bytes -= len(v); bytes < 0 && lines != nil {
				break
			}
			lines = append(lines, slices.Clone(v))
			next++
		}
		return nil
	})
	return lines, next, err
}

// Usage returns the number of jobs in each state, and the bytes of all jobs.
func (s *Store) Usage() (states map[State]int, bytes int64, err error) {
	list, err := s.List()
	states = map[State]int{Waiting: 0, Running: 0, Done: 0, Cancelled: 0}
	for _, j := range list {
		states[j.State]++
		bytes += j.Bytes
	}
	return states, bytes, err
}

// full returns a *FullError.
func (s *Store) full(reason string, args ...any) error {
	return &FullError{fmt.Sprintf(reason, args...)}
}
