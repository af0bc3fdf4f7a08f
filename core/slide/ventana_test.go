package slide

import (
	"bytes"
	"image"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
)

// TestVentana reads what a slide states, and its macro, which shows the label. Its tiles overlap by
// 8 and 4 pixels.
func TestVentana(t *testing.T) {
	s := open(t, "ventana.bif")
	if s.Format != "Ventana" || s.MicronsX != .465 || s.MicronsY != .465 || s.Magnification != 20 {
		t.Errorf("%+v", s)
	}
	must.Equal(t, s.Levels[0].Width, 132+24+32, "the right area begins at 132")
	must.Equal(t, s.Bounds, image.Rect(12, 0, 188, 108))
	must.Equal(t, len(s.Associated), 1, s.Associated)
	must.Equal(t, s.Associated[0].Private(), true, s.Associated)
	// Where no area lies, the slide is white.
	m := must.Get(s.Region(0, image.Rect(0, 0, 12, 20)))(t)
	must.Equal(t, bytes.Count(m.Pix, []byte{255}), len(m.Pix))
}

// TestVentanaStored reads a file whose level has no areas: its pixels are as they are stored.
func TestVentanaStored(t *testing.T) {
	whole := string(file(t, "ventana.bif"))
	at := strings.LastIndex(whole, "\xbc\x02") // the tag of the second XML
	data := []byte(whole)
	data[at] = 0xbb
	s := must.Get(Open("a.bif", bytes.NewReader(data), int64(len(data))))(t)
	must.Equal(t, s.Levels[0].Width, 7*32)
	must.Equal(t, s.Levels[0].Height, 4*32)
	must.Equal(t, s.Bounds.Empty(), true)
}

// TestVentanaDamaged expects errors in words for descriptions that do not fit the pictures.
func TestVentanaDamaged(t *testing.T) {
	whole := string(file(t, "ventana.bif"))
	for want, change := range map[string][2]string{
		"cannot be read":         {"<SlideStitchInfo>", "<SlideStitchInfo<"},
		"states no Direction":    {`"RIGHT"`, `"RIGHX"`},
		"states no Confidence":   {`Confidence="91"`, `Confidence="9a"`},
		"states no NumCols":      {`NumCols="4"`, `NumCols="x"`},
		"part of 9 x 3 tiles":    {`NumCols="4"`, `NumCols="9"`},
		"from tile (5,1) on":     {`OriginY="32"`, `OriginY="33"`},
		"tiles of 32 pixels are": {`OverlapX="8" OverlapY="0"`, `OverlapX="20" Overlap="0"`},
		"3 scanned parts, but states the places": {`<AOI1 OriginX="160" OriginY="32"/>`,
			`<!-- OriginX="160" OriginY="32"-->`},
		"take more tiles together than its 7 x 4": {`NumRows="3" NumCols="4"`,
			`NumRows="4" NumCols="7"`},
		"has no scanned part":       {`AOIScanned="1"`, `AOIScanned="0"`},
		"lies outside of the slide": {`Pos-X="12"`, `Pos-X="-9"`},
		"states the magnification":  {"mag=5 ", "mag=- "},
		"smaller than level 0":      {"mag=5 ", "mag=7 "},
		"has no level":              {"level=", "lavel="},
	} {
		t.Run(want, func(t *testing.T) {
			must.Equal(t, len(change[0]), len(change[1])) // places in the file stay as they are
			data := []byte(strings.ReplaceAll(whole, change[0], change[1]))
			_, err := Open("a.bif", bytes.NewReader(data), int64(len(data)))
			must.Equal(t, is[*FormatError](err), true, err)
			must.Contain(t, err.Error(), want)
		})
	}
	// Bands are not stitched.
	_, err := OpenWith("a.bif", strings.NewReader(whole), int64(len(whole)),
		Options{Bands: &core.Bands{}})
	must.Equal(t, is[*UnsupportedError](err), true, err)
}
