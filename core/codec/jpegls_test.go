package codec

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/damage"
	"github.com/bagscope/bagscope/internal/must"
)

var thorough = flag.Int("thorough", 1, "how many times as many damaged streams are tried")

// lsStreams are the streams of JPEG-LS in testdata, and what jpegls.py encoded.
var lsStreams = map[string]Header{
	"grey_12":         {62, 44, 1, 12, false},
	"grey_12_near":    {62, 44, 1, 12, false},
	"grey_4":          {62, 44, 1, 4, false},
	"runs":            {300, 44, 1, 8, false},
	"rgb_planes":      {62, 44, 3, 8, false},
	"rgb_lines":       {62, 44, 3, 8, false},
	"rgb_pixels":      {62, 44, 3, 8, false},
	"rgb_pixels_near": {62, 44, 3, 8, false},

	"grey_12_restarts":    {62, 44, 1, 12, false},
	"rgb_pixels_restarts": {62, 44, 3, 8, false},
}

func file(t testing.TB, name string) []byte {
	return must.Get(os.ReadFile(filepath.Join("testdata", name)))(t)
}

// TestJPEGLS compares samples with what CharLS encoded or decodes.
func TestJPEGLS(t *testing.T) {
	for name, header := range lsStreams {
		t.Run(name, func(t *testing.T) {
			data := file(t, name+".jls")
			must.Equal(t, must.Get(ReadJPEGLSHeader(data))(t), header)
			got := must.Get(JPEGLS(t.Context(), data, Limits{}))(t)
			want := file(t, strings.TrimSuffix(name, "_restarts")+"_ls.raw")
			must.EqualSlices(t, got.Data, want, len(got.Data), len(want))
		})
	}
}

// lsHeader returns the stream grey_12 with bytes of a segment replaced, counted from the marker.
func lsHeader(t testing.TB, marker byte, at int, b ...byte) []byte {
	data := file(t, "grey_12.jls")
	copy(data[bytes.Index(data, []byte{0xff, marker})+at:], b)
	return data
}

// TestJPEGLSRefused expects damaged streams, and kinds that are not decoded, to be refused in
// words.
func TestJPEGLSRefused(t *testing.T) {
	whole := file(t, "grey_12.jls")
	segment := func(b ...byte) []byte { return bytes.Join([][]byte{whole[:2], b, whole[2:]}, nil) }
	lost, wrong := file(t, "grey_12_restarts.jls"), file(t, "grey_12_restarts.jls")
	second := bytes.Index(lost, []byte{0xff, firstRestart + 1})
	lost = slices.Delete(lost, second, second+2)
	wrong[second+1]++
	for want, data := range map[string][]byte{
		"does not begin":      whole[1:],
		"segments are":        whole[:3],
		"within a segment":    whole[:8],
		"within a segment ":   whole[:bytes.Index(whole, []byte{0xff, startOfScan})+5],
		"no stream of":        segment(0xff, 0xc0, 0, 2),
		"no stream of ":       segment(0xff, startOfScan, 0, 2),
		"fit its channels":    lsHeader(t, lsFrameStart, 9, 2),
		"fit its channels ":   segment(0xff, lsFrameStart, 0, 7, 8, 0, 1, 0, 1),
		"1 bits":              lsHeader(t, lsFrameStart, 4, 1),
		"17 bits":             lsHeader(t, lsFrameStart, 4, 17),
		"62 x 0 pixels":       lsHeader(t, lsFrameStart, 5, 0, 0),
		"0 x 44 pixels":       lsHeader(t, lsFrameStart, 7, 0, 0),
		"their resolution":    lsHeader(t, lsFrameStart, 11, 0x12),
		"HP's own":            segment(0xff, hpApplication, 0, 7, 'm', 'r', 'f', 'x', 1),
		"tables of":           segment(0xff, presets, 0, 4, 2, 1),
		"tables of JPEG-LS ":  lsHeader(t, startOfScan, 6, 1),
		"parameters of":       segment(0xff, presets, 0, 13, 1, 0x10, 0, 0, 0, 0, 0, 0, 0, 0, 0),
		"parameters of ":      segment(0xff, presets, 0, 13, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1),
		"thresholds of":       segment(0xff, presets, 0, 13, 1, 0, 0, 0, 9, 0, 8, 0, 7, 0, 0),
		"the interleaving 1":  lsHeader(t, startOfScan, 8, 1),
		"header of its scan":  lsHeader(t, startOfScan, 4, 2),
		"header of its scan ": lsHeader(t, startOfScan, 2, 0, 2),
		"are shifted":         lsHeader(t, startOfScan, 9, 1),
		"another channel":     lsHeader(t, startOfScan, 5, 9),
		"end early":           whole[:len(whole)/2],
		"of restarts is":      segment(0xff, restarts, 0, 3, 1),
		"another than":        lost,
		"another than ":       wrong,
	} {
		_, err := JPEGLS(t.Context(), data, Limits{})
		var e *FormatError
		must.As(t, err, &e, strings.TrimSpace(want))
	}
}

// TestFewestBitsOfJPEGLS reads the header of a stream of two bits, the fewest that are decoded.
func TestFewestBitsOfJPEGLS(t *testing.T) {
	h := must.Get(ReadJPEGLSHeader(lsHeader(t, lsFrameStart, 4, 2)))(t)
	if h.Bits != 2 || h.Width != 62 || h.Height != 44 {
		t.Errorf("%+v", h)
	}
}

// TestJPEGLSLimits expects limits to hold before memory is taken.
func TestJPEGLSLimits(t *testing.T) {
	data := file(t, "grey_12.jls")
	need := must.Get(ReadJPEGLSHeader(data))(t).GoMemory()
	must.Equal(t, need >= 4*62*44, true, need)
	for _, limits := range []Limits{{Pixels: 62*44 - 1}, {Memory: need - 1}} {
		_, err := JPEGLS(t.Context(), data, limits)
		var e *LimitError
		must.Equal(t, errors.As(err, &e), true, limits, err)
	}
	must.Get(JPEGLS(t.Context(), data, Limits{Pixels: 62 * 44, Memory: need}))(t)
	ended, end := context.WithCancel(t.Context())
	end()
	must.Is(t, must.Err(JPEGLS(ended, data, Limits{})), context.Canceled, "an ended context")
}

// TestBrokenJPEGLS decodes 200 damaged streams of each kind, or more by -thorough.
func TestBrokenJPEGLS(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 10))
	for name := range lsStreams {
		data := file(t, name+".jls")
		for i := range 200 * *thorough {
			damaged := damage.Bytes(data, random)
			damage.Ends(fmt.Sprintf("%s, damaged stream %d", name, i), func() {
				tryJPEGLS(t, damaged)
			})
		}
	}
}

// tryJPEGLS decodes a stream of unknown bytes, unless its header claims many pixels. It expects
// samples of the size that the header states or an error.
func tryJPEGLS(t *testing.T, data []byte) {
	h, err := ReadJPEGLSHeader(data)
	if err != nil || h.Width*h.Height > 1<<16 {
		return
	}
	got, err := JPEGLS(t.Context(), data, Limits{})
	if err == nil && (got.Header != h || int64(len(got.Data)) != h.sampleBytes()) {
		t.Fatalf("%+v of %d bytes, want %+v", got.Header, len(got.Data), h)
	}
}

// FuzzJPEGLS decodes mutants of streams.
func FuzzJPEGLS(f *testing.F) {
	for name := range lsStreams {
		f.Add(file(f, name+".jls"))
	}
	f.Fuzz(tryJPEGLS)
}

// BenchmarkJPEGLS decodes a slice of 12 bits.
func BenchmarkJPEGLS(b *testing.B) {
	data := file(b, "grey_12.jls")
	b.SetBytes(62 * 44)
	for b.Loop() {
		must.Get(JPEGLS(b.Context(), data, Limits{}))(b)
	}
}
