package bagio

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/internal/testfile"
)

// shortened reads a file that has lost its end since its size was taken.
type shortened struct {
	data []byte
	left int64
}

func (r shortened) ReadAt(p []byte, at int64) (int, error) {
	return io.NewSectionReader(bytes.NewReader(r.data), 0, r.left).ReadAt(p, at)
}

// TestReadFrom reads the files of the corpus in parts. The bags are those of Read. A file that
// becomes shorter is an error that says so, unless the lost bytes are not part of the bag.
func TestReadFrom(t *testing.T) {
	for _, c := range testfile.CorpusCases(t) {
		t.Run(c.Name, func(t *testing.T) {
			data := must.Get(os.ReadFile(c.File))(t)
			name, size := filepath.Base(c.File), int64(len(data))
			// What the card of a model states of the columns of measured.csv.
			rules := []core.ColumnRule{{Name: "who", Role: roleBag}, {Name: "cx", Role: roleX},
				{Name: "cy", Role: roleY}, {Name: "noise", Role: roleSkip}}
			o := Options{Array: c.Array, Patch: PatchOptions{Size: 8}, UsualColumns: rules}
			read := func(r io.ReaderAt) (*core.Bag, error) {
				set, err := ReadFrom(name, r, size, o)
				if err != nil {
					return nil, err
				}
				return set.Bag(c.Index)
			}
			set := must.Get(Read(name, bytes.Clone(data), o))(t)
			want := must.Get(set.Bag(c.Index))(t)
			got, err := read(bytes.NewReader(data))
			must.Do(t, err, got, want)
			must.Equal(t, reflect.DeepEqual(got, want), true, got, want)
			for left := int64(0); left < size; left += 1 + size/64 {
				got, err := read(shortened{data, left})
				switch {
				case err == nil && !reflect.DeepEqual(got, want):
					t.Fatalf("%d of %d bytes: %v, want %v", left, size, got, want)
				case err != nil && !errors.Is(err, io.ErrUnexpectedEOF):
					t.Fatalf("%d of %d bytes: %v does not wrap io.ErrUnexpectedEOF", left, size,
						err)
				case err != nil:
					_ = typed(t, err)
				}
			}
		})
	}
}

// A closing reader fails from a call on.
type closing struct {
	r    io.ReaderAt
	left int
}

func (c *closing) ReadAt(p []byte, at int64) (int, error) {
	if c.left--; c.left < 0 {
		return 0, os.ErrClosed
	}
	return c.r.ReadAt(p, at)
}

// TestFailedCalls makes each call that reads a sample of each format fail, and bounds its memory in
// steps. Reading gives the same bags as without, or the error.
func TestFailedCalls(t *testing.T) {
	for name, data := range samples(t) {
		read := func(r io.ReaderAt, m *quota.Memory) (bags []*core.Bag, err error) {
			set, err := ReadFrom(name, r, int64(len(data)), Options{Patch: PatchOptions{Size: 4},
				Limits: Limits{Memory: m}})
			if err != nil {
				return nil, err
			}
			for i := range min(set.Len(), 4) {
				bag, err := set.Bag(i)
				if err != nil {
					return nil, err
				}
				bags = append(bags, bag)
			}
			return bags, nil
		}
		want := must.Get(read(bytes.NewReader(data), nil))(t)
		for calls := 0; ; calls += 1 + calls/8 {
			r := &closing{bytes.NewReader(data), calls}
			got, err := read(r, nil)
			if r.left >= 0 {
				break
			}
			if err == nil && !reflect.DeepEqual(got, want) {
				t.Errorf("%s: other bags after call %d failed", name, calls+1)
			}
			if err != nil {
				_ = typed(t, err)
			}
		}
		for limit := int64(64); ; limit += 64 + limit/16 {
			got, err := read(bytes.NewReader(data), quota.NewMemory(limit))
			if err == nil {
				if !reflect.DeepEqual(got, want) {
					t.Errorf("%s: other bags within %d bytes", name, limit)
				}
				break
			}
			var e *quota.MemoryError
			if !errors.As(err, &e) {
				t.Errorf("%s within %d bytes: %v", name, limit, err)
			}
		}
	}
}

// TestReadFromHoldsArrayOnce checks that reading a file in parts reserves the array and no more
// than a tenth beside it.
func TestReadFromHoldsArrayOnce(t *testing.T) {
	data := zeros("<f4", 8192, 4)
	m := quota.NewMemory(1 << 30)
	set := must.Get(ReadFrom("a.npy", bytes.NewReader(data), int64(len(data)),
		Options{Limits: Limits{Memory: m}}))(t)
	must.Get(set.Bag(0))(t)
	if peak := m.Peak(); peak < 4*64*8192 || peak > 4*64*8192*11/10 {
		t.Errorf("%d bytes are reserved for an array of %d", peak, 4*64*8192)
	}
	m = quota.NewMemory(1 << 20)
	var refused *quota.MemoryError
	if _, err := ReadFrom("a.npy", bytes.NewReader(data), int64(len(data)),
		Options{Limits: Limits{Memory: m}}); !errors.As(err, &refused) {
		t.Errorf("a file of 2 MB in 1 MB: %v", err)
	}
}
