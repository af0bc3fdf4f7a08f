package hdf5

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/bagscope/bagscope/internal/advice"
	"github.com/bagscope/bagscope/internal/must"
)

// TestUnclosed follows the command for a file that a program has open for writing, or did not
// close.
func TestUnclosed(t *testing.T) {
	book, tried := advice.Of(t), 0
	for name, data := range files(t) {
		if len(data) < 48 || string(data[:9]) != fileSignature+"\x03" || data[9] != 8 {
			continue
		}
		tried++
		t.Run(name, func(t *testing.T) {
			data[11] |= 1
			le.PutUint32(data[44:], lookup3(data[:44]))
			open := func() error {
				_, err := Open(bytes.NewReader(data), int64(len(data)), Limits{})
				return err
			}
			err := open()
			must.Fail(t, err)
			dir := t.TempDir()
			must.Do(t, os.WriteFile(filepath.Join(dir, "a.h5"), data, 0o600))
			book.Follow(t, dir, "a.h5", err.Error())
			data = must.Get(os.ReadFile(filepath.Join(dir, "a.h5")))(t)
			must.Do(t, open())
		})
	}
	must.Equal(t, tried != 0, true, "no file has a superblock of version 3")
}
