package jobs

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// content is what a store of one job holds.
type content struct {
	spec, file []byte
	items      [][]byte
	results    [][]byte
}

// soundStore writes a store of one job with 12 results and 8 unfinished items, and a removed job,
// so that some pages are free. It returns the bytes of its file.
func soundStore(t *testing.T) ([]byte, string, content) {
	t.Helper()
	dir := t.TempDir()
	s := must.Get(Open(dir, Limits{}))(t)
	long := func(text string, n int) []byte { return bytes.Repeat([]byte(text), n) }
	c := content{spec: long("spec", 100), file: long("file", 5000)}
	for i := range 20 {
		c.items = append(c.items, long(string(rune('a'+i)), 200))
	}
	n := New{Spec: c.spec, Files: map[string][]byte{"f": c.file}, Items: c.items}
	gone := must.Get(s.Add(n))(t)
	must.Get(s.Remove(gone.ID))(t)
	j := must.Get(s.Add(n))(t)
	for i := range 12 {
		line := long(string(rune('A'+i)), 700*(i%4+1))
		must.Do(t, s.Put(take(t, s), line, false))
		c.results = append(c.results, line)
	}
	must.Do(t, s.Close())
	data := must.Get(os.ReadFile(filepath.Join(dir, "jobs.db")))(t)
	return data, j.ID, c
}

// use opens a store with these bytes and reads everything. It fails the test if something was read
// that was not written, and returns the error. A store whose last transaction is lost, as after a
// power cut, has fewer results.
func use(t *testing.T, what string, data []byte, id string, c content) error {
	t.Helper()
	dir := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(dir, "jobs.db"), data, 0o600))
	s, err := Open(dir, Limits{})
	if err != nil {
		return err
	}
	defer s.Close()
	if _, err := s.List(); err != nil {
		return err
	}
	lines, _, err := s.Results(nil, id, 0, 1<<30)
	if err != nil {
		return err
	}
	must.Equal(t, len(lines) <= len(c.results), true, what, len(lines), len(c.results))
	must.Equal(t, len(lines) >= len(c.results)-1, true, what, len(lines), len(c.results))
	for i := range min(len(lines), len(c.results)) {
		must.EqualSlices(t, lines[i], c.results[i], what, i)
	}
	spec, err := s.Spec(id)
	if err != nil {
		return err
	}
	file, err := s.File(nil, id, "f")
	if err != nil {
		return err
	}
	must.EqualSlices(t, spec, c.spec, what)
	must.EqualSlices(t, file, c.file, what)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for range len(c.items) - len(lines) {
		w, err := s.Take(ctx)
		if err != nil {
			return err
		}
		must.EqualSlices(t, w.Data, c.items[w.Item], what, w.Item)
	}
	return nil
}

// wantDamaged checks that an error is nil or says that the file is damaged and what to do.
func wantDamaged(t *testing.T, what string, err error) {
	t.Helper()
	var d *DamagedError
	if err != nil && (!errors.As(err, &d) || !strings.Contains(err.Error(), "jobs.db") ||
		!strings.Contains(err.Error(), "move the file away")) {
		t.Errorf("%s gives %v", what, err)
	}
}

// childOf returns a change that lets a branch page refer to another first child.
func childOf(child uint64) func(page []byte) bool {
	return func(page []byte) bool {
		binary.LittleEndian.PutUint64(page[pageHeader+8:], child)
		return binary.LittleEndian.Uint16(page[8:]) == branchPage
	}
}

func TestDamagedStoreIsRefused(t *testing.T) {
	data, id, c := soundStore(t)
	must.Do(t, use(t, "the sound file", data, id, c))
	for _, n := range []int{len(data) / 2, len(data) / 4, 4096, 8192, 100, 1} {
		err := use(t, "a cut file", data[:n], id, c)
		if wantDamaged(t, "a cut file", err); err == nil {
			t.Errorf("a file of %d bytes of %d opens", n, len(data))
		}
	}
	refused := 0
	size := os.Getpagesize()
	used := len(bytes.TrimRight(data, "\x00"))
	for n := size; n < used; n += size {
		err := use(t, "a cut file", data[:n], id, c)
		if wantDamaged(t, "a cut file", err); err == nil {
			t.Errorf("a file of %d bytes of %d opens", n, used)
		}
	}
	for at := 0; at < len(data); at += size {
		zeroed := bytes.Clone(data)
		clear(zeroed[at:min(at+size, len(data))])
		err := use(t, "a zeroed page", zeroed, id, c)
		if wantDamaged(t, "a zeroed page", err); err != nil {
			refused++
		}
	}
	must.Equal(t, refused >= 8, true, refused, len(data)/size)
	// Pages of keys that cannot fit, and references to pages that are none.
	pages := uint64(len(data) / size)
	for what, change := range map[string]func(page []byte) bool{
		"too many keys": func(page []byte) bool {
			binary.LittleEndian.PutUint16(page[10:], 65534)
			return true
		},
		"a child before the first": childOf(0), "a child behind the end": childOf(pages + 1),
	} {
		refused := 0
		for at := 2 * size; at < len(data); at += size {
			changed := bytes.Clone(data)
			page := changed[at:]
			flags := binary.LittleEndian.Uint16(page[8:])
			if flags != branchPage && flags != leafPage || !change(page) {
				continue
			}
			err := use(t, what, changed, id, c)
			if wantDamaged(t, what, err); err != nil {
				refused++
			}
		}
		must.Equal(t, refused != 0, true, what)
	}
	text := []byte("not a database, but long enough to hold its header and more than that")
	wantDamaged(t, "a text", use(t, "a text", bytes.Repeat(text, 1000), id, c))
}

// Flipped bits are refused or have no effect.
func TestFlippedBitsGiveNoWrongResult(t *testing.T) {
	data, id, c := soundStore(t)
	used := len(bytes.TrimRight(data, "\x00"))
	random := rand.New(rand.NewPCG(8, 8))
	refused, trials := 0, 300
	for trial := range trials {
		flipped := bytes.Clone(data)
		for range 1 + trial%4 {
			flipped[random.IntN(used)] ^= 1 << random.IntN(8)
		}
		err := use(t, "a flipped file", flipped, id, c)
		if wantDamaged(t, "a flipped file", err); err != nil {
			refused++
		}
	}
	t.Logf("%d of %d files were refused", refused, trials)
	must.Equal(t, refused != 0, true, "no flip was noticed")
}

// A file that is cut off while the store is open gives errors, and the process goes on.
func TestFileCutWhileOpen(t *testing.T) {
	data, id, _ := soundStore(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "jobs.db")
	must.Do(t, os.WriteFile(path, data, 0o600))
	s, err := Open(dir, Limits{})
	must.Do(t, err)
	must.Do(t, os.Truncate(path, 4096))
	_, _, err = s.Results(nil, id, 0, 1<<30)
	if wantDamaged(t, "a cut file", err); err == nil {
		t.Error("results are read from a file that was cut off")
	}
}

// A store of an earlier version has no seals and can still be read.
func TestUnsealedStore(t *testing.T) {
	must.Equal(t, must.Get(decodeRecord([]byte("a"), []byte(`{"id":"a","total":1}`)))(t).Total, 1)
	sealed := seal([]byte("a"), []byte(`{"id":"a","total":1}`))
	must.Get(decodeRecord([]byte("a"), sealed))(t)
	for at := range sealed {
		sealed[at] ^= 1
		must.Equal(t, must.Err(decodeRecord([]byte("a"), sealed)) != nil, true, at)
		sealed[at] ^= 1
	}
}

// FuzzVerify checks that no file makes the verification panic or run without an end.
func FuzzVerify(f *testing.F) {
	page := func(id uint64, flags, count uint16) []byte {
		b := make([]byte, 1024)
		binary.LittleEndian.PutUint64(b, id)
		binary.LittleEndian.PutUint16(b[8:], flags)
		binary.LittleEndian.PutUint16(b[10:], count)
		return b
	}
	f.Add(append(page(2, leafPage, 1), page(3, freelistPage, 1)...))
	f.Add(append(page(2, branchPage, 2), page(3, leafPage, 0)...))
	f.Fuzz(func(t *testing.T, data []byte) {
		// The header is valid, so that the pages behind it are read.
		file := append(make([]byte, 2048), data...)
		v := &verifier{file: bytes.NewReader(file), size: int64(len(file)), pageSize: 1024,
			pages: uint64(len(file) / 1024), used: map[uint64]bool{0: true, 1: true}}
		_ = v.tree(2, nil, nil, 0)
		_ = v.freelist(3)
		_ = verify(bytes.NewReader(data), int64(len(data)))
	})
}
