package geojson

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"image"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
)

// slide returns a bag of n instances on a grid of four columns of 256 pixels.
func slide(n int) *core.Bag {
	b := &core.Bag{Name: "slide", Shape: []int{1}, Values: make([]float32, n)}
	for i := range n {
		at := image.Pt(256*(i%4), 256*(i/4))
		b.Boxes = append(b.Boxes, image.Rectangle{Min: at, Max: at.Add(image.Pt(256, 256))})
	}
	return b
}

// TestReadForms checks the forms in which QuPath, its Python package and others write an annotation
// with a hole.
func TestReadForms(t *testing.T) {
	const geometry = `"geometry":{"type":"Polygon","coordinates":[[[0,0],[512,0,1],[512,512],` +
		`[0,512],[0,0]],[[300,10],[400,10],[400,200],[300,10]]]}`
	object := func(properties string) string {
		return `{"type":"Feature","id":"a",` + geometry + `,"properties":` + properties + `}`
	}
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	io.WriteString(z, "["+object(`{"classification":{"name":"Tumor"}}`)+"]")
	z.Close()
	for name, c := range map[string]struct{ text, class string }{
		"one object": {object(`{"objectType":"annotation","classification":{"name":"Tumor",` +
			`"color":[200,0,0]},"isLocked":true,"isEllipse":true,"measurements":[{"name":"a",` +
			`"value":1.5}]}`), "Tumor"},
		"a list": {"[" + object(`{"objectType":"annotation","classification":{"names":["Tumor",`+
			`"Positive"]},"measurements":{"a":NaN,"b":1}}`) + "]",
			"Tumor: Positive"},
		"measurements that are not finite": {object(
			`{"name":"Infinity \"-Infinity\\","objectType":"annotation",` +
				`"classification":{"name":"to \"Infinity"},"measurements":{"a":Infinity,` +
				`"Infinity":-Infinity,"c":[ Infinity,NaN ],"d":2}}`), `to "Infinity`},
		"a collection": {`{"type":"FeatureCollection","features":[` + object(`{"object_type":`+
			`"annotation","classification":{"name":"Tumor","colorRGB":-3670016}}`) + "]}", "Tumor"},
		"qubalab": {object(`{"object_type":"ANNOTATION","classification":{"names":["Tumor"]}}`),
			"Tumor"},
		"no class":           {object(`{"objectType":"annotation","classification":null}`), ""},
		"no properties":      {object("null"), ""},
		"a text":             {object(`{"classification":"Tumor"}`), "Tumor"},
		"a byte order mark":  {"\ufeff" + object(`{"classification":"Tumor"}`), "Tumor"},
		"compressed by gzip": {zipped.String(), "Tumor"},
		"several polygons": {`[{"type":"Feature","geometry":{"type":"MultiPolygon","coordinates":` +
			`[[[[0,0],[512,0],[512,512],[0,512],[0,0]],[[300,10],[400,10],[400,200],[300,10]]]]},` +
			`"properties":{"classification":{"name":"Tumor"}}}]`, "Tumor"},
	} {
		t.Run(name, func(t *testing.T) {
			regions, skipped, err := Read("x.geojson", []byte(c.text))
			if err != nil || skipped != 0 || len(regions) != 1 {
				t.Fatal(regions, skipped, err)
			}
			inside := must.Get(Inside(slide(6), regions[0]))(t)
			// The centre of instance 1, (384, 128), lies in the hole.
			must.Equal(t, regions[0].Class, c.class)
			must.EqualSlices(t, inside, []bool{true, false, false, false, true, true})
		})
	}
	bomb := bytes.NewBuffer(nil)
	z = gzip.NewWriter(bomb)
	z.Write(make([]byte, maxBytes+1))
	z.Close()
	for want, data := range map[string][]byte{
		"at most":         bomb.Bytes(),
		"unpacked":        bomb.Bytes()[:100],
		"too many values": []byte("[" + strings.Repeat("1,", 1<<22) + "1]"),
	} {
		_, _, err := Read("x.geojson.gz", data)
		var e *FormatError
		must.As(t, err, &e)
		must.Contain(t, e.Reason, want)
	}
}

// TestWrite decodes what Write writes with encoding/json and checks one feature of each kind.
func TestWrite(t *testing.T) {
	report := &core.Report{Explanations: []core.Explanation{{
		Method: "milli", Class: 1, Scores: []float64{.5, -.25, math.NaN()},
		StdErr: []float64{.125, .1, .2}, Evident: []bool{true, true, false}}}}
	var out bytes.Buffer
	o := Options{Classes: []string{"no tumour", "tumour"}, Class: 1}
	must.Do(t, Write(&out, slide(3), report, o))
	var got struct {
		Type     string
		Features []struct {
			Type     string
			Geometry struct {
				Type        string
				Coordinates [][][2]int
			}
			Properties struct {
				ObjectType, Name string
				Classification   struct {
					Name  string
					Color []int
				}
				Measurements map[string]float64
			}
		}
	}
	must.Do(t, json.Unmarshal(out.Bytes(), &got))
	must.Equal(t, got.Type, "FeatureCollection")
	must.Equal(t, len(got.Features), 3)
	f := got.Features[1]
	want := [][2]int{{256, 0}, {512, 0}, {512, 256}, {256, 256}, {256, 0}}
	must.Equal(t, f.Geometry.Type, "Polygon", f.Geometry.Coordinates)
	must.EqualSlices(t, f.Geometry.Coordinates[0], want, f.Geometry.Coordinates)
	for i, name := range []string{"supports tumour", "refutes tumour",
		"does not stand out"} {
		must.Equal(t, got.Features[i].Properties.Classification.Name, name, i)
	}
	if m := f.Properties.Measurements; m["milli: tumour"] != -.25 ||
		m["milli: tumour, standard error"] != .1 {
		t.Errorf("the measurements are %v", m)
	}
	must.Equal(t, len(got.Features[2].Properties.Measurements), 1,
		"a score that is not a number is written")
}

func TestWriteNeedsPlacesAndClass(t *testing.T) {
	report := &core.Report{Explanations: []core.Explanation{{Scores: []float64{1},
		Evident: []bool{true}}}}
	bag := slide(1)
	must.Fail(t, Write(&bytes.Buffer{}, bag, report, Options{Class: 3}), "class 3")
	bag.Boxes = nil
	must.Fail(t, Write(&bytes.Buffer{}, bag, report, Options{}), "coordinates")
}

// fullDisk takes so many writes, fails at the next one, and then has room again.
type fullDisk struct{ writes int }

var errFull = errors.New("the disk is full")

func (d *fullDisk) Write(p []byte) (int, error) {
	if d.writes--; d.writes == -1 {
		return 0, errFull
	}
	return len(p), nil
}

// TestWriteReturnsErrors fails at each write: the beginning, two features and the end.
func TestWriteReturnsErrors(t *testing.T) {
	report := &core.Report{Explanations: []core.Explanation{{Scores: []float64{1, 2},
		Evident: []bool{true, true}}}}
	for n := range 4 {
		must.Is(t, Write(&fullDisk{n}, slide(2), report, Options{}), errFull, n)
	}
	must.Do(t, Write(&fullDisk{4}, slide(2), report, Options{}))
}

// annotations is a file in the form of QuPath 0.5: a rectangle with a hole, a multipolygon, a
// detection and a point.
const annotations = `{"type":"FeatureCollection","features":[
{"type":"Feature","id":"1","geometry":{"type":"Polygon","coordinates":[[[0,0],[1024,0],[1024,512],
[0,512],[0,0]],[[256,0],[512,0],[512,256],[256,256],[256,0]]]},"properties":{"objectType":
"annotation","classification":{"name":"Tumor","color":[200,0,0]}}},
{"type":"Feature","id":"2","geometry":{"type":"MultiPolygon","coordinates":[[[[0,512],[256,512],
[256,768],[0,768],[0,512]]],[[[768,512],[1024,512],[1024,768],[768,768],[768,512]]]]},
"properties":{"objectType":"annotation","classification":{"name":"Stroma"}}},
{"type":"Feature","id":"3","geometry":{"type":"Polygon","coordinates":[[[0,0],[9,0],[9,9],[0,0]]]},
"properties":{"objectType":"detection"}},
{"type":"Feature","id":"4","geometry":{"type":"Point","coordinates":[1,2]},
"properties":{"objectType":"annotation"}}]}`

func TestLabels(t *testing.T) {
	regions, skipped, err := Read("a.geojson", []byte(annotations))
	must.Do(t, err)
	must.Equal(t, skipped, 2)
	for _, c := range []struct {
		classes []string
		want    []int
	}{
		{nil, []int{1, 0, 1, 1, 1, 1, 1, 1, 2, 0, 0, 2}},
		{[]string{"Stroma"}, []int{0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1}},
	} {
		got := must.Get(Labels(slide(12), regions, c.classes))(t)
		must.EqualSlices(t, got, c.want, c.classes)
		inside := must.Get(InsideLabels(slide(12), regions, c.classes))(t)
		must.EqualSlices(t, inside, c.want, c.classes)
	}
	unplaced := slide(12)
	unplaced.Boxes = nil
	for name, bag := range map[string]*core.Bag{"no instance inside": slide(12),
		"no places": unplaced} {
		_, err := InsideLabels(bag, regions, []string{"Fat"})
		must.Equal(t, errors.As(err, new(*core.BagError)), true, name, err)
	}
	_, inside := Inside(unplaced, regions[0])
	_, labelled := Labels(unplaced, regions, nil)
	for _, err := range []error{inside, labelled} {
		must.As(t, err, new(*core.BagError))
	}
}

// TestInside compares with a test of every line for every instance, on random polygons.
func TestInside(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	bag := slide(400)
	for n := range 50 {
		var region Region
		for range 1 + r.IntN(3) {
			var ring Ring
			for range 3 + r.IntN(20) {
				// Half of the vertices lie at the height of centres, where mistakes are made.
				ring = append(ring, Point{r.Float64() * 1024, float64(128 * r.IntN(200))})
			}
			region.Rings = append(region.Rings, ring)
		}
		got := must.Get(Inside(bag, region))(t)
		for i, b := range bag.Boxes {
			x, y := float64(b.Min.X+128), float64(b.Min.Y+128)
			want := false
			for _, ring := range region.Rings {
				for j := range ring {
					p, q := ring[j], ring[(j+1)%len(ring)]
					if (p.Y > y) != (q.Y > y) && x < p.X+(y-p.Y)*(q.X-p.X)/(q.Y-p.Y) {
						want = !want
					}
				}
			}
			if got[i] != want {
				t.Fatalf("region %d, instance %d: inside is %v, want %v", n, i, got[i], want)
			}
		}
	}
}

// TestInsideBoundsItsWork has 2^16 instances at the height of 2^15 and one lines more than allowed.
// As many lines above all instances are allowed.
func TestInsideBoundsItsWork(t *testing.T) {
	bag := slide(1 << 16)
	high := float64(bag.Boxes[len(bag.Boxes)-1].Max.Y)
	zigzag := func(low, high float64) Region {
		var ring Ring
		for i := range 1<<14 + 1 {
			ring = append(ring, Point{float64(i), low}, Point{float64(i), high})
		}
		return Region{Class: "tumour", Rings: []Ring{ring}}
	}
	var e *core.BagError
	_, err := Inside(bag, zigzag(0, high))
	must.As(t, err, &e, `the annotation "tumour" has too many lines for 65536 instances`)
	_, err = Labels(bag, []Region{zigzag(0, high)}, nil)
	must.As(t, err, &e)
	must.Equal(t, slices.Contains(must.Get(Inside(bag, zigzag(high, 2*high)))(t), true), false,
		"an instance is inside a region above all instances")
}

// TestReadBoundsItsWork reads files that are too large, or too large when decoded.
func TestReadBoundsItsWork(t *testing.T) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	must.Get(w.Write(make([]byte, 1<<24+1)))(t)
	must.Do(t, w.Close())
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"bytes":    {make([]byte, 1<<24+1), "it has 16777217 bytes; at most 16777216 are read"},
		"unpacked": {packed.Bytes(), "it has 16777217 bytes; at most 16777216 are read"},
		"values": {bytes.Repeat([]byte("[0,0],"), 1<<21),
			"it has too many values to be decoded in 2048 MB"},
	} {
		var e *FormatError
		if _, _, err := Read("a.geojson", c.data); !errors.As(err, &e) ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", name, err, c.want)
		}
	}
}

func TestReadRefusals(t *testing.T) {
	const polygon = `[{"type":"Feature","geometry":{"type":"Polygon","coordinates":`
	for data, want := range map[string]string{
		"":                                      "it is not JSON",
		"<ASAP_Annotations></ASAP_Annotations>": "it is XML, and not JSON; export annotations",
		"{}":                                    "object 0 is not a Feature",
		"Infinity":                              "object 0 is not a Feature",
		`{"type":"Feature"}`:                    "it has no annotation with a polygon",
		polygon + `[[[0,0],[1,1]]]}}]`:          "fewer than three vertices",
		polygon + `[]}}]`:                       "a polygon without vertices",
		polygon + `[[[0,"x"],[1,1],[2,2]]]}}]`:  "is not two numbers",
		polygon + `[[[0,-Infinity],[1,1],[2,2]]]}}]`: "is not two numbers",
	} {
		if _, _, err := Read("a.geojson", []byte(data)); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s\ngot  %v\nwant %s", data, err, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(annotations))
	f.Fuzz(func(t *testing.T, data []byte) {
		regions, _, err := Read("a.geojson", data)
		if err == nil {
			if _, err := Labels(slide(20), regions, nil); err != nil {
				t.Log(err)
			}
		}
	})
}
