package cohort

import (
	"context"
	"errors"
	"io/fs"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/bagscope/bagscope/internal/msg"
)

// stores holds one file system per scheme, because those of buckets hold connections.
var stores sync.Map

// storeOf returns the file system of a path, which is created at the first use of its scheme.
func storeOf(name string) (store filesystem.Interface, err error) {
	scheme, _, found := strings.Cut(name, "://")
	if !found {
		scheme = "" // a local path
	}
	if err := checkObject(name); err != nil {
		return nil, err
	}
	if known, ok := stores.Load(scheme); ok {
		return known.(filesystem.Interface), nil
	}
	defer func() {
		// Beam's file systems panic if credentials cannot be read.
		if r := recover(); r != nil {
			err = msg.Errorf("%v", r)
		}
	}()
	// The file system outlives the call that creates it, so it must not end with the call's
	// context.
	if store, err = filesystem.New(context.Background(), name); err != nil {
		return nil, err
	}
	// Another goroutine may have created one at the same time; one of them is used.
	known, _ := stores.LoadOrStore(scheme, store)
	return known.(filesystem.Interface), nil
}

// storeTimeout is the time limit of an operation on a store. Google's client would retry forever.
var storeTimeout = 2 * time.Minute

// limited calls request, and cancels ctx if it takes longer than storeTimeout.
func limited(ctx context.Context, cancel context.CancelCauseFunc, request func() error) error {
	timeout := msg.Errorf("the store did not respond within %v", storeTimeout)
	timer := time.AfterFunc(storeTimeout, func() { cancel(timeout) })
	defer timer.Stop()
	err := request()
	if err != nil && context.Cause(ctx) == timeout {
		return timeout
	}
	return err
}

// checkObject rejects object names that Beam's stores would misinterpret, because they parse them
// as URLs.
func checkObject(name string) error {
	if !inBucket(name) {
		return nil
	}
	_, rest, _ := strings.Cut(name, "://")
	bucket, object, _ := strings.Cut(rest, "/")
	switch {
	case bucket == "":
		return errors.New("the name of the bucket is missing")
	case object == "":
		return errors.New("the name of the object is missing")
	case strings.ContainsAny(rest, "?#%"):
		return errors.New("the name must not contain ? # or %, because Beam parses it as a URL")
	}
	return nil
}

// A FileError describes a file that cannot be read or written.
type FileError struct {
	Path    string
	Writing bool
	Err     error
}

// Error names the file and the reason. The reason has no parts that differ between requests.
func (e *FileError) Error() string {
	does := "read"
	if e.Writing {
		does = "written"
	}
	reason := msg.Cut(e.Err.Error())
	if inBucket(e.Path) {
		reason = requestParts.ReplaceAllString(reason, "")
	}
	switch {
	// The stores return XML or long texts for these common mistakes.
	case strings.Contains(reason, "NoSuchBucket"):
		_, rest, _ := strings.Cut(e.Path, "://")
		bucket, _, _ := strings.Cut(rest, "/")
		reason = "the bucket " + bucket + " does not exist"
	case !e.Writing && e.missing():
		return msg.Sprintf("the file %s does not exist", e.Path)
	}
	return msg.Sprintf("%s cannot be %s: %s", e.Path, does, msg.Text(reason))
}

// Unwrap returns the error of the file system.
func (e *FileError) Unwrap() error { return e.Err }

// requestParts matches the parts of a store's error that differ between requests. Without them,
// dead letters are the same in every run.
var requestParts = regexp.MustCompile(
	`(https response error )?StatusCode: \d+, RequestID: [^,]*, (HostID: [^,]*, )?`)

// missing reports whether the file does not exist. The stores have no common error for it; those of
// S3 and Google only have a text.
func (e *FileError) missing() bool {
	if errors.Is(e.Err, fs.ErrNotExist) {
		return true
	}
	text := e.Err.Error()
	return inBucket(e.Path) && (strings.Contains(text, "NoSuchKey") ||
		strings.Contains(text, "object doesn't exist"))
}

// notThere reports whether err is the error of a file that does not exist.
func notThere(err error) bool {
	var file *FileError
	return errors.As(err, &file) && file.missing()
}
