package jobs

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/bagscope/bagscope/internal/msg"
	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"
)

// Limits bound the content of a store. A zero field has its default.
type Limits struct {
	Jobs  int // jobs, including ended ones; default 1000
	Items int // items of one job; default 100,000
	// Bytes bounds the files, items and results of all jobs; default 10 GB. A fifth of it is kept
	// for results, so that a job that is accepted can usually end.
	Bytes int64
	Keep  time.Duration // how long an ended job is kept; default 7 days

	// Attempts is the number of deaths of an item's own process after which the item fails; default
	// 3.
	Attempts int
	// Stops is the number of times that the process with the store can end during an item before
	// the item fails; default Attempts.
	Stops int

	// lock is the longest wait for another process that has the file open, such as a stopping
	// server; default 5 s.
	lock time.Duration
}

// withDefaults returns the limits with defaults for zero fields.
func (l Limits) withDefaults() Limits {
	return Limits{
		Jobs:     cmp.Or(l.Jobs, 1000),
		Items:    cmp.Or(l.Items, 100_000),
		Bytes:    cmp.Or(l.Bytes, 10e9),
		Keep:     cmp.Or(l.Keep, 7*24*time.Hour),
		Attempts: cmp.Or(l.Attempts, 3),
		Stops:    cmp.Or(l.Stops, l.Attempts, 3),
		lock:     cmp.Or(l.lock, 5*time.Second),
	}
}

// forJobs returns the part of Bytes that is not kept for results.
func (l Limits) forJobs() int64 { return l.Bytes - l.Bytes/5 }

// ErrUnknown means that no job has this name.
var ErrUnknown = errors.New("the job does not exist; ended jobs are removed after a time")

// A FullError names the limit that a job would exceed, or reports a full disk.
type FullError struct {
	Reason string
	Disk   bool // the disk is full
}

func (e *FullError) Error() string { return msg.Cut(e.Reason) }

// A Store holds jobs in a file. It is safe for concurrent use. A second process cannot open the
// same file.
type Store struct {
	db     *bbolt.DB
	path   string
	limits Limits

	mu      sync.Mutex
	live    []*live       // jobs with unfinished items, in the order in which they were added
	count   int           // jobs
	bytes   int64         // size of all jobs
	held    int           // claimed items
	alone   bool          // the claimed item must be the only one
	changed chan struct{} // closed and replaced at every change
}

// The buckets of the file: jobs holds the record of each job by ID, data holds a bucket with its
// data by ID, and info holds the version of the file.
var (
	jobsBucket = []byte("jobs")
	dataBucket = []byte("data")
	infoBucket = []byte("info")
)

// The keys and buckets in the bucket of a job.
var (
	specKey       = []byte("spec")
	filesBucket   = []byte("files")
	itemsBucket   = []byte("items")
	doneBucket    = []byte("done") // maps the number of an item to the number of its result
	resultsBucket = []byte("results")
	// begunBucket maps the number of an unfinished item to how often it was begun.
	begunBucket = []byte("begun")
	// givenUpKey is the key of the number of consecutive items that were given up. Files of earlier
	// versions contain this name.
	givenUpKey = []byte("fallen")
)

// Open opens the store in a folder. It creates the folder if necessary. A file that is not what was
// written is a *DamagedError, and one of another version a *VersionError.
func Open(dir string, l Limits) (*Store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, msg.Errorf("the job folder cannot be created: %w", err)
	}
	l = l.withDefaults()
	path := filepath.Join(dir, "jobs.db")
	var db *bbolt.DB
	err := check(path, l.lock)
	if err == nil {
		err = safely(path, func() (err error) {
			db, err = bbolt.Open(path, 0o600, &bbolt.Options{Timeout: l.lock,
				FreelistType: bbolt.FreelistMapType})
			return err
		})
	}
	var broken *DamagedError
	if errors.As(err, &broken) {
		return nil, err
	}
	if errors.Is(err, bolterrors.ErrTimeout) {
		return nil, msg.Errorf(
			"%s is in use by another server; stop that server or use another folder", path)
	}
	if err != nil {
		return nil, msg.Errorf("%s cannot be opened: %w", path, err)
	}
	s := &Store{db: db, path: path, limits: l, changed: make(chan struct{})}
	if err := s.load(); err != nil {
		db.Close()
		var other *VersionError
		if errors.As(err, &broken) || errors.As(err, &other) {
			return nil, err
		}
		return nil, msg.Errorf("%s cannot be read: %w", path, err)
	}
	return s, nil
}

// Close waits for running calls and closes the store.
func (s *Store) Close() error { return s.db.Close() }

// view reads in one transaction. f must copy what it returns, because the bytes belong to the
// transaction.
func (s *Store) view(f func(tx *bbolt.Tx) error) error {
	return safely(s.path, func() error { return s.db.View(f) })
}

// update writes in one transaction. A full disk is a *FullError and leaves the store unchanged.
func (s *Store) update(write func(tx *bbolt.Tx) error) error {
	err := safely(s.path, func() error { return s.db.Update(write) })
	for _, full := range []syscall.Errno{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG} {
		// bbolt returns some of these errors only as text
		if err != nil && strings.Contains(err.Error(), full.Error()) {
			return &FullError{Reason: msg.Sprintf("the disk is full: %v", full), Disk: true}
		}
	}
	return err
}

// load checks the version, creates the buckets and finds unfinished items. Claims of an earlier
// process do not exist, because claims are only in memory.
func (s *Store) load() error {
	return s.update(func(tx *bbolt.Tx) error {
		if err := s.checkVersion(tx); err != nil {
			return err
		}
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
			data := dataOf(tx, j.ID)
			if data == nil {
				return damaged("job %s has no data", j.ID)
			}
			w := newLive(j.ID)
			if err := w.load(data, j); err != nil {
				return err
			}
			s.live = append(s.live, w)
		}
		return nil
	})
}

// grow counts n more bytes of jobs, unless they would be more than most.
func (s *Store) grow(n, most int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.bytes+n > most {
		return false
	}
	s.bytes += n
	return true
}

// shrink counts n bytes less.
func (s *Store) shrink(n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bytes -= n
}

// broadcast wakes all goroutines that wait for a change. The caller holds the lock.
func (s *Store) broadcast() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// Changed returns a channel that is closed at the next change of any job.
func (s *Store) Changed() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.changed
}
