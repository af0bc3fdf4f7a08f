// Package glyphs draws letters of outline fonts for native pictures. Pages draw letters by the
// browser's fonts instead, and need none of it.
package glyphs

import (
	"image"
	stddraw "image/draw"
	"math"
	"sync"
	"unicode"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"

	"github.com/bagscope/bagscope/core/draw"
	"github.com/bagscope/bagscope/internal/msg"
)

// Letters of a font are drawn at the size at which those of Go Mono are draw.LetterWidth wide.
const letterSize = draw.LetterWidth / .6

// baseline is how far below the top of a line letters stand, in pixels.
const baseline = 12

// shaped are the scripts whose letters change beside others, stand above others or run from right
// to left. Letters that are put side by side would spell another word.
var shaped = []*unicode.RangeTable{unicode.Arabic, unicode.Bengali, unicode.Devanagari,
	unicode.Gujarati, unicode.Gurmukhi, unicode.Hebrew, unicode.Kannada, unicode.Khmer, unicode.Lao,
	unicode.Malayalam, unicode.Mongolian, unicode.Myanmar, unicode.Nko, unicode.Oriya,
	unicode.Sinhala, unicode.Syriac, unicode.Tamil, unicode.Telugu, unicode.Thaana, unicode.Thai,
	unicode.Tibetan, unicode.M, unicode.Bidi_Control}

// A Font has the letters of a file's font and of Go Mono, which has Latin, Greek and Cyrillic ones.
// It is a draw.Letters for several goroutines.
type Font struct {
	mu    sync.Mutex
	fonts []*opentype.Font
	buf   sfnt.Buffer
	known map[key]*image.Alpha
}

type key struct {
	r     rune
	width int
}

// GoMono returns the letters of Go Mono.
var GoMono = sync.OnceValue(func() *Font {
	f, err := New(gomono.TTF)
	if err != nil {
		panic(err) // it is in the program
	}
	return f
})

// New returns the letters of a font file (TrueType or OpenType, or the first font of a
// collection), and those of Go Mono that it lacks.
func New(file []byte) (*Font, error) {
	f := &Font{known: map[key]*image.Alpha{}}
	for _, data := range [][]byte{file, gomono.TTF} {
		parsed, err := first(data)
		if err != nil {
			return nil, msg.Errorf("the file is no font that pictures can use (%w); name a .ttf "+
				"or .otf file", err)
		}
		f.fonts = append(f.fonts, parsed)
	}
	return f, nil
}

// first returns the font of a file, or the first of a collection.
func first(data []byte) (*opentype.Font, error) {
	all, err := opentype.ParseCollection(data)
	if err != nil {
		return nil, err
	}
	return all.Font(0)
}

// Letter returns how much a letter covers of the pixels of a line, as draw.Letters says; nil if no
// font has it, or if it cannot stand alone.
func (f *Font) Letter(r rune, width int) *image.Alpha {
	if unicode.In(r, shaped...) {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	k := key{r, width}
	if mask, ok := f.known[k]; ok {
		return mask
	}
	var mask *image.Alpha
	for _, one := range f.fonts {
		if at, err := one.GlyphIndex(&f.buf, r); err == nil && at != 0 {
			if mask = rasterise(one, r, width); mask != nil {
				break
			}
		}
	}
	f.known[k] = mask
	return mask
}

// rasterise draws a letter in the middle of a line of a width, smaller where it is wider; nil if
// the font's outline cannot be drawn.
func rasterise(one *opentype.Font, r rune, width int) *image.Alpha {
	size := letterSize
	for {
		face, err := opentype.NewFace(one, &opentype.FaceOptions{Size: size, DPI: 72,
			Hinting: font.HintingFull})
		if err != nil {
			return nil
		}
		bounds, advance, ok := face.GlyphBounds(r)
		if !ok || advance <= 0 {
			return nil
		}
		if advance.Ceil() > width && size > 1 {
			size = math.Max(1, math.Min(size*.95, size*float64(width)*64/float64(advance)))
			continue
		}
		// An outline far outside of its line is not a letter, and takes memory.
		line := fixed.R(-width, -2*draw.LineHeight, 2*width, 2*draw.LineHeight)
		if !bounds.In(line) {
			return nil
		}
		mask := image.NewAlpha(image.Rect(0, 0, width, draw.LineHeight))
		dot := fixed.Point26_6{X: (fixed.I(width) - advance) / 2, Y: fixed.I(baseline)}
		to, glyph, from, _, ok := face.Glyph(dot, r)
		if !ok {
			return nil
		}
		stddraw.Draw(mask, to, glyph, from, stddraw.Src)
		return mask
	}
}
