package glyphs

import (
	"image"
	"math/rand/v2"
	"slices"
	"testing"

	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/goregular"

	"github.com/bagscope/bagscope/core/draw"
	"github.com/bagscope/bagscope/internal/must"
)

// inked returns the smallest rectangle with what a letter covers.
func inked(m *image.Alpha) (r image.Rectangle) {
	for y := m.Rect.Min.Y; y < m.Rect.Max.Y; y++ {
		for x := m.Rect.Min.X; x < m.Rect.Max.X; x++ {
			if m.AlphaAt(x, y).A > 127 {
				r = r.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	return r
}

// Go Mono has Latin, Greek and Cyrillic letters; those that change beside others are left out, also
// with a font that has them.
func TestLetters(t *testing.T) {
	for _, r := range "aZżλΩЖщђ→" {
		m := GoMono().Letter(r, draw.LetterWidth)
		must.Equal(t, m != nil, true, string(r))
		must.Equal(t, m.Rect, image.Rect(0, 0, draw.LetterWidth, draw.LineHeight), string(r))
		must.Equal(t, inked(m).Dx() >= 3, true, string(r))
	}
	for _, r := range "水طא๑ा\u0301\u202e\U0010ffff" {
		must.Equal(t, GoMono().Letter(r, 2*draw.LetterWidth) == nil, true, string(r))
	}
	// On the line: an x ends at it, a p goes below, a d begins higher.
	of := func(r rune) image.Rectangle { return inked(GoMono().Letter(r, draw.LetterWidth)) }
	must.Equal(t, of('х').Max.Y, baseline) // Cyrillic
	must.Equal(t, of('р').Max.Y > baseline, true)
	must.Equal(t, of('б').Min.Y < of('х').Min.Y, true)
}

// A file's letters come before those of Go Mono, and wide ones become narrower.
func TestFile(t *testing.T) {
	f := must.Get(New(goregular.TTF))(t)
	m := f.Letter('Щ', draw.LetterWidth)
	must.Equal(t, inked(m).In(m.Rect), true)
	must.Equal(t, slices.Equal(m.Pix, GoMono().Letter('Щ', draw.LetterWidth).Pix), false)
	in := inked(f.Letter('Щ', 2*draw.LetterWidth))
	must.Equal(t, in.Dx() > inked(m).Dx(), true)
	must.Fail(t, must.Err(New([]byte("PNG"))), "name a .ttf or .otf file")
}

// Damaged fonts are refused, lack letters or draw others, within their line.
func TestDamaged(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	drawn := 0
	for range 300 {
		data := slices.Clone(gomono.TTF)
		for range 1 + r.IntN(40) {
			data[r.IntN(len(data))] = byte(r.Uint32())
		}
		f, err := New(data[:len(data)-r.IntN(2)*r.IntN(len(data))])
		if err != nil {
			continue
		}
		for _, letter := range "aÄλЖ水" {
			if m := f.Letter(letter, draw.LetterWidth); m != nil {
				drawn++
				must.Equal(t, m.Rect, image.Rect(0, 0, draw.LetterWidth, draw.LineHeight))
			}
		}
	}
	must.Equal(t, drawn > 100, true, drawn)
}
