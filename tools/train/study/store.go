package study

import (
	"bytes"
	"crypto/sha256"
	"encoding/gob"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/atomicfile"
)

// A Store saves results in a folder: one file for each combination of bag, model and settings. The
// zero value saves nothing.
//
// The name of a file is a hash of all that determines its result: the model's bytes and card, the
// bag, the settings of methods and judging, and the program. A new build therefore finds no results
// of an old one.
type Store struct {
	Dir string
}

// Key returns the name of a job's result for a bag, in hexadecimal digits.
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

// program returns the hash of the running program, because another build may compute other values.
var program = sync.OnceValue(func() string {
	name, err := os.Executable()
	if err != nil {
		return "unknown"
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return "unknown"
	}
	return fmt.Sprintf("%x", sha256.Sum256(data))
})

// Load returns the result of a key, or nil if there is no file that can be read. Callers then
// compute the result again, so a damaged file is not an error.
func (s Store) Load(key string) *Result {
	if s.Dir == "" {
		return nil
	}
	data, err := os.ReadFile(s.file(key))
	var r Result
	if err != nil || gob.NewDecoder(bytes.NewReader(data)).Decode(&r) != nil {
		return nil
	}
	return &r
}

// Save writes a result atomically. It returns the errors of writing the file.
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
	return atomicfile.Write(file, b.Bytes())
}

// file returns the path of a key. Folders of two digits limit the number of files in a folder.
func (s Store) file(key string) string { return filepath.Join(s.Dir, key[:2], key[2:]) }
