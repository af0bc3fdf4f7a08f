package packed

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// Streams of one hundred letters a, written by Python 3.11's lzma: with a dictionary of 64 KiB,
// with a delta filter, as libtiff writes, and with a dictionary of 128 MiB.
const (
	lzma2 = "\xfd\x37\x7a\x58\x5a\x00\x00\x04\xe6\xd6\xb4\x46\x02\x00\x21\x01\x08\x00\x00\x00" +
		"\xd8\x0f\x23\x13\xe0\x00\x63\x00\x06\x5d\x00\x30\xee\x9e\x00\x00\x00\x00\x00\x00" +
		"\x33\x84\xf4\x6f\xe6\xfe\x8e\x45\x00\x01\x22\x64\x4a\x56\xeb\xcd\x1f\xb6\xf3\x7d" +
		"\x01\x00\x00\x00\x00\x04\x59\x5a"
	delta = "\xfd\x37\x7a\x58\x5a\x00\x00\x04\xe6\xd6\xb4\x46\x02\x01\x03\x01\x00\x21\x01\x08" +
		"\x1a\x1d\xcb\x14\xe0\x00\x63\x00\x07\x5d\x00\x30\x80\x33\x50\x00\x00\x00\x00\x00" +
		"\x33\x84\xf4\x6f\xe6\xfe\x8e\x45\x00\x01\x23\x64\x0b\x67\xf0\xd4\x1f\xb6\xf3\x7d" +
		"\x01\x00\x00\x00\x00\x04\x59\x5a"
	large = "\xfd\x37\x7a\x58\x5a\x00\x00\x04\xe6\xd6\xb4\x46\x02\x00\x21\x01\x1e\x00\x00\x00" +
		"\x9b\x07\x51\x66\xe0\x00\x63\x00\x06\x5d\x00\x30\xee\x9e\x00\x00\x00\x00\x00\x00" +
		"\x33\x84\xf4\x6f\xe6\xfe\x8e\x45\x00\x01\x22\x64\x4a\x56\xeb\xcd\x1f\xb6\xf3\x7d" +
		"\x01\x00\x00\x00\x00\x04\x59\x5a"
)

// TestXZ unpacks streams, of which the first bytes suffice, and refuses cut and damaged ones
// without a panic, and a dictionary that is too large.
func TestXZ(t *testing.T) {
	want := strings.Repeat("a", 100)
	for _, src := range []string{lzma2, delta} {
		dst := make([]byte, 100)
		for _, more := range []string{"", "\x00", "what follows"} {
			must.Do(t, XZ(dst, []byte(src+more)))
			must.Equal(t, string(dst), want)
		}
		must.Do(t, XZ(dst[:7], []byte(src)))
		must.Fail(t, XZ(make([]byte, 101), []byte(src)))
		for at := range len(src) - 36 { // the index and the footer are 36 bytes or fewer
			must.Fail(t, XZ(dst, []byte(src[:at])))
			for _, other := range []string{"\x00", "\x7f", "\x80", "\xff"} {
				_ = XZ(dst, []byte(src[:at]+other+src[at+1:]))
			}
		}
		must.Do(t, XZ(dst, []byte(src))) // a damaged stream leaves nothing behind
	}
	must.Fail(t, XZ(make([]byte, 100), []byte(large)), "dictionary")
	for src, want := range map[string]int64{lzma2: 64 << 10, delta: 64 << 10, large: 64 << 20,
		string(filteredBlocks(3)): 4 << 10, lzma2[:20]: 0, "": 0} {
		must.Equal(t, XZMemory([]byte(src)), want)
	}
}

// filteredBlocks returns the beginning of a stream of blocks with three delta filters, of which
// only the last holds something: abc.
func filteredBlocks(blocks int) []byte {
	summed := func(b ...byte) []byte {
		return binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
	}
	out := append([]byte("\xfd7zXZ\x00\x00\x00"), summed(0, 0)[2:]...) // sums are not checked
	block := summed(4, 3, 3, 1, 0, 3, 1, 0, 3, 1, 0, 0x21, 1, 0, 0, 0)
	for range blocks - 1 {
		out = append(append(out, block...), 0, 0, 0, 0)
	}
	return append(append(out, block...), "\x01\x00\x02abc\x00\x00"...)
}

// TestXZFilters refuses a stream whose filters take 35 times its length, and leaves nothing of it
// in memory.
func TestXZFilters(t *testing.T) {
	dst := make([]byte, 3)
	must.Do(t, XZ(dst, filteredBlocks(mostFiltered)))
	must.Equal(t, dst[0], 'a')
	must.Fail(t, XZ(dst, filteredBlocks(mostFiltered+1)), "filters")
	var before, after runtime.MemStats
	src := filteredBlocks(400_000)
	runtime.ReadMemStats(&before)
	must.Fail(t, XZ(dst, src), "filters")
	runtime.ReadMemStats(&after)
	must.Equal(t, after.TotalAlloc-before.TotalAlloc < 1<<20, true, after.TotalAlloc)
}

// TestXZAtOnce unpacks streams at the same time.
func TestXZAtOnce(t *testing.T) {
	var all sync.WaitGroup
	for n := range 64 {
		all.Go(func() {
			dst := make([]byte, 100)
			if err := XZ(dst, []byte([]string{lzma2, delta}[n%2])); err != nil ||
				!bytes.Equal(dst, bytes.Repeat([]byte("a"), 100)) {
				t.Error(n, err, dst)
			}
		})
	}
	all.Wait()
}
