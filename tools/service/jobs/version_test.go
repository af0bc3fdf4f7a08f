package jobs

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.etcd.io/bbolt"

	"github.com/bagscope/bagscope/internal/must"
)

// rewritten changes the bucket with the version of a closed store and returns the file's bytes.
func rewritten(t *testing.T, dir string, change func(info *bbolt.Bucket) error) []byte {
	t.Helper()
	path := filepath.Join(dir, "jobs.db")
	db := must.Get(bbolt.Open(path, 0o600, nil))(t)
	must.Do(t, db.Update(func(tx *bbolt.Tx) error { return change(tx.Bucket(infoBucket)) }))
	must.Do(t, db.Close())
	return must.Get(os.ReadFile(path))(t)
}

// TestVersion opens stores of earlier and of later programs.
func TestVersion(t *testing.T) {
	put := func(version []byte) func(*bbolt.Bucket) error {
		return func(info *bbolt.Bucket) error { return info.Put(versionKey, version) }
	}
	for _, c := range []struct {
		name   string
		change func(info *bbolt.Bucket) error
		says   string // the error, "" for none
	}{
		{"this version", put(seal(versionKey, number(Version))), ""},
		{"no version", func(info *bbolt.Bucket) error { return info.Delete(versionKey) }, ""},
		{"a later version", put(seal(versionKey, number(2))),
			"jobs.db has version 2, and this program reads version 1; start the program that " +
				"wrote it, or use another folder"},
		{"a version without a seal", put(number(Version)), "is damaged"},
		{"a short version", put(seal(versionKey, []byte{1})), "is damaged"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			s, err := Open(dir, Limits{})
			must.Do(t, err)
			j := add(t, s, 2)
			must.Do(t, s.Close())
			before := rewritten(t, dir, c.change)
			if c.says == "" {
				for range 2 { // the version is written, and then read
					s := open(t, dir, Limits{})
					must.Equal(t, state(t, s, j.ID).Total, 2)
					s.Close()
				}
				return
			}
			for range 2 { // a store that is refused is not in use
				_, err = Open(dir, Limits{})
				must.Fail(t, err, c.says)
			}
			var other *VersionError
			must.Equal(t, errors.As(err, &other), strings.Contains(c.says, "version 2"))
			after := must.Get(os.ReadFile(filepath.Join(dir, "jobs.db")))(t)
			must.EqualSlices(t, after, before)
		})
	}
}
