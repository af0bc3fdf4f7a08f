package annotation

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/bagscope/bagscope/core/geojson"
	"github.com/bagscope/bagscope/internal/msg"
)

// xmlReader reads the elements of a file in their order. A layer of Aperio and HALO holds regions;
// an annotation of ASAP is one.
type xmlReader struct {
	file    string
	asap    bool
	regions []geojson.Region
	skipped int

	first int // number of the first region of the layer
	layer string
	holes []geojson.Ring // the layer's negative regions
	shape *shape         // the object being read, or nil
}

// A shape is an object with its vertices.
type shape struct {
	class, kind string
	negative    bool
	points      geojson.Ring
}

// readXML is Read for XML.
func readXML(file string, data []byte) ([]geojson.Region, int, error) {
	r := &xmlReader{file: file}
	d := xml.NewDecoder(bytes.NewReader(bytes.TrimPrefix(data, []byte("\ufeff"))))
	// Everything but names is ASCII in the encodings that these programs use.
	d.CharsetReader = func(name string, in io.Reader) (io.Reader, error) {
		if strings.HasPrefix(strings.ToLower(name), "utf-16") {
			return nil, errors.New("it is text of UTF-16; save it as UTF-8")
		}
		return latin1(in)
	}
	rooted := false
	for {
		token, err := d.Token()
		switch {
		case err == io.EOF && !rooted:
			return nil, 0, r.fail("it has no element of XML")
		case err == io.EOF:
			return r.done()
		case err != nil:
			return nil, 0, r.fail("it is damaged XML: %s", err.Error())
		}
		switch t := token.(type) {
		case xml.StartElement:
			if !rooted {
				rooted = true
				if err := r.root(t.Name.Local); err != nil {
					return nil, 0, err
				}
				continue
			}
			if err := r.begin(t); err != nil {
				return nil, 0, err
			}
		case xml.EndElement:
			r.end(t.Name.Local)
		}
	}
}

func (r *xmlReader) fail(format string, args ...any) error {
	return &geojson.FormatError{File: r.file, Reason: msg.Sprintf(format, args...)}
}

func (r *xmlReader) done() ([]geojson.Region, int, error) {
	if len(r.regions) == 0 {
		return nil, 0, r.fail("it has no annotation with an area; draw a polygon, a rectangle or " +
			"an ellipse, and export it again")
	}
	return r.regions, r.skipped, nil
}

// root reads the name of the first element, which says whose file it is.
func (r *xmlReader) root(name string) error {
	switch name {
	case "ASAP_Annotations":
		r.asap = true
	case "Annotations":
	default:
		return r.fail("it is XML of another kind, with the element %s; annotations are read from "+
			"XML of ASAP, Aperio ImageScope and HALO, and from GeoJSON of QuPath",
			msg.Quoted(name))
	}
	return nil
}

// begin reads the start of an element.
func (r *xmlReader) begin(t xml.StartElement) error {
	switch name := t.Name.Local; {
	case name == "Annotation" && r.asap:
		class := attribute(t, "PartOfGroup")
		if class == "None" {
			class = ""
		}
		r.shape = &shape{class: class, kind: attribute(t, "Type")}
	case name == "Annotation":
		r.layer, r.first, r.holes = attribute(t, "Name"), len(r.regions), nil
	case name == "Region":
		class := r.layer
		if class == "" {
			class = attribute(t, "Text")
		}
		r.shape = &shape{class: class, kind: attribute(t, "Type"),
			negative: attribute(t, "NegativeROA") == "1"}
	case r.shape != nil && (name == "Coordinate" || name == "Vertex" || name == "V"):
		x, errX := coordinate(attribute(t, "X"))
		y, errY := coordinate(attribute(t, "Y"))
		if errX != nil || errY != nil {
			return r.fail("vertex %d of object %d is not two numbers, X and Y",
				len(r.shape.points), len(r.regions)+r.skipped)
		}
		r.shape.points = append(r.shape.points, geojson.Point{X: x, Y: y})
	}
	return nil
}

// end reads the end of an element. The holes of a layer hold for all of its regions, also for those
// that come before them.
func (r *xmlReader) end(name string) {
	switch {
	case r.shape != nil && (name == "Region" || name == "Annotation" && r.asap):
		s := r.shape
		r.shape = nil
		ring := s.ring()
		switch {
		case ring == nil:
			r.skipped++
		case s.negative:
			r.holes = append(r.holes, ring)
		default:
			r.regions = append(r.regions, geojson.Region{Class: s.class,
				Rings: []geojson.Ring{ring}})
		}
	case name == "Annotation" && !r.asap:
		for i := r.first; i < len(r.regions); i++ {
			r.regions[i].Holes = r.holes
		}
		r.first, r.layer, r.holes = len(r.regions), "", nil
	}
}

// ring returns the outline of a shape, or nil if it has no area.
func (s *shape) ring() geojson.Ring {
	// ImageScope has numbers for kinds: 0 is drawn by hand, 1 a rectangle, 2 an ellipse.
	switch kind := strings.ToLower(s.kind); {
	case kind == "ellipse" || kind == "2":
		return ellipse(s.points)
	case len(s.points) == 2 && (kind == "rectangle" || kind == "1"):
		a, b := s.points[0], s.points[1]
		return geojson.Ring{a, {X: b.X, Y: a.Y}, b, {X: a.X, Y: b.Y}}
	case len(s.points) >= 3 && (kind == "polygon" || kind == "rectangle" || kind == "spline" ||
		kind == "0" || kind == "1" || kind == ""):
		return s.points
	}
	return nil
}

// round is the number of vertices of an ellipse. The polygon's area is that of the ellipse less
// 0.04 %.
const round = 128

// ellipse returns the ellipse in the rectangle around the points: two corners, or all four.
func ellipse(points geojson.Ring) geojson.Ring {
	if len(points) < 2 {
		return nil
	}
	low, high := points[0], points[0]
	for _, p := range points {
		low = geojson.Point{X: min(low.X, p.X), Y: min(low.Y, p.Y)}
		high = geojson.Point{X: max(high.X, p.X), Y: max(high.Y, p.Y)}
	}
	out := make(geojson.Ring, round)
	for i := range out {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / round)
		out[i] = geojson.Point{X: (low.X + high.X + cos*(high.X-low.X)) / 2,
			Y: (low.Y + high.Y + sin*(high.Y-low.Y)) / 2}
	}
	return out
}

func attribute(t xml.StartElement, name string) string {
	for _, a := range t.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// coordinate returns a number. Programs write a comma for the decimal point where Windows does.
func coordinate(text string) (float64, error) {
	v, err := strconv.ParseFloat(strings.Replace(strings.TrimSpace(text), ",", ".", 1), 64)
	if err == nil && !(math.Abs(v) < math.MaxInt32) {
		err = strconv.ErrRange
	}
	return v, err
}

// latin1 returns text of one byte for each character as UTF-8.
func latin1(in io.Reader) (io.Reader, error) {
	data, err := io.ReadAll(in)
	if err != nil {
		return nil, err
	}
	out := make([]rune, len(data))
	for i, b := range data {
		out[i] = rune(b)
	}
	return strings.NewReader(string(out)), nil
}
