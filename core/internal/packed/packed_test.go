package packed

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/bagscope/bagscope/internal/must"
)

// TestLZ4 unpacks a block that was packed by hand: a literal, and a copy that reads what it writes.
func TestLZ4(t *testing.T) {
	got := make([]byte, 12)
	must.Do(t, LZ4(got, []byte("\x24ab\x02\x00\x20xy")))
	must.Equal(t, string(got), "ababababab"+"xy", got)
	for name, block := range map[string]string{
		"no literals":   "\x50ab",
		"before":        "\x24ab\x03\x00\x20xy",
		"no distance":   "\x24ab\x00\x00\x20xy",
		"too long":      "\x2fab\x02\x00\xff\x00\x20xy",
		"too short":     "\x20xy",
		"endless":       "\xf0\xff\xff",
		"a copy at end": "\x24ab\x02\x00",
	} {
		must.Equal(t, LZ4(got, []byte(block)) != nil, true, name, got)
	}
}

// TestPacked unpacks what was packed by hand, as the specifications of the formats state it.
func TestPacked(t *testing.T) {
	x := strings.Repeat
	blosc := func(flags, element, size, block string, rest string) string {
		return "\x02\x01" + flags + element + size + block + "\x00\x00\x00\x00" + rest
	}
	bits := func(unpack func(dst, src []byte) error) func(dst, src []byte) error {
		return func(dst, src []byte) error { return Bitshuffled(dst, src, 1, 0, unpack) }
	}
	const frame, data = "\x04\x22\x4d\x18", "\x02\x00\x00\x80ab"
	var open bytes.Buffer // a frame that does not state its size
	w := must.Get(zstd.NewWriter(&open))(t)
	must.Get(w.Write([]byte(x("a", 100))))(t)
	must.Do(t, w.Flush())
	must.Do(t, w.Close())
	type rows map[string]struct{ src, want string }
	// behind has the forms that do not end by themselves, so that a byte behind them is an error.
	behind := map[string]bool{"BloscLZ": true, "LZ4": true, "bits": true, "packed bits": true}
	for codec, c := range map[string]struct {
		unpack  func(dst, src []byte) error
		whole   rows
		damaged rows // want has the size
	}{
		"BloscLZ": {blosclz, rows{
			"near":   {"\x01ab\x20\x01", "ababa"},
			"long":   {"\x00a\xe0\x05\x00", x("a", 15)},
			"longer": {"\x00a\xe0\xff\x00\x00", x("a", 265)},
			"8192 before": {"\x01xb\xe0" + x("\xff", 32) + "\x15\x00\x3f\xff\x00\x00",
				"x" + x("b", 8191) + "xbb"},
			"8450 before": {"\x02xyb\xe0" + x("\xff", 33) + "\x17\x00\x3f\xff\x01\x02",
				"xy" + x("b", 8448) + "xyb"},
		}, rows{
			"no literals":    {"\x02ab", "..."},
			"before":         {"\x00a\x20\x01", "...."},
			"no distance":    {"\x00a\x20", "...."},
			"endless":        {"\x00a\xe0\xff", x(".", 300)},
			"another length": {"\x01ab\x20\x01", "...."},
			"too short":      {"\x01ab\x20\x01", "......"},
		}},
		"Blosc": {Blosc, rows{
			"empty":  {blosc("\x01", "\x02", x("\x00", 4), "\x00\x01\x00\x00", ""), ""},
			"stored": {blosc("\x02", "\x01", "\x02\x00\x00\x00", x("\x00", 4), "ab"), "ab"},
			"two parts": {blosc("\x01", "\x02", "\x00\x01\x00\x00", "\x00\x01\x00\x00",
				"\x14\x00\x00\x00\x80\x00\x00\x00"+x("a", 128)+"\x80\x00\x00\x00"+x("b", 128)),
				x("ab", 128)},
			"plain": {blosc("\x10", "\x01", "\x08\x00\x00\x00", "\x08\x00\x00\x00",
				"\x14\x00\x00\x00\x08\x00\x00\x00abcdefgh"), "abcdefgh"},
			"bits and a rest": {blosc("\x14", "\x03", "\x19\x00\x00\x00", "\x19\x00\x00\x00",
				"\x14\x00\x00\x00\x19\x00\x00\x00"+x("\x00", 24)+"z"), x("\x00", 24) + "z"},
		}, rows{
			"no header":       {"\x02\x01\x02\x01", ""},
			"another version": {"\x01" + x("\x00", 15), ""},
			"no bytes":        {blosc("\x02", "\x01", "\x02\x00\x00\x00", x("\x00", 4), "a"), ".."},
		}},
		"LZ4": {LZ4, rows{"copy at the end": {"\x20ab\x02\x00\x00", "ababab"}}, nil},
		"LZ4 blocks": {LZ4Blocks, rows{"nothing": {x("\x00", 11) + "\x01", ""},
			"stored": {x("\x00", 7) + "\x02\x00\x00\x00\x02" +
				"\x00\x00\x00\x02ab", "ab"}}, rows{"no header": {x("\x00", 7) + "\x02", ".."}}},
		"LZ4 frame": {LZ4Frame, rows{
			"packed": {frame + "\x40\x00\x00\x03\x00\x00\x00\x20ab\x00\x00\x00\x00", "ab"},
			"stored": {frame + "\x40\x00\x00" + data + "\x00\x00\x00\x00", "ab"},
		}, rows{
			"dictionary": {frame + "\x41\x00\x00" + data + "\x00\x00\x00\x00", ".."},
			"no frame":   {"\x05\x22\x4d\x18\x40\x00\x00" + data + "\x00\x00\x00\x00", ".."},
			"no end":     {frame + "\x40\x00\x00" + data, ".."},
		}},
		"Zstandard": {Zstd, rows{"of unknown size": {open.String(), x("a", 100)}}, rows{
			"of more bytes": {open.String(), "........"}}},
		"bits": {bits(nil), rows{"ones": {"\xff" + x("\x00", 7), x("\x01", 8)}},
			rows{"another size": {"\xff", "........"}}},
		"packed bits": {bits(LZ4), rows{"two blocks": {x("\x00", 7) + "\x10\x00\x00\x00\x08" +
			x("\x00\x00\x00\x09\x80\xff"+x("\x00", 7), 2), x("\x01", 16)}}, nil},
	} {
		t.Run(codec, func(t *testing.T) {
			for name, row := range c.whole {
				got := make([]byte, len(row.want))
				must.Do(t, c.unpack(got, []byte(row.src)), name)
				must.Equal(t, string(got), row.want, name)
				for at := range row.src { // cut, or with another byte: no panic
					if c.unpack(got, []byte(row.src[:at])) == nil {
						t.Errorf("%s: cut at %d", name, at)
					}
					for _, other := range []string{"\x00", "\x7f", "\x80", "\xff"} {
						_ = c.unpack(got, []byte(row.src[:at]+other+row.src[at+1:]))
					}
				}
				if c.unpack(got, []byte(row.src+"\x00")) == nil && behind[codec] {
					t.Errorf("%s: bytes are left", name)
				}
			}
			for name, row := range c.damaged {
				must.Equal(t, c.unpack(make([]byte, len(row.want)), []byte(row.src)) != nil, true,
					name)
			}
		})
	}
}

// TestWithin: bytes unpack up to a limit, which the error states.
func TestWithin(t *testing.T) {
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	must.Get(w.Write([]byte("abcd")))(t)
	must.Do(t, w.Close())
	free := func(int64) error { return nil }
	for codec, src := range map[string]string{"gzip": zipped.String(),
		"lz4": "\x04\x00\x00\x00\x40abcd"} {
		must.Equal(t, string(must.Get(Within(codec, []byte(src), 8, free))(t)), "abcd", codec)
		must.Fail(t, must.Err(Within(codec, []byte(src), 3, free)), "more than 3 bytes")
		must.Fail(t, must.Err(Within(codec, []byte(src[:3]), 8, free)))
	}
}

// unshuffled is a slow twin of Unbitshuffle.
func unshuffled(src []byte, element int) []byte {
	out, n := make([]byte, len(src)), len(src)/element
	for j := range element {
		for b := range 8 {
			for i := range n {
				bit := src[(j*8+b)*n/8+i/8] >> (i % 8) & 1
				out[i*element+j] |= bit << b
			}
		}
	}
	return out
}

// TestUnbitshuffle compares with a slow twin: one block, and several whose size the file states or
// not. Fewer than eight entries behind them are as they are.
func TestUnbitshuffle(t *testing.T) {
	const element, n = 3, 40
	src := make([]byte, 20_000)
	for i := range src {
		src[i] = byte(i * 73)
	}
	got := make([]byte, element*n)
	Unbitshuffle(got, src[:element*n], element)
	must.EqualSlices(t, got, unshuffled(src[:element*n], element))
	for _, c := range []struct{ element, block, entries int }{
		{3, 0, 2728}, {1, 0, 8192}, {100, 0, 128}, {3, 8, 8}, {2, 4000, 4000},
	} {
		var want []byte
		size := c.element * c.entries
		for rest := src; ; rest = rest[size:] {
			if full := len(rest) / c.element / 8 * 8 * c.element; full < size {
				want = append(append(want, unshuffled(rest[:full], c.element)...), rest[full:]...)
				break
			}
			want = append(want, unshuffled(rest[:size], c.element)...)
		}
		got := make([]byte, len(src))
		must.Do(t, Bitshuffled(got, src, c.element, c.block, nil))
		must.EqualSlices(t, got, want, c)
	}
	for _, block := range []int{-8, 4, 12, 1<<30 + 8} {
		must.Fail(t, Bitshuffled(got, got, 1, block, nil))
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
		for _, unpack := range []func(dst, src []byte) error{Gzip, Zlib, Zstd, XZ, LZ4,
			LZ4Frame, LZ4Blocks, Blosc, blosclz} {
			dst := make([]byte, size)
			if unpack(dst, src) != nil {
				continue
			}
			again := make([]byte, size)
			must.Do(t, unpack(again, slices.Clone(src)))
			must.EqualSlices(t, dst, again, "it unpacks to other bytes")
		}
		Bitshuffled(make([]byte, size), src, element, block, nil)
		Bitshuffled(make([]byte, size), src, element, block, LZ4)
	})
}
