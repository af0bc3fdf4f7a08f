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

// A State is how far a job is.
type State string

// The states of a job.
const (
	Waiting   State = "waiting" // nobody has begun
	Running   State = "running"
	Done      State = "done"
	Cancelled State = "cancelled"
)

// Ended reports whether nothing more will come of a job.
func (s State) Ended() bool { return s == Done || s == Cancelled }

// A Job is what is told of one.
type Job struct {
	ID      string     `json:"id"`
	State   State      `json:"state"`
	Created time.Time  `json:"created"`
	Ended   *time.Time `json:"ended"`   // nil while it goes on
	Expires *time.Time `json:"expires"` // when it is removed; nil while it goes on
	Total   int        `json:"total"`   // items
	Done    int        `json:"done"`    // items with a result, failed ones too
	Failed  int        `json:"failed"`  // items whose result says why there is none
	Bytes   int64      `json:"bytes"`   // of files, items and results
}

// records reads all jobs, in the order in which they came.
func records(tx *bbolt.Tx) ([]*Job, error) {
	var list []*Job
	err := tx.Bucket(jobsBucket).ForEach(func(_, v []byte) error {
		j := &Job{}
		list = append(list, j)
		return json.Unmarshal(v, j)
	})
	slices.SortFunc(list, func(a, b *Job) int { return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.ID, b.ID)) })
	return list, err
}

func record(tx *bbolt.Tx, id string) (*Job, error) {
	v := tx.Bucket(jobsBucket).Get([]byte(id))
	if v == nil {
		return nil, ErrUnknown
	}
	j := &Job{}
	return j, json.Unmarshal(v, j)
}

func (j *Job) save(tx *bbolt.Tx) error {
	v, err := json.Marshal(j)
	if err != nil {
		return err
	}
	return tx.Bucket(jobsBucket).Put([]byte(j.ID), v)
}

// end notes that nothing more will come.
func (j *Job) end(state State, keep time.Duration) {
	now := time.Now().UTC()
	expires := now.Add(keep)
	j.State, j.Ended, j.Expires = state, &now, &expires
}

// number is a key whose order is that of numbers.
func number(n int) []byte { return binary.BigEndian.AppendUint64(nil, uint64(n)) }

// List returns all jobs, in the order in which they came.
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

// Results returns results of a job in the order in which they came, from the one numbered after on, and how many there are
// before what it returns and within. They are no more than bytes, but for a first one that is larger.
func (s *Store) Results(id string, after, bytes int) (lines [][]byte, next int, err error) {
	next = after
	err = s.db.View(func(tx *bbolt.Tx) error {
		if _, err := record(tx, id); err != nil {
			return err
		}
		c := tx.Bucket(dataBucket).Bucket([]byte(id)).Bucket(resultsBucket).Cursor()
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

// Usage returns how many jobs are in each state, and the bytes of all.
func (s *Store) Usage() (states map[State]int, bytes int64, err error) {
	list, err := s.List()
	states = map[State]int{Waiting: 0, Running: 0, Done: 0, Cancelled: 0}
	for _, j := range list {
		states[j.State]++
		bytes += j.Bytes
	}
	return states, bytes, err
}

func (s *Store) full(reason string, args ...any) error {
	return &FullError{fmt.Sprintf(reason, args...)}
}
