package cohort

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
)

// stores are the file systems in use, one a scheme: a bucket's holds connections.
var stores sync.Map

func storeOf(name string) (store filesystem.Interface, err error) {
	scheme, _, found := strings.Cut(name, "://")
	if !found {
		scheme = ""
	}
	if err := checkObject(name); err != nil {
		return nil, err
	}
	if known, ok := stores.Load(scheme); ok {
		return known.(filesystem.Interface), nil
	}
	defer func() {
		// Beam's file systems panic where credentials cannot be read.
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	// The file system outlives the call that first needs it, and so must not end with its context.
	if store, err = filesystem.New(context.Background(), name); err != nil {
		return nil, err
	}
	known, _ := stores.LoadOrStore(scheme, store)
	return known.(filesystem.Interface), nil
}

// patience is how long a store is asked again that does not answer: Google's client would do so for ever.
var patience = 2 * time.Minute

// answered lets ask ask a store, and cancels its context where that takes too long.
func answered(ctx context.Context, cancel context.CancelCauseFunc, ask func() error) error {
	silent := fmt.Errorf("the store has not answered for %v", patience)
	timer := time.AfterFunc(patience, func() { cancel(silent) })
	defer timer.Stop()
	err := ask()
	if err != nil && context.Cause(ctx) == silent {
		return silent
	}
	return err
}

// checkObject refuses names of objects that Beam's stores would take for others: they read them as web addresses.
func checkObject(name string) error {
	if !inBucket(name) {
		return nil
	}
	_, rest, _ := strings.Cut(name, "://")
	bucket, object, _ := strings.Cut(rest, "/")
	switch {
	case bucket == "":
		return errors.New("it names no bucket")
	case object == "":
		return errors.New("it has no name behind its bucket")
	case strings.ContainsAny(rest, "?#%"):
		return errors.New("a name with one of ? # % is read as an address of the web, and cannot be asked for")
	}
	return nil
}

// A FileError says which file cannot be read or written.
type FileError struct {
	Path    string
	Writing bool
	Err     error
}

func (e *FileError) Error() string {
	does := "read"
	if e.Writing {
		does = "written"
	}
	reason := e.Err.Error()
	if inBucket(e.Path) {
		reason = lasting(reason)
	}
	switch {
	case strings.Contains(reason, "NoSuchBucket"):
		_, rest, _ := strings.Cut(e.Path, "://")
		bucket, _, _ := strings.Cut(rest, "/")
		reason = "there is no bucket " + bucket
	case !e.Writing && e.missing():
		return "there is no file " + e.Path
	}
	return fmt.Sprintf("%s cannot be %s: %s", e.Path, does, reason)
}

func (e *FileError) Unwrap() error { return e.Err }

// passing is what a store says of one request alone. Dead letters are the same in every run.
var passing = regexp.MustCompile(`(https response error )?StatusCode: \d+, RequestID: [^,]*, (HostID: [^,]*, )?`)

func lasting(reason string) string { return passing.ReplaceAllString(reason, "") }

// missing reports whether there is no such file. The stores have no common error for it: those of S3 and Google say so in words.
func (e *FileError) missing() bool {
	if errors.Is(e.Err, fs.ErrNotExist) {
		return true
	}
	text := e.Err.Error()
	return inBucket(e.Path) && (strings.Contains(text, "NoSuchKey") || strings.Contains(text, "object doesn't exist"))
}

func notThere(err error) bool {
	var file *FileError
	return errors.As(err, &file) && file.missing()
}
