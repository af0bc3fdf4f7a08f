package packed

import (
	"bytes"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// TestLZ4 unpacks a block that was packed by hand: a literal, and a copy that reads what it writes.
func TestLZ4(t *testing.T) {
	got := make([]byte, 12)
	must.Do(t, LZ4(got, []byte("\x24ab\x02\x00\x20xy")))
	if string(got) != "ababababab"+"xy" {
		t.Errorf("%q", got)
	}
	for name, block := range map[string]string{
		"no literals":   "\x50ab",
		"before":        "\x24ab\x03\x00\x20xy",
		"no distance":   "\x24ab\x00\x00\x20xy",
		"too long":      "\x2fab\x02\x00\xff\x00\x20xy",
		"too short":     "\x20xy",
		"endless":       "\xf0\xff\xff",
		"a copy at end": "\x24ab\x02\x00",
	} {
		if err := LZ4(got, []byte(block)); err == nil {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// TestUnbitshuffle compares with a slow twin.
func TestUnbitshuffle(t *testing.T) {
	const element, n = 3, 40
	src := make([]byte, element*n)
	for i := range src {
		src[i] = byte(i * 73)
	}
	want := make([]byte, len(src))
	for j := range element {
		for b := range 8 {
			for i := range n {
				bit := src[(j*8+b)*n/8+i/8] >> (i % 8) & 1
				want[i*element+j] |= bit << b
			}
		}
	}
	got := make([]byte, len(src))
	Unbitshuffle(got, src, element)
	if !bytes.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// FuzzPacked: any bytes are unpacked or an error.
func FuzzPacked(f *testing.F) {
	f.Add([]byte("\x24ab\x02\x00\x20xy"), 12, 1, 0)
	f.Add([]byte("\x02\x01\x21\x04\x10\x00\x00\x00\x10\x00\x00\x00\x28\x00\x00\x00\x14\x00"+
		"\x00\x00\x10\x00\x00\x00abcdefghijklmnop"), 16, 4, 0)
	f.Fuzz(func(t *testing.T, src []byte, size, element, block int) {
		if size < 0 || size > 1<<16 || element < 1 || element > 64 || block < 0 || block > 1<<16 {
			return
		}
		for _, unpack := range []func(dst, src []byte) error{Gzip, Zlib, Zstd, LZ4,
			LZ4Frame, LZ4Blocks, Blosc, blosclz} {
			dst := make([]byte, size)
			if unpack(dst, src) != nil {
				continue
			}
			again := make([]byte, size)
			must.Do(t, unpack(again, slices.Clone(src)))
			if !bytes.Equal(dst, again) {
				t.Error("it unpacks to other bytes")
			}
		}
		Bitshuffled(make([]byte, size), src, element, block, nil)
		Bitshuffled(make([]byte, size), src, element, block, LZ4)
	})
}
