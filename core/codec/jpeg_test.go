package codec

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/damage"
	"github.com/bagscope/bagscope/internal/must"
)

// jpegStreams are the streams of JPEG in testdata, and the samples that jpeg.py encoded or decoded.
var jpegStreams = map[string]struct {
	Header
	raw string
}{
	"lossless_1":     {Header{62, 44, 1, 12, false}, "grey_12"},
	"lossless_2":     {Header{62, 44, 1, 12, false}, "grey_12"},
	"lossless_3":     {Header{62, 44, 1, 12, false}, "grey_12"},
	"lossless_4":     {Header{62, 44, 1, 12, false}, "grey_12"},
	"lossless_5":     {Header{62, 44, 1, 12, false}, "grey_12"},
	"lossless_6":     {Header{62, 44, 1, 12, false}, "grey_12"},
	"lossless_7":     {Header{62, 44, 1, 12, false}, "grey_12"},
	"lossless_2bit":  {Header{62, 44, 1, 2, false}, "lossless_2bit_jpg"},
	"lossless_16bit": {Header{62, 44, 1, 16, false}, "lossless_16bit_jpg"},
	"lossless_rgb":   {Header{62, 44, 3, 8, false}, "rgb_lossless"},
	"dct":            {Header{62, 44, 1, 12, false}, "dct_jpg"},
	"dct_rgb":        {Header{62, 44, 3, 12, false}, "dct_rgb_jpg"},
}

// TestJPEG compares samples with what libjpeg-turbo encoded without loss, or decodes with it: its
// inverse transform is one of integers, within one level of the exact one.
func TestJPEG(t *testing.T) {
	for name, c := range jpegStreams {
		t.Run(name, func(t *testing.T) {
			data := file(t, name+".jpg")
			must.Equal(t, must.Get(ReadJPEGHeader(data))(t), c.Header)
			got := must.Get(JPEG(t.Context(), data, Limits{}))(t).Data
			want := file(t, c.raw+".raw")
			if !strings.HasPrefix(name, "dct") {
				must.EqualSlices(t, got, want, len(got), len(want))
				return
			}
			apart := 0
			for i := range len(want) / 2 {
				a := int(binary.LittleEndian.Uint16(got[2*i:]))
				if d := a - int(binary.LittleEndian.Uint16(want[2*i:])); d < -1 || d > 1 {
					t.Fatalf("sample %d is %d, libjpeg's %d", i, a, a-d)
				} else if d != 0 {
					apart++
				}
			}
			must.Equal(t, apart <= len(want)/2/20, true, apart, len(want)/2)
		})
	}
}

// A lossless encodes samples by the rules of ITU-T T.81, annex H, with codes of five bits for all
// sizes of a difference.
type lossless struct {
	wide, high, channels, bits int
	predictor                  byte
	shift                      uint
	lines                      int  // lines between restarts
	apart                      bool // a scan for each channel
	samples                    []uint16
}

func (e lossless) stream() []byte {
	b := []byte{0xff, startOfImage}
	segment := func(marker byte, data ...byte) {
		b = append(b, 0xff, marker, 0, byte(2+len(data)))
		b = append(b, data...)
	}
	var sizes []byte
	for size := range byte(17) {
		sizes = append(sizes, size)
	}
	segment(huffmanTables, slices.Concat([]byte{0, 0, 0, 0, 0, 17}, make([]byte, 11), sizes)...)
	restart := e.lines * e.wide
	segment(restarts, byte(restart>>8), byte(restart))
	frame := []byte{byte(e.bits), 0, byte(e.high), 0, byte(e.wide), byte(e.channels)}
	for c := range e.channels {
		frame = append(frame, byte(c), 0x11, 0)
	}
	segment(losslessFrame, frame...)
	for first := 0; first < e.channels; {
		last := e.channels
		if e.apart {
			last = first + 1
		}
		head := []byte{byte(last - first)}
		for c := first; c < last; c++ {
			head = append(head, byte(c), 0)
		}
		segment(startOfScan, append(head, e.predictor, 0, byte(e.shift))...)
		b = append(b, e.scan(first, last)...)
		first = last
	}
	return append(b, 0xff, endOfImage)
}

// scan returns the data of the channels from first to before last.
func (e lossless) scan(first, last int) []byte {
	var out []byte
	var value uint64
	n := 0
	put := func(v uint64, bits int) {
		value, n = value<<bits|v, n+bits
		for ; n >= 8; n -= 8 {
			if v := byte(value >> (n - 8)); v == 0xff {
				out = append(out, v, 0)
			} else {
				out = append(out, v)
			}
		}
	}
	at := func(x, y, c int) int { return int(e.samples[(y*e.wide+x)*e.channels+c] >> e.shift) }
	for y := range e.high {
		if y > 0 && e.lines > 0 && y%e.lines == 0 {
			if n > 0 {
				put(1<<(8-n)-1, 8-n)
			}
			out = append(out, 0xff, firstRestart+byte((y/e.lines-1)%8))
		}
		top := y == 0 || e.lines > 0 && y%e.lines == 0
		for x := range e.wide {
			for c := first; c < last; c++ {
				p := 1 << (uint(e.bits) - e.shift - 1)
				switch {
				case top && x > 0:
					p = at(x-1, y, c)
				case !top && x == 0:
					p = at(x, y-1, c)
				case !top:
					l, a, k := at(x-1, y, c), at(x, y-1, c), at(x-1, y-1, c)
					p = []int{l, a, k, l + a - k, l + (a-k)>>1, a + (l-k)>>1,
						(l + a) >> 1}[e.predictor-1]
				}
				d := int(int16(at(x, y, c) - p))
				size := 0
				for m := max(d, -d); m > 0; m >>= 1 {
					size++
				}
				put(uint64(size), 5)
				if d < 0 {
					d += 1<<size - 1
				}
				if size < 16 {
					put(uint64(d), size)
				}
			}
		}
	}
	if n > 0 {
		put(1<<(8-n)-1, 8-n)
	}
	return out
}

// TestLosslessJPEG decodes noise of all 65,536 levels, whose differences wrap, with each predictor,
// restarts, shifted samples, and channels in scans of their own.
func TestLosslessJPEG(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 60 {
		e := lossless{wide: 1 + random.IntN(20), high: 1 + random.IntN(20),
			channels: 1 + random.IntN(4), bits: 2 + random.IntN(15),
			predictor: byte(1 + i%7), lines: random.IntN(4), apart: i%2 == 1}
		if i%3 == 0 {
			e.bits = 16
		}
		e.shift = uint(random.IntN(min(3, e.bits)))
		for range e.wide * e.high * e.channels {
			e.samples = append(e.samples, uint16(random.IntN(1<<e.bits))>>e.shift<<e.shift)
		}
		got, err := JPEG(t.Context(), e.stream(), Limits{})
		h := Header{e.wide, e.high, e.channels, e.bits, false}
		must.Do(t, err, i, e.predictor, e.shift, e.lines)
		must.Equal(t, got.Header, h, i, e.predictor, e.shift, e.lines)
		must.EqualSlices(t, got.Data, h.bytes(e.samples), i, e.predictor, e.shift, e.lines)
	}
}

// TestInverse compares the inverse transform of blocks with the double sum that defines it (ITU-T
// T.81, A.3.3).
func TestInverse(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	var block, of [64]float64
	for i := range of {
		of[i] = random.NormFloat64() * 100
	}
	block = of
	invert(&block)
	c := func(u int) float64 {
		if u == 0 {
			return 1 / math.Sqrt2
		}
		return 1
	}
	for y := range 8 {
		for x := range 8 {
			sum := 0.0
			for v := range 8 {
				for u := range 8 {
					sum += c(u) * c(v) / 4 * of[8*v+u] *
						math.Cos(float64((2*x+1)*u)*math.Pi/16) *
						math.Cos(float64((2*y+1)*v)*math.Pi/16)
				}
			}
			if got := block[8*y+x]; !(math.Abs(got-sum) < 1e-9) {
				t.Fatalf("(%d, %d) is %v, want %v", x, y, got, sum)
			}
		}
	}
}

// TestRestartsOfBlocks decodes a stream of two blocks, 16 x 8 samples of 12 bits, with a restart
// between them. Its only code of means has the size 3, and its only code of others ends a block:
// both means are 5 steps of 16, thus 10 levels above the middle.
func TestRestartsOfBlocks(t *testing.T) {
	one := func(value byte) []byte { return append([]byte{1}, append(make([]byte, 15), value)...) }
	steps := bytes.Repeat([]byte{16}, 64)
	for restart, data := range map[byte]string{
		// 0 101 0, ones to the end of the byte; without a restart the second difference is 3.
		1: "\x57\xff\xd0\x57",
		0: "\x52\x9f"} {
		stream := slices.Concat([]byte{0xff, startOfImage, 0xff, quantization, 0, 67, 0}, steps,
			[]byte{0xff, huffmanTables, 0, 20, 0}, one(3),
			[]byte{0xff, huffmanTables, 0, 20, 0x10}, one(0),
			[]byte{0xff, restarts, 0, 4, 0, restart},
			[]byte{0xff, extendedFrame, 0, 11, 12, 0, 8, 0, 16, 1, 1, 0x22, 0},
			[]byte{0xff, startOfScan, 0, 8, 1, 1, 0, 0, 63, 0}, []byte(data),
			[]byte{0xff, endOfImage})
		got := must.Get(JPEG(t.Context(), stream, Limits{}))(t).Data
		second := uint16(2048 + 10)
		if restart == 0 {
			second += 10
		}
		a, b := binary.LittleEndian.Uint16(got), binary.LittleEndian.Uint16(got[16:])
		must.Equal(t, a, 2058, restart)
		must.Equal(t, b, second, restart)
	}
}

// jpegWith returns a stream with bytes of its last segment of a marker replaced, counted from the
// marker.
func jpegWith(t testing.TB, name string, marker byte, at int, b ...byte) []byte {
	data := file(t, name+".jpg")
	copy(data[bytes.Index(data, []byte{0xff, marker})+at:], b)
	return data
}

// TestJPEGRefused expects damaged streams, and kinds that are not decoded, to be refused in words.
func TestJPEGRefused(t *testing.T) {
	whole := file(t, "lossless_1.jpg")
	segment := func(b ...byte) []byte { return slices.Concat(whole[:2], b, whole[2:]) }
	restarting := lossless{wide: 3, high: 4, channels: 1, bits: 8, predictor: 1, lines: 1,
		samples: make([]uint16, 12)}.stream()
	renumbered := bytes.Replace(restarting, []byte{0xff, firstRestart + 1}, []byte{0xff, 0xd5}, 1)
	giant := []byte{0xff, 0xff, 0xff, 0xff}
	apart := lossless{wide: 2, high: 2, channels: 2, bits: 8, predictor: 1, apart: true,
		samples: make([]uint16, 8)}.stream()
	for want, data := range map[string][]byte{
		"does not begin":       whole[1:],
		"segments are damaged": whole[:3],
		"within a segment":     whole[:8],
		"it is no lossless":    segment(0xff, 0xc0, 0, 2),
		"it is no lossless ":   segment(0xff, 0xc9, 0, 2),
		"fit its channels":     jpegWith(t, "lossless_1", losslessFrame, 9, 2),
		"1 bits":               jpegWith(t, "lossless_1", losslessFrame, 4, 1),
		"17 bits":              jpegWith(t, "lossless_1", losslessFrame, 4, 17),
		"8 bits; 12":           jpegWith(t, "dct", extendedFrame, 4, 8),
		"62 x 0 pixels":        jpegWith(t, "lossless_1", losslessFrame, 5, 0, 0),
		"pixels cannot be in":  jpegWith(t, "lossless_1", losslessFrame, 5, giant...),
		"pixels cannot be in ": jpegWith(t, "dct", extendedFrame, 5, giant...),
		"their resolution":     jpegWith(t, "lossless_rgb", losslessFrame, 11, 0x22),
		"table 4":              jpegWith(t, "dct", extendedFrame, 12, 4),
		"of restarts is":       segment(0xff, restarts, 0, 3, 0),
		"within a line":        segment(0xff, restarts, 0, 4, 0, 63),
		"of quantization":      segment(0xff, quantization, 0, 4, 0, 1),
		"tables of codes are":  segment(0xff, huffmanTables, 0, 4, 0, 1),
		"more codes of a length": segment(append([]byte{0xff, huffmanTables, 0, 22, 0, 3},
			make([]byte, 18)...)...),
		"predictor is 0":         jpegWith(t, "lossless_1", startOfScan, 7, 0),
		"predictor is 8":         jpegWith(t, "lossless_1", startOfScan, 7, 8),
		"shifted by 12":          jpegWith(t, "lossless_1", startOfScan, 9, 12),
		"another channel":        jpegWith(t, "lossless_1", startOfScan, 5, 9),
		"another channel ":       jpegWith(t, "lossless_1", startOfScan, 6, 0x50),
		"scan needs is missing":  jpegWith(t, "lossless_1", startOfScan, 6, 0x30),
		"scan needs is missing ": jpegWith(t, "dct", startOfScan, 6, 0x03),
		"of its scan is damaged": jpegWith(t, "lossless_1", startOfScan, 4, 2),
		"end early":              whole[:len(whole)/2],
		"end early ":             renumbered,
		"before its last": bytes.Replace(apart, []byte{0xff, startOfScan, 0, 8, 1, 1},
			[]byte{0xff, endOfImage, 0, 8, 1, 1}, 1),
	} {
		_, err := JPEG(t.Context(), data, Limits{})
		var e *FormatError
		must.As(t, err, &e, strings.TrimSpace(want))
	}
}

// TestJPEGLimits expects limits to hold before memory is taken, and a context to end the work.
func TestJPEGLimits(t *testing.T) {
	for _, name := range []string{"lossless_1", "dct"} {
		data := file(t, name+".jpg")
		need := must.Get(ReadJPEGHeader(data))(t).GoMemory()
		for _, limits := range []Limits{{Pixels: 62*44 - 1}, {Memory: need - 1}} {
			_, err := JPEG(t.Context(), data, limits)
			var e *LimitError
			if !errors.As(err, &e) {
				t.Errorf("%+v: %v", limits, err)
			}
		}
		must.Get(JPEG(t.Context(), data, Limits{Pixels: 62 * 44, Memory: need}))(t)
		ended, end := context.WithCancel(t.Context())
		end()
		must.Is(t, must.Err(JPEG(ended, data, Limits{})), context.Canceled, "an ended context")
	}
}

// TestBrokenJPEG decodes 200 damaged streams of each kind, or more by -thorough.
func TestBrokenJPEG(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 12))
	for name := range jpegStreams {
		data := file(t, name+".jpg")
		for i := range 200 * *thorough {
			damaged := damage.Bytes(data, random)
			damage.Ends(fmt.Sprintf("%s, damaged stream %d", name, i), func() {
				tryJPEG(t, damaged)
			})
		}
	}
}

// tryJPEG decodes a stream of unknown bytes, unless its header claims many pixels. It expects
// samples of the size that the header states or an error.
func tryJPEG(t *testing.T, data []byte) {
	h, err := ReadJPEGHeader(data)
	if err != nil || h.Width*h.Height > 1<<16 {
		return
	}
	got, err := JPEG(t.Context(), data, Limits{})
	if err == nil && (got.Header != h || int64(len(got.Data)) != h.sampleBytes()) {
		t.Fatalf("%+v of %d bytes, want %+v", got.Header, len(got.Data), h)
	}
}

// FuzzJPEG decodes mutants of streams.
func FuzzJPEG(f *testing.F) {
	for name := range jpegStreams {
		f.Add(file(f, name+".jpg"))
	}
	f.Fuzz(tryJPEG)
}

// BenchmarkJPEG decodes slices of 12 bits.
func BenchmarkJPEG(b *testing.B) {
	for _, name := range []string{"lossless_1", "dct"} {
		b.Run(name, func(b *testing.B) {
			data := file(b, name+".jpg")
			b.SetBytes(62 * 44)
			for b.Loop() {
				must.Get(JPEG(b.Context(), data, Limits{}))(b)
			}
		})
	}
}
