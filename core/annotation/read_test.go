package annotation

import (
	"bytes"
	"compress/gzip"
	"errors"
	"image"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/geojson"
	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/internal/must"
)

// The same square with the same hole, a triangle of another class and a point, as three programs
// and QuPath write them.
const (
	asapText = `<?xml version="1.0"?><ASAP_Annotations><Annotations>` +
		`<Annotation Name="Annotation 0" Type="Polygon" PartOfGroup="Tumor" Color="#F4FA58">` +
		`<Coordinates><Coordinate Order="0" X="0" Y="0"/><Coordinate Order="1" X="512" Y="0"/>` +
		`<Coordinate Order="2" X="512" Y="512"/><Coordinate Order="3" X="0" Y="512"/>` +
		`</Coordinates></Annotation>` +
		`<Annotation Name="Annotation 1" Type="Spline" PartOfGroup="None" Color="#F4FA58">` +
		`<Coordinates><Coordinate Order="0" X="600" Y="0"/><Coordinate Order="1" X="900" Y="0"/>` +
		`<Coordinate Order="2" X="600" Y="300.5"/></Coordinates></Annotation>` +
		`<Annotation Name="Annotation 2" Type="Dot" PartOfGroup="Tumor" Color="#F4FA58">` +
		`<Coordinates><Coordinate Order="0" X="10" Y="10"/></Coordinates></Annotation>` +
		`</Annotations><AnnotationGroups><Group Name="Tumor" PartOfGroup="None" Color="#00ff00">` +
		`<Attributes/></Group></AnnotationGroups></ASAP_Annotations>`

	aperioText = `<Annotations MicronsPerPixel="0.499">` +
		`<Annotation Id="1" Name="Tumor" ReadOnly="0" LineColor="65280" Visible="1" Type="4">` +
		`<Attributes><Attribute Name="Description" Id="0" Value=""/></Attributes>` +
		`<Regions><RegionAttributeHeaders><AttributeHeader Id="9999" Name="Region"/>` +
		`</RegionAttributeHeaders>` +
		`<Region Id="2" Type="0" Text="" NegativeROA="1" Analyze="1"><Attributes/><Vertices>` +
		`<Vertex X="300" Y="10" Z="0"/><Vertex X="400" Y="10" Z="0"/>` +
		`<Vertex X="400" Y="200" Z="0"/></Vertices></Region>` +
		`<Region Id="1" Type="1" Text="" NegativeROA="0" Analyze="1"><Attributes/><Vertices>` +
		`<Vertex X="0" Y="0" Z="0"/><Vertex X="512" Y="0" Z="0"/><Vertex X="512" Y="512" Z="0"/>` +
		`<Vertex X="0" Y="512" Z="0"/></Vertices></Region></Regions><Plots/></Annotation>` +
		`<Annotation Id="2" Name="" Type="4"><Regions>` +
		`<Region Id="1" Type="0" Text="Necrosis" NegativeROA="0"><Vertices>` +
		`<Vertex X="600,0" Y="0"/><Vertex X="900" Y="0"/><Vertex X="600" Y="300,5"/>` +
		`</Vertices></Region>` +
		`<Region Id="2" Type="4" Text="" NegativeROA="0"><Vertices>` +
		`<Vertex X="10" Y="10"/><Vertex X="90" Y="10"/></Vertices></Region>` +
		`</Regions></Annotation></Annotations>`

	haloText = `<Annotations><Annotation LineColor="65280" Name="Tumor" Visible="True"><Regions>` +
		`<Region Type="Rectangle" HasEndcaps="0" NegativeROA="0"><Vertices><V X="0" Y="0"/>` +
		`<V X="512" Y="512"/></Vertices><Comments/></Region>` +
		`<Region Type="Polygon" HasEndcaps="0" NegativeROA="1"><Vertices><V X="300" Y="10"/>` +
		`<V X="400" Y="10"/><V X="400" Y="200"/></Vertices><Comments/></Region>` +
		`<Region Type="Ruler" HasEndcaps="1" NegativeROA="0"><Vertices><V X="1" Y="1"/>` +
		`<V X="5" Y="5"/></Vertices></Region></Regions></Annotation></Annotations>`

	geoText = `{"type":"Feature","geometry":{"type":"Polygon","coordinates":[[[0,0],[512,0],` +
		`[512,512],[0,512]],[[300,10],[400,10],[400,200]]]},"properties":` +
		`{"classification":{"name":"Tumor"}}}`
)

// grid returns a bag of squares of 8 pixels over 1000 x 600 pixels.
func grid() *core.Bag {
	b := &core.Bag{Name: "grid", Shape: []int{1}}
	for y := 0; y < 600; y += 8 {
		for x := 0; x < 1000; x += 8 {
			b.Boxes = append(b.Boxes, image.Rect(x, y, x+8, y+8))
		}
	}
	b.Values = make([]float32, len(b.Boxes))
	return b
}

// TestPrograms reads one drawing as four programs write it: the same instances are inside.
func TestPrograms(t *testing.T) {
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	must.Get(z.Write([]byte(haloText)))(t)
	must.Do(t, z.Close())
	bag := grid()
	want := must.Get(geojson.Inside(bag, first(t, geoText)))(t)
	square := must.Get(geojson.Inside(bag, first(t, asapText)))(t)
	if n, m := count(want), count(square); m != 64*64 || n >= m || n < m-300 {
		t.Fatalf("%d of the square's %d instances are beside the hole", n, m)
	}
	for name, text := range map[string]string{"aperio": aperioText, "halo": haloText,
		"packed": zipped.String(), "marked": "\ufeff \r\n" + haloText,
		"latin": `<?xml version="1.0" encoding="windows-1252"?>` + haloText} {
		t.Run(name, func(t *testing.T) {
			must.EqualSlices(t, must.Get(geojson.Inside(bag, first(t, text)))(t), want, count(want))
		})
	}
}

// first returns the first annotation of a file.
func first(t *testing.T, text string) geojson.Region {
	t.Helper()
	regions, _, err := Read("drawn", []byte(text))
	must.Do(t, err)
	return regions[0]
}

func count(inside []bool) (n int) {
	for _, in := range inside {
		if in {
			n++
		}
	}
	return n
}

// TestClasses checks classes, and what is not an area.
func TestClasses(t *testing.T) {
	for name, c := range map[string]struct {
		text    string
		classes []string
		skipped int
	}{
		"asap":   {asapText, []string{"Tumor", ""}, 1},
		"aperio": {aperioText, []string{"Tumor", "Necrosis"}, 1},
		"halo":   {haloText, []string{"Tumor"}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			regions, skipped, err := Read(name, []byte(c.text))
			must.Do(t, err)
			var classes []string
			for _, r := range regions {
				classes = append(classes, r.Class)
			}
			must.EqualSlices(t, classes, c.classes, skipped, c.skipped)
			must.Equal(t, skipped, c.skipped, classes, c.classes)
		})
	}
}

// TestIsText has files of annotations, as they are and compressed, and others.
func TestIsText(t *testing.T) {
	for _, c := range []struct {
		text string
		is   bool
	}{{asapText, true}, {geoText, true}, {"\ufeff\r\n [", true}, {"", false}, {"\ufeff", false},
		{"bag,f0\na,1\n", false}, {pngSignature, false}} {
		var zipped bytes.Buffer
		z := gzip.NewWriter(&zipped)
		must.Get(z.Write([]byte(c.text)))(t)
		must.Do(t, z.Close())
		must.Equal(t, IsText([]byte(c.text)), c.is, c.text)
		must.Equal(t, IsText(zipped.Bytes()), c.is, c.text)
	}
	must.Equal(t, IsText([]byte("\x1f\x8b<")), false)
}

// TestReadIn has no memory for a file, also when it is unpacked, and keeps that of the annotations
// of another, but none of a damaged file.
func TestReadIn(t *testing.T) {
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	must.Get(z.Write([]byte(geoText)))(t)
	must.Do(t, z.Close())
	for _, data := range [][]byte{[]byte(geoText), zipped.Bytes(), []byte(haloText)} {
		small := quota.WithMemory(t.Context(), quota.NewMemory(heldShare*int64(len(geoText))-1))
		_, err := ReadIn(small, "a", data)
		must.Fail(t, err, "reading a")
		var full *quota.MemoryError
		must.Equal(t, errors.As(err, &full), true, err)
	}
	m := quota.NewMemory(1 << 20)
	ctx := quota.WithMemory(t.Context(), m)
	got := must.Get(ReadIn(ctx, "a", zipped.Bytes()))(t)
	must.Equal(t, got[0].Class, "Tumor")
	must.Equal(t, m.Held(), heldShare*int64(len(geoText)))
	must.Equal(t, m.Peak() > geojson.Memory([]byte(geoText)), true)
	must.Fail(t, must.Err(ReadIn(ctx, "a", []byte("<a"))), "damaged")
	must.Equal(t, m.Held(), heldShare*int64(len(geoText)))
}

// TestEllipse compares the area of an ellipse of HALO with pi a b.
func TestEllipse(t *testing.T) {
	r := first(t, `<Annotations><Annotation Name="A"><Regions><Region Type="Ellipse">`+
		`<Vertices><V X="100" Y="700"/><V X="500" Y="100"/></Vertices></Region></Regions>`+
		`</Annotation></Annotations>`)
	area, before := 0.0, r.Rings[0][len(r.Rings[0])-1]
	for _, p := range r.Rings[0] { // the shoelace formula
		area += (before.X*p.Y - p.X*before.Y) / 2
		before = p
	}
	must.Equal(t, math.Abs(area/(math.Pi*200*300)-1) <= 5e-4, true, area)
}

// TestReadRefuses checks what is said of files that are no annotations.
func TestReadRefuses(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"other": {`<svg width="3"/>`, `XML of another kind, with the element "svg"`},
		"cut":   {asapText[:300], "it is damaged XML"},
		"empty": {`<Annotations></Annotations>`, "no annotation with an area"},
		"text": {strings.Replace(asapText, `X="512"`, `X="far"`, 1),
			"vertex 1 of object 0 is not two numbers"},
		"nan": {strings.Replace(asapText, `X="512"`, `X="NaN"`, 1), "not two numbers"},
		"far": {strings.Replace(asapText, `X="512"`, `X="1e300"`, 1), "not two numbers"},
		"utf-16": {`<?xml version="1.0" encoding="UTF-16"?><Annotations/>`,
			"it is text of UTF-16; save it as UTF-8"},
		"declaration": {`<?xml version="1.0"?>`, "no element of XML"},
		"large":       {"<" + strings.Repeat(" ", maxXML), "at most 67108864 are read"},
	} {
		t.Run(name, func(t *testing.T) {
			regions, _, err := Read("drawn.xml", []byte(c.text))
			var format *geojson.FormatError
			must.Equal(t, errors.As(err, &format), true, len(regions), err, c.want)
			must.Equal(t, strings.Contains(err.Error(), c.want), true, len(regions), err, c.want)
		})
	}
}

// FuzzRead reads broken files: no panic, and every ring of a result has an area to be inside of.
func FuzzRead(f *testing.F) {
	for _, text := range []string{asapText, aperioText, haloText, geoText, "<a", "<a><![CDATA["} {
		f.Add([]byte(text))
	}
	bag := grid()
	f.Fuzz(func(t *testing.T, data []byte) {
		regions, _, err := Read("fuzz", data)
		if err != nil {
			return
		}
		for _, r := range regions {
			for _, ring := range slices.Concat(r.Rings, r.Holes) {
				if len(ring) < 3 {
					t.Fatalf("a ring of %d vertices", len(ring))
				}
			}
			must.Do(t, must.Err(geojson.Inside(bag, r)))
		}
	})
}
