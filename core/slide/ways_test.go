package slide

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/internal/advice"
	"github.com/bagscope/bagscope/internal/must"
)

const testWide, testHigh = 6, 4

// value is the sample c of a pixel of the tests, 0 to 255. No two channels are equal.
func value(x, y, c int) int { return (40*x + 13*y + 70*c) % 256 }

// samplesFile returns an uncompressed TIFF file. Each page is one strip of values, which put
// appends in the order of their pixels, or of planes.
func samplesFile(pages, samples, bits int, planes bool, put func(out []byte, v int) []byte,
	tags ...tag,
) []byte {
	le := binary.LittleEndian
	out := append([]byte("II*\x00"), 0, 0, 0, 0)
	next := 4 // where the place of the next directory is written
	for page := range pages {
		var strips [][]byte
		if planes {
			for c := range samples {
				var strip []byte
				for i := range testWide * testHigh {
					strip = put(strip, value(i%testWide, i/testWide, c))
				}
				strips = append(strips, strip)
			}
		} else {
			var strip []byte
			for i := range testWide * testHigh * samples {
				at := i / samples
				strip = put(strip, value(at%testWide, at/testWide, page+i%samples))
			}
			strips = [][]byte{strip}
		}
		var places, lengths []uint32
		for _, strip := range strips {
			places = append(places, uint32(len(out)))
			lengths = append(lengths, uint32(len(strip)))
			out = append(out, strip...)
		}
		out = append(out, make([]byte, len(out)%2)...)
		all := slices.Concat([]tag{{tagWidth, []uint32{testWide}}, {tagHeight, []uint32{testHigh}},
			{tagBits, slices.Repeat([]uint32{uint32(bits)}, samples)},
			{tagCompression, []uint32{1}},
			{tagStripOffsets, places}, {tagSamples, []uint32{uint32(samples)}},
			{tagStripRows, []uint32{testHigh}}, {tagStripBytes, lengths}}, tags)
		if planes {
			all = append(all, tag{tagPlanes, []uint32{2}})
		}
		slices.SortFunc(all, func(a, b tag) int { return int(a.number) - int(b.number) })
		le.PutUint32(out[next:], uint32(len(out)))
		lists := uint32(len(out) + 2 + 12*len(all) + 4)
		var behind []byte
		out = le.AppendUint16(out, uint16(len(all)))
		for _, g := range all {
			out = le.AppendUint16(le.AppendUint16(out, g.number), 4)
			out = le.AppendUint32(out, uint32(len(g.values)))
			if len(g.values) == 1 {
				out = le.AppendUint32(out, g.values[0])
				continue
			}
			out = le.AppendUint32(out, lists+uint32(len(behind)))
			for _, v := range g.values {
				behind = le.AppendUint32(behind, v)
			}
		}
		next = len(out)
		out = append(append(out, 0, 0, 0, 0), behind...)
	}
	return out
}

// Ways in which values 0 to 255 are stored.
var (
	byte8   = func(out []byte, v int) []byte { return append(out, byte(v)) }
	whole16 = func(out []byte, v int) []byte { return le.AppendUint16(out, uint16(257*v)) }
	low16   = func(out []byte, v int) []byte { return le.AppendUint16(out, uint16(v)) }
	camera  = func(out []byte, v int) []byte { return le.AppendUint16(out, uint16(16*v)) }
	whole32 = func(out []byte, v int) []byte { return le.AppendUint32(out, uint32(v)) }
	real32  = func(out []byte, v int) []byte {
		return le.AppendUint32(out, math.Float32bits(float32(v)/255))
	}
	real64 = func(out []byte, v int) []byte {
		return le.AppendUint64(out, math.Float64bits(float64(v)/255))
	}
	le = binary.LittleEndian
)

var (
	grey          = tag{tagPhotometric, []uint32{blackIsZero}}
	inRGB         = tag{tagPhotometric, []uint32{isRGB}}
	signedNumbers = tag{tagSampleFormat, []uint32{2}}
	realOnes      = tag{tagSampleFormat, []uint32{3}}
)

// TestWays follows the command of each refusal of samples, channels and pages: the file that it
// writes is read, and has the pixels.
func TestWays(t *testing.T) {
	book := advice.Of(t)
	for name, c := range map[string]struct {
		data    []byte
		want    string // words of the error
		colours bool   // channels 0, 1 and 2 are red, green and blue
		least   int    // what the command rounds
	}{
		"real numbers": {samplesFile(1, 1, 32, false, real32, grey, realOnes), "whole", false, 1},
		"in colours":   {samplesFile(1, 3, 32, false, real32, inRGB, realOnes), "whole", true, 1},
		"of 64 bits": {samplesFile(1, 1, 64, false, real64, grey, realOnes), "64 bits that are",
			false, 0},
		"signed": {samplesFile(1, 3, 16, false, low16, inRGB, signedNumbers), "negative", true,
			0},
		"32 bits":       {samplesFile(1, 1, 32, false, whole32, grey), "of 32 bits", false, 0},
		"dark":          {samplesFile(1, 3, 16, false, low16, inRGB), "use 8 at most", true, 0},
		"of 12 bits":    {samplesFile(1, 1, 16, false, camera, grey), "use 12 at most", false, 0},
		"two channels":  {samplesFile(1, 2, 8, false, byte8, grey), "2 channels", false, 0},
		"five channels": {samplesFile(1, 5, 8, false, byte8, grey), "5 channels", true, 0},
		"five in colours": {samplesFile(1, 5, 8, false, byte8, inRGB,
			tag{tagExtraSamples, []uint32{0, 0}}), "5 channels", true, 0},
		"five planes":  {samplesFile(1, 5, 8, true, byte8, grey), "5 channels", true, 0},
		"three pages":  {samplesFile(3, 1, 8, false, byte8, grey), "3 pictures", true, 0},
		"two pages":    {samplesFile(2, 1, 8, false, byte8, grey), "2 pictures", false, 0},
		"colour pages": {samplesFile(3, 3, 8, false, byte8, inRGB), "3 pictures", true, 0},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			must.Do(t, os.WriteFile(filepath.Join(dir, "a.tif"), c.data, 0o600))
			err := readWhole(filepath.Join(dir, "a.tif"), nil)
			must.Equal(t, is[*UnsupportedError](err), true, err, c.want)
			must.Contain(t, err.Error(), c.want)
			book.Follow(t, dir, "a.tif", err.Error())
			must.Do(t, readWhole(filepath.Join(dir, "slide.tif"), func(m *image.RGBA) {
				for i := range testWide * testHigh {
					for channel := range 3 {
						of := 0
						if c.colours {
							of = channel
						}
						x, y := i%testWide, i/testWide
						want, got := value(x, y, of), int(m.Pix[4*i+channel])
						if got > want || got < want-c.least {
							t.Fatalf("channel %d at %d, %d: %d, want %d", channel, x, y, got, want)
						}
					}
				}
			}))
		})
	}
}

// TestDepths reads samples of 1 to 4 bits, of 12 and 16 bits, whose upper ones count, and colours
// of print.
func TestDepths(t *testing.T) {
	half := false
	packed := func(out []byte, v int) []byte {
		if half = !half; half {
			return append(out, byte(v), 0xf0)
		}
		out[len(out)-1] |= byte(v >> 4)
		return append(out, byte(v<<4))
	}
	// few returns samples of few bits, whose rows begin at whole bytes.
	few := func(bits int) func(out []byte, v int) []byte {
		n := 0
		return func(out []byte, v int) []byte {
			at := n % testWide * bits % 8
			if n++; at == 0 {
				out = append(out, 0)
			}
			out[len(out)-1] |= byte(v>>(8-bits)) << (8 - bits - at)
			return out
		}
	}
	greys := func(bits int) func(x, y int) [3]byte {
		return func(x, y int) [3]byte {
			v := byte(value(x, y, 0) >> (8 - bits) * 255 / (1<<bits - 1))
			return [3]byte{v, v, v}
		}
	}
	palette := tag{tagColours, make([]uint32, 3*16)}
	for i := range palette.values {
		palette.values[i] = uint32(257 * (5*i + 1))
	}
	for name, c := range map[string]struct {
		data []byte
		want func(x, y int) [3]byte
	}{
		"1 bit":  {samplesFile(1, 1, 1, false, few(1), grey), greys(1)},
		"2 bits": {samplesFile(1, 1, 2, false, few(2), grey), greys(2)},
		"4 bits": {samplesFile(1, 1, 4, false, few(4), grey), greys(4)},
		"4 bits of a palette": {samplesFile(1, 1, 4, false, few(4),
			tag{tagPhotometric, []uint32{isPalette}}, palette), func(x, y int) [3]byte {
			i := value(x, y, 0) >> 4
			return [3]byte{byte(5*i + 1), byte(5*(i+16) + 1), byte(5*(i+32) + 1)}
		}},
		"16 bits": {samplesFile(1, 3, 16, false, whole16, inRGB), func(x, y int) [3]byte {
			return [3]byte{byte(value(x, y, 0)), byte(value(x, y, 1)), byte(value(x, y, 2))}
		}},
		"12 bits": {samplesFile(1, 3, 12, false, packed, inRGB), func(x, y int) [3]byte {
			return [3]byte{byte(value(x, y, 0)), byte(value(x, y, 1)), byte(value(x, y, 2))}
		}},
		"print": {samplesFile(1, 4, 8, false, byte8, tag{tagPhotometric, []uint32{isCMYK}}),
			func(x, y int) [3]byte {
				r, g, b := color.CMYKToRGB(byte(value(x, y, 0)), byte(value(x, y, 1)),
					byte(value(x, y, 2)), byte(value(x, y, 3)))
				return [3]byte{r, g, b}
			}},
	} {
		t.Run(name, func(t *testing.T) {
			s := must.Get(Open("a.tif", bytes.NewReader(c.data), int64(len(c.data))))(t)
			m := must.Get(s.Region(0, image.Rect(0, 0, testWide, testHigh)))(t)
			for i := range testWide * testHigh {
				want := c.want(i%testWide, i/testWide)
				must.Equal(t, [3]byte(m.Pix[4*i:]), want, i)
			}
		})
	}
}

// TestDim says that a picture of 16 bits uses few of them, after it was read, and not of others.
func TestDim(t *testing.T) {
	dim := func(factor int) func(out []byte, v int) []byte {
		return func(out []byte, v int) []byte { return le.AppendUint16(out, uint16(factor*v)) }
	}
	for factor, want := range map[int]bool{32: true, 64: true, 70: false, 257: false} {
		data := samplesFile(1, 1, 16, false, dim(factor), grey)
		s := must.Get(Open("a.tif", bytes.NewReader(data), int64(len(data))))(t)
		must.Get(s.Region(0, image.Rect(0, 0, testWide, testHigh)))(t)
		must.Equal(t, s.DimNotes() != nil, want, factor)
	}
}

// readWhole reads the pixels of a file's largest level.
func readWhole(path string, check func(*image.RGBA)) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	s, err := Open("a.tif", bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return err
	}
	m, err := s.Region(0, image.Rect(0, 0, s.Levels[0].Width, s.Levels[0].Height))
	if err == nil && check != nil {
		check(m)
	}
	return err
}
