package dicom

import (
	"bytes"
	"encoding/binary"
	"flag"
	"fmt"
	"hash/crc32"
	"image"
	"image/draw"
	"math/rand/v2"
	"testing"

	"github.com/bagscope/bagscope/core/dicom/dicomtest"
	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/internal/damage"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/internal/testfile"
)

var update = flag.Bool("update", false, "write testdata/drawn.txt")

// oneOf returns one of a list.
func oneOf[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

// endless is the length of a sequence that ends by a delimiter.
const endless = 0xffffffff

// sequence writes a sequence of items.
func sequence(w *dicomtest.Writer, t tag, items ...func()) {
	w.Head(dicomtest.Tag(t), "SQ", endless)
	for _, write := range items {
		w.Head(dicomtest.Item, "", endless)
		write()
		w.Head(dicomtest.ItemEnd, "", 0)
	}
	w.Head(dicomtest.SequenceEnd, "", 0)
}

// shorts returns 16-bit numbers in the order of a file.
func shorts(big bool, numbers ...int) (out []byte) {
	for _, v := range numbers {
		if big {
			out = binary.BigEndian.AppendUint16(out, uint16(v))
		} else {
			out = binary.LittleEndian.AppendUint16(out, uint16(v))
		}
	}
	return out
}

// drawnFile returns a file with random attributes, most of them valid.
func drawnFile(r *rand.Rand) []byte {
	if r.IntN(4) == 0 {
		return drawnSlide(r)
	}
	p := dicomtest.Picture{UID: oneOf(r, dicomtest.Explicit, dicomtest.Explicit, dicomtest.Implicit,
		dicomtest.BigEndian, dicomtest.Deflated), Photometric: oneOf(r, "MONOCHROME2",
		"MONOCHROME2", "MONOCHROME1", "RGB", "YBR_FULL", "YBR_FULL_422", "PALETTE COLOR", "CMYK"),
		Width: 1 + r.IntN(6), Height: 1 + r.IntN(5), Frames: oneOf(r, 0, 1, 2, 3), Samples: 1,
		Allocated: oneOf(r, 8, 8, 16, 16, 16, 1, 32, 12)}
	switch p.Photometric {
	case "RGB", "YBR_FULL", "YBR_FULL_422", "CMYK":
		p.Samples, p.Planar = 3, r.IntN(2)
		if r.IntN(6) > 0 {
			p.Allocated = 8
		}
	}
	p.Stored = oneOf(r, p.Allocated, p.Allocated, max(1, p.Allocated-4))
	p.High = p.Stored - 1
	if p.Stored < p.Allocated && r.IntN(3) == 0 {
		p.High = p.Allocated - 1
	}
	p.Signed = oneOf(r, 0, 0, 1)
	bits := p.Width * p.Height * max(1, p.Frames) * p.Samples * p.Allocated
	p.Pixels = make([]byte, (bits+7)/8+oneOf(r, 0, 0, 0, 0, 2)-oneOf(r, 0, 0, 0, 0, 0, 0, 0, 1))
	for i := range p.Pixels {
		p.Pixels[i] = byte(r.IntN(256))
	}
	if len(p.Pixels)%2 == 1 {
		p.Pixels = append(p.Pixels, 0)
	}
	big := p.UID == dicomtest.BigEndian
	text := func(w *dicomtest.Writer, t tag, values ...string) {
		if v := oneOf(r, values...); v != "" {
			w.Text(dicomtest.Tag(t), "DS", v)
		}
	}
	lut := func(w *dicomtest.Writer, descriptor, data tag) {
		n, wide := oneOf(r, 2, 4), oneOf(r, 8, 16, 16, 12, 4)
		w.Add(dicomtest.Tag(descriptor), "US", shorts(big, n, oneOf(r, 0, 3, 65533), wide))
		w.Add(dicomtest.Tag(data), "OW", shorts(big, 1, 200, 3000, 65000)[:2*oneOf(r, n, n, n, 1)])
	}
	place := func(w *dicomtest.Writer, z int) {
		w.Text(dicomtest.Tag(tagPosition), "DS", fmt.Sprintf(`1\2\%d`, z))
	}
	p.More = func(w *dicomtest.Writer) {
		if r.IntN(2) == 0 {
			text(w, tagSeries, "1.2.3")
			text(w, tagSeriesNumber, "4", "x")
			text(w, tagInstance, "7", "")
			text(w, tagThickness, "2.5", "-1")
			w.Text(dicomtest.BurnedIn, "CS", oneOf(r, "YES", "NO"))
		}
		if r.IntN(2) == 0 {
			place(w, r.IntN(9))
			text(w, tagOrientation, `1\0\0\0\1\0`, `0\1\0\0\0\-1`, `1\0\0\1\0\0`, `1\0`)
		}
		if r.IntN(2) == 0 {
			text(w, tagSlope, "2", "0.5", "x", "")
			text(w, tagIntercept, "-1024", "10", "")
		}
		if r.IntN(2) == 0 {
			text(w, tagCenter, "40", "127.5", "x")
			text(w, tagWidth, "400", "1", "0", "0.5", "")
			text(w, tagFunction, "SIGMOID", "LINEAR_EXACT", "LINEAR", "")
		}
		switch r.IntN(6) {
		case 0:
			sequence(w, tagModalityLUT, func() { lut(w, tagLUTDescriptor, tagLUTData) })
		case 1:
			sequence(w, tagVOILUT, func() { lut(w, tagLUTDescriptor, tagLUTData) })
		case 2:
			var items []func()
			for i := range oneOf(r, 1, max(1, p.Frames), 2) {
				items = append(items, func() {
					sequence(w, tagPlanePosition, func() { place(w, 5*i) })
					sequence(w, tagPlaneOrient, func() {
						w.Text(dicomtest.Tag(tagOrientation), "DS", `1\0\0\0\1\0`)
					})
					sequence(w, tagTransformation, func() {
						w.Text(dicomtest.Tag(tagSlope), "DS", fmt.Sprint(1+i))
					})
				})
			}
			sequence(w, oneOf(r, tagPerFrame, tagPerFrame, tagShared), items...)
		}
		if p.Photometric == "PALETTE COLOR" {
			for c := range tag(3) {
				lut(w, tagRed+c, tagRedData+c)
			}
		}
	}
	return p.File()
}

// drawnSlide returns a picture of a whole slide.
func drawnSlide(r *rand.Rand) []byte {
	m := image.NewRGBA(image.Rect(0, 0, 2+r.IntN(7), 2+r.IntN(7)))
	for i := range m.Pix {
		m.Pix[i] = byte(r.IntN(256))
	}
	s := dicomtest.SlideFile{Kind: oneOf(r, "VOLUME", "LABEL", "THUMBNAIL"), Picture: m,
		Tile: image.Pt(1+r.IntN(3), 1+r.IntN(3)), Spacing: oneOf(r, `0.1\0.2`, `0.1`, `0\0`, `x`)}
	s.Planes, s.Paths = oneOf(r, 0, 0, 0, 3), oneOf(r, 0, 0, 0, 0, 2)
	if r.IntN(4) == 0 {
		s.Part, s.Frames = "1.2.9", [2]int{0, 1}
	}
	for range r.IntN(4) {
		s.Places = append(s.Places, image.Pt(s.Tile.X*r.IntN(2), oneOf(r, 0, s.Tile.Y, 1)))
	}
	return s.File()
}

// shownFile returns all that a file states, and its frames as numbers and as a picture; or the type
// of the error.
func shownFile(t *testing.T, data []byte) string {
	memory := quota.NewMemory(1 << 24)
	f, err := Open("f.dcm", bytes.NewReader(data), int64(len(data)), Options{Memory: memory,
		Pixels: 1 << 16})
	if err != nil {
		return fmt.Sprintf("%T", err)
	}
	out := fmt.Sprint(f.Width, f.Height, f.Frames, f.Colour, f.Modality, f.Series, f.SeriesNumber,
		f.Instance, f.Numbered, f.Counted, f.Thickness, f.BurnedIn, f.Bytes(), memory.Peak())
	if m := f.Matrix; m != nil {
		out += fmt.Sprint(m.Width, m.Height, m.Kind, m.MicronsX, m.MicronsY, m.Magnification,
			m.Planes, m.Whole, m.ShowsTissue())
		for row := range 3 {
			for column := range 3 {
				i, ok := m.Frame(f, column, row)
				out += fmt.Sprint(i, ok)
			}
		}
	}
	for i := range min(f.Frames, 3) {
		frame, err := f.Frame(i)
		if err != nil {
			out += fmt.Sprintf("%T", err)
			continue
		}
		values := make([]float32, frame.Len())
		frame.Values(values)
		shown := frame.Shown()
		plain := image.NewRGBA(shown.Bounds())
		draw.Draw(plain, plain.Rect, shown, image.Point{}, draw.Src)
		at := f.Slice(i)
		out += fmt.Sprint(values, plain.Rect, crc32.ChecksumIEEE(plain.Pix), at,
			at.Place.Distance())
	}
	f.Close()
	must.Equal(t, memory.Held(), 0)
	return out
}

// TestDrawnFiles reads files with random attributes, and damages each of them twice.
func TestDrawnFiles(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 20))
	var names, results []string
	for n := range 500 {
		data := drawnFile(r)
		for k := range 3 {
			names = append(names, fmt.Sprint(n, " ", k))
			results = append(results, shownFile(t, data))
			data = damage.Bytes(data, r)
		}
	}
	testfile.Recorded(t, "testdata/drawn.txt", *update, names, results)
}
