package hdf5

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// A chunk that unpacks to more or less than its size is an error. One that unpacks to thousands
// of times its size costs little memory.
func TestDamagedChunks(t *testing.T) {
	f := must.Get(openBytes(files(t)["chunks_damaged.h5"]))(t)
	want := map[string]string{
		"bomb": "unpacks to more bytes", "long": "unpacks to 65 bytes instead of 64",
		"short": "unpacks to 63 bytes", "cut": "unexpected EOF", "no_zlib": "zlib: invalid header",
		"sum": "checksum does not match", "lzf_bomb": "LZF data are damaged",
		"lzf_before": "LZF data are damaged", "lzf_cut": "LZF data are damaged",
	}
	for name, words := range want {
		d, err := f.Dataset(name)
		must.Do(t, err)
		runtime.GC() // counts what was allocated before on other threads
		before := allocated()
		err = d.ReadFloat32(make([]float32, 16), 0, 4)
		var e *FormatError
		if !errors.As(err, &e) || e.Path != "/"+name || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: %v", name, err)
		}
		if memory := allocated() - before; memory > 1<<18 {
			t.Errorf("%s: %d bytes allocated", name, memory)
		}
	}
}

// Chunks that are far larger than their array are refused: they may all be the same bytes.
func TestPaddedChunks(t *testing.T) {
	_, err := openBytes(files(t)["padded.h5"])
	var e *LimitError
	if !errors.As(err, &e) || e.Setting != "chunk" || e.Path != "/padded" {
		t.Error(err)
	}
}

// Metadata is reserved before it is read, empty messages too.
func TestMetadataIsReserved(t *testing.T) {
	data := files(t)["kinds_v114.h5"]
	full := errors.New("memory is full")
	reserved := int64(0)
	open := func(most int64) error {
		reserved = 0
		reserve := func(n int64) error {
			if reserved+n > most {
				return full
			}
			reserved += n
			return nil
		}
		_, err := Open(bytes.NewReader(data), int64(len(data)), Limits{Reserve: reserve})
		return err
	}
	must.Equal(t, open(1<<30) == nil, true, reserved)
	must.Equal(t, reserved >= 1000, true, reserved)
	for _, most := range []int64{0, reserved / 2, reserved - 1} {
		must.Is(t, open(most), full, most)
	}
}

// Each limit is an error that names the setting.
func TestLimits(t *testing.T) {
	all := files(t)
	for name, limits := range map[string]Limits{
		"metadata": {Metadata: 1000}, "objects": {Objects: 5}, "elements": {Elements: 69},
	} {
		data := all["kinds_v114.h5"]
		_, err := Open(bytes.NewReader(data), int64(len(data)), limits)
		var e *LimitError
		must.Equal(t, errors.As(err, &e), true, name, err)
		must.Equal(t, e.Setting, name, err)
	}
	data := all["kinds_v114.h5"]
	_, err := Open(bytes.NewReader(data), int64(len(data)), Limits{Chunk: 1023})
	var e *LimitError
	if !errors.As(err, &e) || e.Setting != "chunk" || !strings.HasSuffix(e.Path, "/oversized") {
		t.Error(err)
	}
}

// continuation returns a message that refers to a block.
func continuation(addr, n uint64) []byte {
	b := []byte{msgContinuation, 0, 16, 0, 0, 0, 0, 0}
	b = binary.LittleEndian.AppendUint64(b, addr)
	return binary.LittleEndian.AppendUint64(b, n)
}

// readHeader reads a header of messages that stands before so many zeros.
func readHeader(zeros int, messages ...[]byte) error {
	body := slices.Concat(messages...)
	prefix := [16]byte{0: 1, 2: byte(len(messages)), 4: 1}
	binary.LittleEndian.PutUint32(prefix[8:], uint32(len(body)))
	file := slices.Concat(prefix[:], body, make([]byte, zeros))
	_, err := newSource(bytes.NewReader(file), int64(len(file)), Limits{}.withDefaults()).header(0)
	return err
}

// A continuation that refers to its own header, or to a block twice, is an error.
func TestOverlappingContinuations(t *testing.T) {
	for name, messages := range map[string][][]byte{
		"itself": {continuation(16, 24)},
		"twice":  {continuation(100, 24), continuation(100, 24)},
		"partly": {continuation(100, 24), continuation(110, 24)},
	} {
		t.Run(name, func(t *testing.T) {
			err := readHeader(200, messages...)
			must.Fail(t, err)
			must.Contain(t, err.Error(), "overlap")
		})
	}
}

// Thousands of blocks in descending order, each of which moves all others, are refused before they
// take the square of their number.
func TestManyContinuations(t *testing.T) {
	const n = 10_000
	messages := make([][]byte, n)
	for i := range messages {
		messages[i] = continuation(uint64(16+24*n+8*i), 8)
	}
	must.Equal(t, readHeader(8*n, messages...) == nil, true)
	slices.Reverse(messages)
	var e *LimitError
	must.As(t, readHeader(8*n, messages...), &e)
	must.Equal(t, e.Setting, "metadata")
}

// A B-tree whose nodes refer to themselves or twice to the same leaf is an error.
func TestCircularTrees(t *testing.T) {
	original := files(t)["deep_earliest.h5"]
	node := bytes.Index(original, []byte("TREE\x01\x02")) // the root: level 2 of an index of chunks
	must.Equal(t, node >= 0, true, "there is no root")
	const key = 8 + 8*2
	first := node + 24 + key
	for name, child := range map[string]uint64{
		"itself": uint64(node),
		"twice":  binary.LittleEndian.Uint64(original[first+8+key:]),
	} {
		t.Run(name, func(t *testing.T) {
			data := slices.Clone(original)
			binary.LittleEndian.PutUint64(data[first:], child)
			f := must.Get(openBytes(data))(t)
			d := must.Get(f.Dataset("level2"))(t)
			must.Equal(t, d.ReadFloat32(make([]float32, 4300), 0, 4300) != nil, true,
				"the tree is read")
		})
	}
}

// A failing is a reader whose reads fail behind a place.
type failing struct {
	r     io.ReaderAt
	after int64
}

var errFailing = errors.New("the disk is on fire")

func (f failing) ReadAt(p []byte, at int64) (int, error) {
	if at+int64(len(p)) > f.after {
		return 0, errFailing
	}
	return f.r.ReadAt(p, at)
}

// The error of a reader is wrapped, at any place.
func TestFailingReader(t *testing.T) {
	data := files(t)["trident.h5"]
	for after := range len(data) {
		f, err := Open(failing{bytes.NewReader(data), int64(after)}, int64(len(data)), Limits{})
		if err == nil {
			for _, d := range f.Datasets() {
				if err == nil {
					err = d.ReadFloat32(make([]float32, d.Rows()*d.row()), 0, d.Rows())
				}
			}
		}
		if err != nil && !errors.Is(err, errFailing) {
			t.Fatalf("failing after byte %d: %v", after, err)
		}
		if err == nil && after < 100 {
			t.Fatalf("no error after byte %d", after)
		}
	}
}

// Names are escaped in messages, which are printed on terminals.
func TestNamesInErrors(t *testing.T) {
	err := &FormatError{Path: "/a\x1b[2J", Reason: "it is damaged"}
	must.Equal(t, err.Error(), `/a\x1b[2J: byte 0: it is damaged`, err)
	must.Equal(t, (&LookupError{"/\u00e9", "it is missing"}).Error(), "/\u00e9: it is missing")
}
