package jobs

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"
)

// Limits bound what a store keeps. A field of zero has its default.
type Limits struct {
	Jobs  int           // jobs, ended ones too; default 1000
	Items int           // of one job; default 100,000
	Bytes int64         // of files, items and results of all jobs; default 10 GB. The results of jobs that were taken may go beyond
	Keep  time.Duration // how long an ended job is kept; default 7 days

	// Attempts is how often the process may end while an item is worked at before the item is given up; default 3.
	Attempts int
}

func (l Limits) withDefaults() Limits {
	l.Jobs = cmp.Or(l.Jobs, 1000)
	l.Items = cmp.Or(l.Items, 100_000)
	l.Bytes = cmp.Or(l.Bytes, 10e9)
	l.Keep = cmp.Or(l.Keep, 7*24*time.Hour)
	l.Attempts = cmp.Or(l.Attempts, 3)
	return l
}

// ErrUnknown says that there is no job of that name.
var ErrUnknown = errors.New("there is no job of that name; an ended one is kept for a while only")

// A FullError says which limit a job would pass, or that the disk is full.
type FullError struct{ Reason string }

func (e *FullError) Error() string { return e.Reason }

// A Store is jobs in a file. It is safe for concurrent use; a second process cannot open the same file.
type Store struct {
	db     *bbolt.DB
	limits Limits

	mu      sync.Mutex
	live    []*live // jobs with items that are not done, in the order in which they came
	count   int     // jobs
	bytes   int64   // of all jobs
	held    int     // items that are worked at
	alone   bool    // and no other may be
	changed chan struct{}
}

// The buckets: jobs holds a record by name, data a bucket by name that holds what belongs to it.
var (
	jobsBucket = []byte("jobs")
	dataBucket = []byte("data")

	specKey       = []byte("spec")
	filesBucket   = []byte("files")
	itemsBucket   = []byte("items")
	doneBucket    = []byte("done") // number of an item to number of its result
	resultsBucket = []byte("results")
	begunBucket   = []byte("begun")  // number of an item that is not done to how often it was begun
	fallenKey     = []byte("fallen") // number of items that were given up one behind the other
)

// lockTime is how long another process is waited for that has the file open, such as a server that is being stopped.
const lockTime = 5 * time.Second

// Open opens the store in a folder, which is made where there is none.
func Open(dir string, l Limits) (*Store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("the folder of jobs cannot be made: %w", err)
	}
	path := filepath.Join(dir, "jobs.db")
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{Timeout: lockTime, FreelistType: bbolt.FreelistMapType})
	if errors.Is(err, bolterrors.ErrTimeout) {
		return nil, fmt.Errorf("%s is open in another server", path)
	}
	if err != nil {
		return nil, fmt.Errorf("%s cannot be opened: %w", path, err)
	}
	s := &Store{db: db, limits: l.withDefaults(), changed: make(chan struct{})}
	if err := s.load(); err != nil {
		db.Close()
		return nil, fmt.Errorf("%s cannot be read: %w", path, err)
	}
	return s, nil
}

// Close waits for calls that are under way.
func (s *Store) Close() error { return s.db.Close() }

// update writes in one transaction. A disk without room is a *FullError, and what was there before stays as it was.
func (s *Store) update(write func(tx *bbolt.Tx) error) error {
	err := s.db.Update(write)
	for _, full := range []syscall.Errno{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG} {
		if err != nil && strings.Contains(err.Error(), full.Error()) { // bbolt hands some of them on as words alone
			return s.full("the disk has no room for it: %v", full)
		}
	}
	return err
}

// load makes the buckets and finds what is not done.
func (s *Store) load() error {
	return s.db.Update(func(tx *bbolt.Tx) error {
		for _, name := range [][]byte{jobsBucket, dataBucket} {
			if _, err := tx.CreateBucketIfNotExists(name); err != nil {
				return err
			}
		}
		list, err := records(tx)
		if err != nil {
			return err
		}
		for _, j := range list {
			s.count, s.bytes = s.count+1, s.bytes+j.Bytes
			if j.State.Ended() {
				continue
			}
			data := tx.Bucket(dataBucket).Bucket([]byte(j.ID))
			if data == nil {
				return fmt.Errorf("job %s has no data", j.ID)
			}
			w := newLive(j.ID)
			w.load(data, j.Total)
			s.live = append(s.live, w)
		}
		return nil
	})
}

// tell wakes all who wait for a change. The lock is held.
func (s *Store) tell() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// Changed returns a channel that is closed at the next change of any job.
func (s *Store) Changed() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.changed
}
