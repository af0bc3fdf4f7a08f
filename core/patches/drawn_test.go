package patches_test

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/annotation"
	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/core/patches"
	"github.com/bagscope/bagscope/core/slide"
	"github.com/bagscope/bagscope/internal/must"
)

// boxArea returns the area of rectangles as a file of HALO.
func boxArea(t *testing.T, name string, boxes ...image.Rectangle) *annotation.Area {
	t.Helper()
	text := `<Annotations><Annotation Name="A"><Regions>`
	for _, b := range boxes {
		text += strings.NewReplacer("x0", strconv.Itoa(b.Min.X), "y0", strconv.Itoa(b.Min.Y),
			"x1", strconv.Itoa(b.Max.X), "y1", strconv.Itoa(b.Max.Y)).Replace(
			`<Region Type="Rectangle"><Vertices>` +
				`<V X="x0" Y="y0"/><V X="x1" Y="y1"/></Vertices></Region>`)
	}
	text += `</Regions></Annotation></Annotations>`
	return must.Get(annotation.ReadArea(t.Context(), name, []byte(text)))(t)
}

// TestDrawnTissue lays patches on tissue from a file, without what another file excludes, and
// compares them with the rectangles themselves. The slide has 150 x 110 pixels, and patches have
// 10.
func TestDrawnTissue(t *testing.T) {
	tissue, pen := image.Rect(20, 10, 120, 90), image.Rect(50, 40, 90, 150)
	for name, c := range map[string]struct {
		o    patches.Options
		keep func(box image.Rectangle) bool
		note string
	}{
		"tissue": {patches.Options{Drawn: boxArea(t, "t.xml", tissue)},
			func(box image.Rectangle) bool { return box.Overlaps(tissue) },
			"slide: 85 of 165 patches are left out, because they lie outside of the tissue of " +
				"t.xml."},
		"both": {patches.Options{Drawn: boxArea(t, "t.xml", tissue),
			Excluded: areas(boxArea(t, "pen.xml", pen))},
			func(box image.Rectangle) bool { return box.Overlaps(tissue) && !box.Overlaps(pen) },
			"slide: 105 of 165 patches are left out, because 85 lie outside of the tissue of " +
				"t.xml and 20 lie in pen.xml."},
		"whole": {patches.Options{WholeSlide: true, Excluded: areas(boxArea(t, "pen.xml", pen))},
			func(box image.Rectangle) bool { return !box.Overlaps(pen) },
			"slide: 28 of 165 patches are left out, because they lie in pen.xml."},
		"two": {patches.Options{WholeSlide: true, Excluded: areas(boxArea(t, "t.xml", tissue),
			boxArea(t, "pen.xml", pen))},
			func(box image.Rectangle) bool { return !box.Overlaps(tissue) && !box.Overlaps(pen) },
			"slide: 88 of 165 patches are left out, because they lie in t.xml, in pen.xml."},
	} {
		t.Run(name, func(t *testing.T) {
			c.o.PatchSize = 10
			s := opened(t, "none_big_endian.tif")
			p := must.Get(patches.Open(t.Context(), "slide", s, c.o))(t)
			var want []image.Rectangle
			for y := 0; y < 110; y += 10 {
				for x := 0; x < 150; x += 10 {
					if box := image.Rect(x, y, x+10, y+10); c.keep(box) {
						want = append(want, box)
					}
				}
			}
			must.EqualSlices(t, p.Grid.Boxes, want, len(want))
			must.Equal(t, slices.Contains(p.Notes(), c.note), true, p.Notes(), c.note)
		})
	}
}

// TestExcludedByGrandQC keeps the clean tissue of a mask of GrandQC, and says so.
func TestExcludedByGrandQC(t *testing.T) {
	m := image.NewGray(image.Rect(0, 0, 15, 11))
	for i := range m.Pix {
		m.Pix[i] = 7
	}
	for x := range 4 {
		m.SetGray(x, 0, color.Gray{Y: 1})
	}
	var data bytes.Buffer
	must.Do(t, png.Encode(&data, m))
	qc := must.Get(annotation.ReadArea(t.Context(), "a_mask.png", data.Bytes()))(t)
	p := must.Get(patches.Open(t.Context(), "slide", opened(t, "none_big_endian.tif"),
		patches.Options{GridOptions: slide.GridOptions{PatchSize: 10}, WholeSlide: true,
			Excluded: areas(qc)}))(t)
	must.Equal(t, p.Len(), 4, p.Grid.Boxes)
	must.Contain(t, strings.Join(p.Notes(), " "), "161 of 165 patches are left out, because they "+
		"lie outside of the clean tissue of a_mask.png.")
}

// TestDrawnTissueRefuses checks files that leave no patch, and settings that contradict them.
func TestDrawnTissueRefuses(t *testing.T) {
	s := opened(t, "none_big_endian.tif")
	grid := slide.GridOptions{PatchSize: 10}
	all := boxArea(t, "all.xml", image.Rect(0, 0, 900, 900))
	_, err := patches.Open(t.Context(), "slide", s, patches.Options{GridOptions: grid,
		WholeSlide: true, Excluded: areas(all)})
	var bag *core.BagError
	must.As(t, err, &bag, "they lie in all.xml; use files that belong to this slide")
	for _, o := range []patches.Options{{GridOptions: grid, Drawn: all, WholeSlide: true},
		{GridOptions: grid, Drawn: all, TissueOptions: slide.TissueOptions{Threshold: 9}}} {
		var option *slide.OptionError
		must.As(t, must.Err(patches.Open(t.Context(), "slide", s, o)), &option)
		must.Equal(t, option.Option, "tissue", "a contradiction")
	}
}

// areas returns a list of areas.
func areas(list ...*annotation.Area) []*annotation.Area { return list }

// TestKindOf recognises files by their content, whatever they are called: masks only with the slide
// whose shape they have.
func TestKindOf(t *testing.T) {
	s := opened(t, "none_big_endian.tif") // 150 x 110 pixels
	mask := func(width, height, colours int) []byte {
		m := image.NewRGBA(image.Rect(0, 0, width, height))
		for i := range width * height {
			at := i % colours
			m.SetRGBA(i%width, i/width, color.RGBA{R: uint8(at), G: uint8(at >> 8), A: 255})
		}
		var b bytes.Buffer
		must.Do(t, png.Encode(&b, m))
		return b.Bytes()
	}
	features := bagio.FeatureFile{Name: "s", PatchSize: 16, Corners: []image.Point{{}, {16, 0}}}
	alone := must.Get(features.Head())(t)
	features.Features = 2
	full := append(must.Get(features.Head())(t), make([]byte, 4*2*2)...)
	for _, c := range []struct {
		name string
		data []byte
		s    *slide.Slide
		want patches.FileKind
	}{
		{"mask", mask(75, 55, 2), s, patches.MaskFile},
		{"mask without a slide", mask(75, 55, 2), nil, patches.OtherFile},
		{"mask of another slide", mask(75, 75, 2), s, patches.OtherFile},
		{"picture", mask(75, 55, 800), s, patches.OtherFile},
		{"damaged picture", mask(75, 55, 2)[:60], s, patches.OtherFile},
		{"xml", []byte(`<Annotations><Annotation Name="A"><Regions><Region Type="Rectangle">` +
			`<Vertices><V X="0" Y="0"/><V X="9" Y="9"/></Vertices></Region></Regions>` +
			`</Annotation></Annotations>`), nil, patches.Annotations},
		{"geojson", []byte(`{"type":"Polygon","coordinates":[[[0,0],[9,0],[9,9],[0,0]]]}`), s,
			patches.OtherFile},
		{"feature", []byte(`{"type":"Feature","geometry":{"type":"Polygon","coordinates":` +
			`[[[0,0],[9,0],[9,9],[0,0]]]}}`), s, patches.Annotations},
		{"card", []byte(`{"classes":["a","b"]}`), s, patches.OtherFile},
		{"places.csv", []byte("x,y\n0,0\n30,0\n"), s, patches.PlacesFile},
		{"boxes.csv", []byte("x,y,width,height\n0,0,16,16\n30,0,16,16\n"), s, patches.PlacesFile},
		{"two.csv", []byte("x,y,f1,f2\n0,0,1,2\n30,0,2,4\n"), s, patches.OtherFile},
		{"one.csv", []byte("x,y,f1\n0,0,1\n30,0,2\n"), s, patches.OtherFile},
		{"features.csv", []byte("a,b\n1,2\n"), s, patches.OtherFile},
		{"places.h5", alone, s, patches.PlacesFile},
		{"features.h5", full, s, patches.OtherFile},
		{"empty", nil, s, patches.OtherFile},
	} {
		t.Run(c.name, func(t *testing.T) {
			must.Equal(t, patches.KindOf(t.Context(), c.name, c.data, c.s), c.want)
		})
	}
}
