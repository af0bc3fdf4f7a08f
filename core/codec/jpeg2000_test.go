//go:build !js

package codec

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// streams are the code streams in testdata, and what make.py encoded. Streams of floating-point
// transforms decode to within 1 of the native program, whose sums have another order.
var streams = []struct {
	name   string
	header Header
	within int
}{
	{"rgb_lossless", Header{62, 44, 3, 8, false}, 0},
	{"rgb_lossy", Header{62, 44, 3, 8, false}, 1},
	{"ycc_422", Header{62, 44, 3, 8, false}, 0},
	{"ycc_420", Header{62, 44, 3, 8, false}, 0},
	{"grey_12", Header{62, 44, 1, 12, false}, 0},
	{"grey_16_signed", Header{62, 44, 1, 16, true}, 0},
	{"grey_tiles", Header{62, 44, 1, 8, false}, 0},
	{"grey_ht", Header{62, 44, 1, 16, false}, 0},
	{"rgb_ht", Header{62, 44, 3, 8, false}, 0},
}

func stream(t testing.TB, name string) []byte {
	return must.Get(os.ReadFile(filepath.Join("testdata", name)))(t)
}

// TestJPEG2000 compares samples with those that OpenJPEG's native program decodes.
func TestJPEG2000(t *testing.T) {
	for _, c := range streams {
		t.Run(c.name, func(t *testing.T) {
			got := must.Get(JPEG2000(t.Context(), stream(t, c.name+".j2k"), Limits{}))(t)
			want := stream(t, c.name+".raw")
			must.Equal(t, got.Header, c.header)
			must.Equal(t, len(got.Data), len(want))
			for i := range want {
				if d := int(got.Data[i]) - int(want[i]); d > c.within || d < -c.within {
					t.Fatalf("byte %d is %d, want %d", i, got.Data[i], want[i])
				}
			}
		})
	}
}

// TestGoroutines decodes in several instances at once.
func TestGoroutines(t *testing.T) {
	data, want := stream(t, "ycc_420.j2k"), stream(t, "ycc_420.raw")
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 8 {
				got, err := JPEG2000(t.Context(), data, Limits{})
				if err != nil || !bytes.Equal(got.Data, want) {
					t.Errorf("%v", err)
				}
			}
		})
	}
	group.Wait()
}

// header returns the beginning of a stream with one change.
func header(t testing.TB, at int, b ...byte) []byte {
	data := stream(t, "rgb_lossless.j2k")
	copy(data[at:], b)
	return data
}

// TestHeaders expects damaged headers to be refused in words before anything is decoded.
func TestHeaders(t *testing.T) {
	for want, data := range map[string][]byte{
		"does not begin":     header(t, 0, 0xff, 0xd8),
		"does not begin ":    stream(t, "rgb_lossless.j2k")[:41],
		"the size of its":    stream(t, "rgb_lossless.j2k")[:44],
		"0 channels":         header(t, 40, 0, 0),
		"5 channels":         header(t, 40, 0, 5),
		"does not fit 2":     header(t, 40, 0, 2),
		"no pixels, or too":  header(t, 8, 0, 0, 0, 0),
		"(0, 0) to (214748":  header(t, 8, 0x80),
		"17 bits":            header(t, 42, 16),
		"differ in the bits": header(t, 45, 8),
		"each 5 x 1 pixels":  header(t, 46, 5),
		"each 1 x 0 pixels":  header(t, 47, 0),
	} {
		_, err := JPEG2000(t.Context(), data, Limits{})
		var e *FormatError
		must.As(t, err, &e, strings.TrimSpace(want))
	}
}

// TestLimits expects limits to hold before memory is taken, and that an ended context
// decodes nothing.
func TestLimits(t *testing.T) {
	giant := header(t, 8, 0x7f, 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff)
	data := stream(t, "rgb_lossless.j2k")
	need := must.Get(ReadHeader(data))(t).Memory(len(data))
	for _, c := range []struct {
		data   []byte
		limits Limits
		want   *LimitError
	}{
		{giant, Limits{}, &LimitError{"pixels", (1<<31 - 1) * (1<<31 - 1), mostPixels}},
		{giant, Limits{Pixels: 1 << 62}, &LimitError{What: "bytes of memory", Most: mostMemory}},
		{data, Limits{Pixels: 62*44 - 1}, &LimitError{"pixels", 62 * 44, 62*44 - 1}},
		{data, Limits{Memory: need - 1}, &LimitError{"bytes of memory", need, need - 1}},
	} {
		_, err := JPEG2000(t.Context(), c.data, c.limits)
		var e *LimitError
		if !errors.As(err, &e) || e.What != c.want.What || e.Most != c.want.Most ||
			c.want.Need != 0 && e.Need != c.want.Need {
			t.Errorf("%v, want %v", err, c.want)
		}
	}
	must.Get(JPEG2000(t.Context(), data, Limits{Pixels: 62 * 44, Memory: need}))(t)
	ended, end := context.WithCancel(t.Context())
	end()
	must.Is(t, must.Err(JPEG2000(ended, data, Limits{})), context.Canceled, "an ended context")
}

// TestDamaged expects an error for streams that lack their end or have a broken one, and that the
// decoder works afterwards.
func TestDamaged(t *testing.T) {
	for _, c := range streams {
		data := stream(t, c.name+".j2k")
		for _, cut := range []int{len(data) / 2, len(data) / 3, 60} {
			_, err := JPEG2000(t.Context(), data[:cut], Limits{})
			var e *FormatError
			if !errors.As(err, &e) {
				t.Errorf("%s of %d bytes: %v", c.name, cut, err)
			}
		}
		must.Get(JPEG2000(t.Context(), data, Limits{}))(t)
	}
}

// TestManyTiles expects a stream whose header claims millions of tiles to get no memory for them.
func TestManyTiles(t *testing.T) {
	data := stream(t, "grey_tiles.j2k")
	binary.BigEndian.PutUint32(data[24:], 1)
	binary.BigEndian.PutUint32(data[28:], 1)
	must.Fail(t, must.Err(JPEG2000(t.Context(), data, Limits{})))
}

// TestSteps expects a decoder to stop at a stream that claims the most layers, and thereby more
// packets than it has bytes, and that the next stream is decoded in another instance.
func TestSteps(t *testing.T) {
	data := stream(t, "rgb_lossy.j2k")
	style := bytes.Index(data, []byte{0xff, 0x52}) // Scod, the order and the number of layers
	binary.BigEndian.PutUint16(data[style+6:], 1<<16-1)
	_, err := JPEG2000(t.Context(), data, Limits{})
	must.Fail(t, err, "stopped at damaged data")
	must.Get(JPEG2000(t.Context(), stream(t, "rgb_lossy.j2k"), Limits{}))(t)
}

// FuzzJPEG2000 decodes mutants of streams, see tryStream.
func FuzzJPEG2000(f *testing.F) {
	for _, c := range streams {
		f.Add(stream(f, c.name+".j2k"))
	}
	f.Fuzz(tryStream)
}

// BenchmarkJPEG2000 decodes tiles in one goroutine.
func BenchmarkJPEG2000(b *testing.B) {
	data := stream(b, "rgb_lossy.j2k")
	b.SetBytes(62 * 44)
	for b.Loop() {
		must.Get(JPEG2000(b.Context(), data, Limits{}))(b)
	}
}
