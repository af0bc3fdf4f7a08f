package bagio

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/metrics"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/internal/damage"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/internal/testfile"
)

var thorough = flag.Int("thorough", 1, "how many times as many broken files are tried")

// Limits for the bytes that one broken file makes be allocated in all, of which a good part is
// never held at once.
const (
	fileBytes = 64 << 20
	perByte   = 16
)

// TestBrokenFilesNeverPanic cuts off bag files of every format at many lengths and changes bytes
// in many places.
func TestBrokenFilesNeverPanic(t *testing.T) {
	t.Run("committed", func(t *testing.T) {
		files := globFiles(t, filepath.Join("..", ".."), "testdata/models/*/*.npz",
			"testdata/models/zoo/*/*.npy",
			"examples/*/bags.npz", "examples/tissue/slide.png", "wasm/parity/testdata/*.csv",
			"core/bagio/testdata/torch/*.pt", "core/bagio/testdata/torch/*.safetensors")
		files["tiny.csv.gz"] = gzipped(t, files["tiny.csv"])
		files["digits.idx3-ubyte.gz"] = gzipped(t, idxOfDigits(t, files["digits-bags.npz"]))
		useBroken(t, files)
	})
	t.Run("restricted", func(t *testing.T) {
		root := filepath.Dir(testfile.Restricted(t, "data"))
		useBroken(t, globFiles(t, root, "data/*/*.gz", "data/*/*.npz", "data/*/*.csv",
			"data/histology/*.png", "data/crc/images/img?.png", "models/*/*.npz"))
	})
}

// globFiles reads the files that patterns name below a folder, by the last two parts of their path.
func globFiles(t *testing.T, root string, patterns ...string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	for _, pattern := range patterns {
		found, _ := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		must.Equal(t, len(found) != 0, true, pattern, root)
		for _, file := range found {
			data := must.Get(os.ReadFile(file))(t)
			if len(data) > 4<<20 && *thorough == 1 {
				continue // decompressing takes most of a second
			}
			name := filepath.Base(filepath.Dir(file)) + "-" + filepath.Base(file)
			if filepath.Ext(file) == ".csv" {
				name = filepath.Base(file)
			}
			files[name] = data
		}
	}
	return files
}

// idxOfDigits writes the pictures (k, 28, 28) of the first bag in the format of MNIST.
func idxOfDigits(t *testing.T, npz []byte) []byte {
	t.Helper()
	set := must.Get(Read("bags.npz", npz, Options{}))(t)
	bag := must.Get(set.Bag(0))(t)
	idx := []byte{0, 0, 8, 3, 0, 0, 0, byte(bag.Len()), 0, 0, 0, 28, 0, 0, 0, 28}
	for _, v := range bag.Values {
		idx = append(idx, byte(v))
	}
	return idx
}

// useBroken reads broken copies of files, each to an end and within the memory that one may take.
func useBroken(t *testing.T, files map[string][]byte) {
	t.Helper()
	o := Options{Patch: PatchOptions{Size: 64},
		Limits: Limits{Bytes: 1 << 24, Elements: 1 << 22, Pixels: 1 << 20}}
	most := uint64(fileBytes + 16*o.Limits.Bytes)
	tried, valid := 0, 0
	for name, data := range files {
		r := rand.New(rand.NewPCG(uint64(len(data)), 9))
		for i := range 4 * *thorough {
			bad := slices.Clone(data)
			if cut := placeIn(r, len(data)); i%2 == 0 {
				bad = bad[:cut]
			} else {
				for range 1 + r.IntN(4) {
					bad[placeIn(r, len(bad))] ^= byte(1 + r.IntN(255))
				}
			}
			before := allocated()
			damage.Ends(fmt.Sprintf("%s, broken file %d", name, i), func() {
				if err := examine(t, name, bad, o); err == nil {
					valid++
				}
			})
			if got := allocated() - before; got > most+perByte*uint64(len(bad)) {
				t.Errorf("%s, broken file %d: %d MB were allocated", name, i, got>>20)
			}
			tried++
		}
	}
	t.Logf("%d broken files, of which %d can still be read", tried, valid)
}

// placeIn returns a place, of which half are within the first or last two thousand.
func placeIn(r *rand.Rand, n int) int {
	switch p := r.IntN(min(n, 2000)); r.IntN(4) {
	case 0:
		return p
	case 1:
		return n - 1 - p
	}
	return r.IntN(n)
}

// allocated returns the bytes that have ever been allocated.
func allocated() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// TestDecompressionStopsAtTheLimit checks that files that decompress to far more than their size
// end at the limit and use little more memory.
func TestDecompressionStopsAtTheLimit(t *testing.T) {
	const limit = 1 << 22
	zeros := make([]byte, 64<<20)
	wide := []byte("bag")
	for range 1 << 20 {
		wide = append(wide, ",f"...)
	}
	wide = append(wide, "\n1"...)
	quoted := append([]byte("bag,f\n1,\"\n"), bytes.Repeat([]byte(",\"\n\""), 1<<19)...)
	for _, c := range []struct {
		name  string
		data  []byte
		limit bool
	}{
		{"zeros.csv.gz", gzipped(t, zeros), true},
		{"zeros.npy.gz", gzipped(t, append([]byte(npyMagic), zeros...)), true},
		{"wide.csv.gz", gzipped(t, wide), true},
		{"one cell of many lines.csv.gz", gzipped(t, quoted), false},
		{"picture.png", hugePNG(t, 60000, 60000), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := allocated()
			var err error
			damage.Ends(c.name, func() {
				err = examine(t, c.name, c.data,
					Options{Limits: Limits{Bytes: limit}, Patch: PatchOptions{Size: 27}})
			})
			var over *LimitError
			must.Fail(t, err)
			must.Equal(t, c.limit, errors.As(err, &over), err)
			if got := allocated() - before; got > 40*limit {
				t.Errorf("%d bytes make %d MB be allocated", len(c.data), got>>20)
			}
			t.Log(err)
		})
	}
}
