package hdf5

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"runtime/metrics"
	"slices"
	"strconv"
	"testing"

	"github.com/bagscope/bagscope/internal/damage"
	"github.com/bagscope/bagscope/internal/must"
)

// tight are limits for files of some kilobytes.
var tight = Limits{Metadata: 2 << 20, Objects: 1 << 12, Elements: 1 << 18, Chunk: 1 << 18}

// mostAllocated bounds what reading a file with tight limits allocates: structures decoded from the
// metadata, the memory for chunks, and the values of all datasets.
const mostAllocated = 64 << 20

// examine reads all that a file has. For any bytes there is no panic, and every error has a
// documented type. It reports whether the file was opened.
func examine(t testing.TB, data []byte, skipSums bool) bool {
	s := newSource(bytes.NewReader(data), int64(len(data)), tight)
	s.skipSums = skipSums
	f, err := open(s)
	if err != nil {
		checkError(t, err)
		return false
	}
	budget := 1 << 20 // values to read of all datasets
	for _, d := range f.Datasets() {
		n := d.Rows() * d.row()
		if d.Supported() == nil && int64(n) > tight.Elements {
			t.Fatalf("%s has %d entries", d.Path, n)
		}
		if budget -= n; budget < 0 {
			break
		}
		for _, err := range []error{d.Supported(), d.ReadFloat32(make([]float32, n), 0, d.Rows())} {
			if err != nil {
				checkError(t, err)
			}
		}
		if err := d.ReadInt64(make([]int64, d.row()), 0, min(1, d.Rows())); err != nil {
			checkError(t, err)
		}
	}
	for path := range f.links {
		if _, err := f.Dataset(path); err != nil {
			checkError(t, err)
		}
		if budget--; budget < 0 {
			break
		}
	}
	return true
}

func checkError(t testing.TB, err error) {
	t.Helper()
	var format *FormatError
	var unsupported *UnsupportedError
	var limit *LimitError
	var lookup *LookupError
	if !errors.As(err, &format) && !errors.As(err, &unsupported) && !errors.As(err, &limit) &&
		!errors.As(err, &lookup) {
		t.Fatalf("%v has no type of its own: %T", err, err)
	}
	must.Equal(t, err.Error() != "", true, "an error without words")
}

// small returns the files of at most limit bytes, ordered by name.
func small(t testing.TB, limit int) [][]byte {
	all := files(t)
	delete(all, "expected.json")
	var out [][]byte
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if len(all[name]) <= limit {
			out = append(out, all[name])
		}
	}
	return out
}

// Damaged files end in an error or in other values: without a panic, and in bounded memory.
// The environment variable BAGSCOPE_MUTANTS sets how many are read.
func TestDamagedFiles(t *testing.T) {
	mutants := 4000
	if n, err := strconv.Atoi(os.Getenv("BAGSCOPE_MUTANTS")); err == nil {
		mutants = n
	}
	seeds := small(t, 250_000)
	r := rand.New(rand.NewPCG(1, 2))
	opened, most := 0, uint64(0)
	for i := range mutants {
		data := damage.Bytes(seeds[i%len(seeds)], r)
		before := allocated()
		damage.Ends(fmt.Sprint("damaged file ", i), func() {
			if examine(t, data, i/len(seeds)%4 != 0) {
				opened++
			}
		})
		memory := allocated() - before
		most = max(most, memory)
		if memory > mostAllocated {
			name := fmt.Sprintf("%s/mutant%d.h5", t.ArtifactDir(), i)
			_ = os.WriteFile(name, data, 0o600)
			t.Fatalf("%s: %d bytes allocated", name, memory)
		}
	}
	t.Logf("%d mutants, %d opened, at most %d KiB allocated", mutants, opened, most>>10)
	must.Equal(t, opened >= mutants/10, true, opened, mutants)
	must.Equal(t, opened != mutants, true, opened, mutants)
}

// allocated returns the bytes that were allocated since the program began.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// A file that was cut off anywhere is an error.
func TestTruncatedFiles(t *testing.T) {
	for _, data := range small(t, 8_000) {
		for n := range len(data) {
			if _, err := openBytes(data[:n]); err == nil {
				t.Fatalf("the first %d of %d bytes are read without an error", n, len(data))
			}
		}
	}
}

func FuzzOpen(f *testing.F) {
	for _, data := range small(f, 13_000) {
		f.Add(data, true)
	}
	f.Fuzz(func(t *testing.T, data []byte, skipSums bool) { examine(t, data, skipSums) })
}
