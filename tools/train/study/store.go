package study

import (
	"bytes"
	"crypto/sha256"
	"encoding/gob"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/bagscope/bagscope/core"
)

// A Store keeps results in a folder, a file for each bag under each model and each way to ask. The
// zero value keeps nothing.
//
// A file is found by a hash of all that its result depends on: the model's bytes and what its card
// says, the bag, the settings of every method and of judging, and the program itself, whose every
// build has a store of its own.
type Store struct {
	Dir string
}

// Key names the result of a job for a bag.
func (s Store) Key(j *Job, bag *core.Bag, seed uint64) string {
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%s\n%x %v %v\n%+v\n%s %d %d %v %+v %d\n", program(), j.ID,
		bag.Hash("study"), bag.Class, bag.Labels, j.Truth,
		j.Output, j.Budget, j.Memory, j.SkipMissing, j.Judging, seed)
	for _, m := range j.Methods {
		fmt.Fprintf(h, "%s %#v\n", m.Name(), m)
	}
	if j.Classes != nil {
		info := j.Model.Info()
		classes, err := j.Classes(bag, core.Task{Instances: bag.Len(), Classes: len(info.Classes),
			Negative: info.Negative})
		fmt.Fprintln(h, classes, err)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// program is the hash of the running program: another build may compute otherwise.
var program = sync.OnceValue(func() string {
	h := sha256.New()
	name, err := os.Executable()
	if err != nil {
		return "unknown"
	}
	f, err := os.Open(name)
	if err != nil {
		return "unknown"
	}
	defer f.Close()
	if _, err := io.Copy(h, f); err != nil {
		return "unknown"
	}
	return hex.EncodeToString(h.Sum(nil))
})

// Load returns the result of that name, or nil when there is none that can be read: it is then
// worked out again.
func (s Store) Load(key string) *Result {
	if s.Dir == "" {
		return nil
	}
	data, err := os.ReadFile(s.file(key))
	if err != nil {
		return nil
	}
	var r Result
	if gob.NewDecoder(bytes.NewReader(data)).Decode(&r) != nil {
		return nil
	}
	return &r
}

// Save writes a result. It is there whole or not at all, whenever the program is stopped.
func (s Store) Save(key string, r *Result) error {
	if s.Dir == "" {
		return nil
	}
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(r); err != nil {
		return err
	}
	file := s.file(key)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return writeWhole(file, b.Bytes())
}

func (s Store) file(key string) string { return filepath.Join(s.Dir, key[:2], key[2:]) }

// writeWhole writes a file under another name and gives it its own when it is complete.
func writeWhole(file string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(file), ".writing-*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Chmod(f.Name(), 0o644)
	}
	if err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}
