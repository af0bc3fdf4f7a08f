package slide

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"io"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// TestHamamatsu reads what a slide states, and its macro. A level of another focal plane is left
// out.
func TestHamamatsu(t *testing.T) {
	s := open(t, "hamamatsu.ndpi")
	if s.Format != "Hamamatsu" || s.MicronsX != .5 || s.MicronsY != .5 || s.Magnification != 20 {
		t.Errorf("%+v", s)
	}
	if len(s.Associated) != 1 || s.Associated[0].Kind != "macro" || s.Associated[0].Width != 60 {
		t.Errorf("%+v", s.Associated)
	}
	if l := s.Levels[0]; l.TileWidth != 80 || l.TileHeight%8 != 0 {
		t.Errorf("%+v", l)
	}
}

// A gap is a file whose bytes from 12 to begin are not there.
type gap struct {
	data  []byte
	begin int64
}

func (g gap) ReadAt(p []byte, at int64) (int, error) {
	if at >= 12 {
		if at -= g.begin - 12; at < 12 {
			return 0, errors.New("read from the gap")
		}
	}
	return bytes.NewReader(g.data).ReadAt(p, at)
}

// TestFarHamamatsu reads a slide whose places do not fit into four bytes.
func TestFarHamamatsu(t *testing.T) {
	const begin = 5 << 30
	data := file(t, "far.ndpi")
	var r io.ReaderAt = gap{data, begin}
	s := must.Get(Open("a.ndpi", r, begin-12+int64(len(data))))(t)
	m := must.Get(s.Region(0, image.Rect(0, 0, 160, 120)))(t)
	if d := furthest(t, m, pixels(t, "hamamatsu_0.png")); d > 3 {
		t.Errorf("pixels differ by %d", d)
	}
}

// ndpiWith returns the slide with the value of a tag of its first directory replaced.
func ndpiWith(t testing.TB, number uint16, value uint32) []byte {
	data := file(t, "hamamatsu.ndpi")
	le := binary.LittleEndian
	first := le.Uint64(data[4:])
	for i := range int(le.Uint16(data[first:])) {
		if e := data[int(first)+2+12*i:]; le.Uint16(e) == number {
			le.PutUint32(e[8:], value)
			return data
		}
	}
	t.Fatalf("no tag %d", number)
	return nil
}

// TestHamamatsuDamaged expects errors in words for levels that cannot be read.
func TestHamamatsuDamaged(t *testing.T) {
	const interval = "\xff\xdd\x00\x04\x00"
	whole := string(file(t, "hamamatsu.ndpi"))
	noLens := strings.NewReplacer("\x00\x00\xa0\x41", "\x00\x00\x00\x00", // 20 and 5
		"\x00\x00\xa0\x40", "\x00\x00\x00\x00")
	// Intervals of 4 units do not divide rows of 10.
	undivided := []byte(strings.Replace(whole, interval+"\x05", interval+"\x04", 1))
	for want, data := range map[string][]byte{
		"the compression 22610 of Hamamatsu":     ndpiWith(t, tagCompression, 22610),
		"has no pixels":                          ndpiWith(t, tagWidth, 0),
		"has no level of its middle":             []byte(noLens.Replace(whole)),
		"intervals of 4 do not divide":           undivided,
		"30 intervals of JPEG, but needs 2 x 30": ndpiWith(t, tagHeight, 240),
		"reaches over the end":                   ndpiWith(t, tagStripOffsets, 1<<31),
		"damaged header":                         ndpiWith(t, tagStripOffsets, 100),
	} {
		_, err := Open("a.ndpi", bytes.NewReader(data), int64(len(data)))
		must.Equal(t, err != nil, true, err, want)
		must.Contain(t, err.Error(), want)
	}
	// The first interval begins behind the end of its picture.
	data := []byte(whole)
	l := must.Get(Open("a", bytes.NewReader(data), int64(len(data))))(t).Levels[0].layout
	binary.LittleEndian.PutUint32(data[l.entries[tagIntervals].at:], uint32(len(data)))
	s := must.Get(Open("a.ndpi", bytes.NewReader(data), int64(len(data))))(t)
	_, err := s.Region(0, image.Rect(0, 0, 160, 120))
	must.Equal(t, is[*FormatError](err), true, err)
	must.Contain(t, err.Error(), "outside of its picture")
}

// TestPhilips reads what a slide states. Its smaller levels are cut to what shows the largest.
func TestPhilips(t *testing.T) {
	s := open(t, "philips.tif")
	if s.Format != "Philips" || s.MicronsX != .4 || s.MicronsY != .4 {
		t.Errorf("%+v", s)
	}
	must.Equal(t, len(s.Associated), 1, s.Associated)
	must.Equal(t, s.Associated[0].Kind, "macro", s.Associated)
}

// TestPhilipsDamaged expects errors in words for descriptions that do not fit the levels.
func TestPhilipsDamaged(t *testing.T) {
	whole := string(file(t, "philips.tif"))
	for want, change := range map[string][2]string{
		"states the spacing of 2": {"\"0.001600\" \"0.001600\"</Attribute>",
			"</Attribute>" + strings.Repeat(" ", 21)},
		"not two positive numbers": {"\"0.000800\"", "\"-1      \""},
		"do not fit its spacing":   {"\"0.001600\" \"0.001600\"", "\"0.006400\" \"0.006400\""},
		"cannot be read":           {"<DataObject ", "<DataObject<"},
	} {
		data := []byte(strings.Replace(whole, change[0], change[1], 1))
		_, err := Open("a.tif", bytes.NewReader(data), int64(len(data)))
		must.Equal(t, is[*FormatError](err), true, err, want)
		must.Contain(t, fmt.Sprint(err), want)
	}
}

// TestLeica reads what a slide states, and its macro. Its pixels are those of the whole glass.
func TestLeica(t *testing.T) {
	s := open(t, "leica.scn")
	if s.Format != "Leica" || s.MicronsX != .5 || s.MicronsY != .5 || s.Magnification != 20 {
		t.Errorf("%+v", s)
	}
	if len(s.Associated) != 1 || s.Associated[0].Kind != "macro" || s.Associated[0].Width != 65 {
		t.Errorf("%+v", s.Associated)
	}
	notes := strings.Join(s.ViewNotes(), "")
	must.Equal(t, s.Bounds, image.Rect(20, 40, 240, 160), notes)
	must.Equal(t, strings.Contains(notes, "at pixel 20, 40"), true, s.Bounds, notes)
}

// TestLeicaDamaged expects errors in words for descriptions that do not fit the pictures.
func TestLeicaDamaged(t *testing.T) {
	whole := string(file(t, "leica.scn"))
	for want, change := range map[string][2]string{
		"names the picture 9":   {`ifd="4"`, `ifd="9"`},
		"in the light":          {"brightfield", "fluorescent"[:11]},
		"cover 500 and 1000 nm": {`<view sizeX="20000"`, `<view sizeX="40000"`},
		"outside of the glass":  {`offsetX="100000"`, `offsetX="-10000"`},
		"cannot be read":        {"<collection ", "<collection<"},
		"the glass has 0 x 220": {`sizeX="130000" sizeY="110000"`,
			`sizeX="000000" sizeY="110000"`},
		"blocks of 32 x 32": {`sizeX="130000" sizeY="110000"`, `sizeX="1.3e12" sizeY="1.1e12"`},
	} {
		data := []byte(strings.ReplaceAll(whole, change[0], change[1]))
		_, err := Open("a.scn", bytes.NewReader(data), int64(len(data)))
		must.Equal(t, err != nil, true, err, want)
		must.Contain(t, fmt.Sprint(err), want)
	}
}
