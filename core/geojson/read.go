package geojson

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"strings"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/internal/jsonvalues"
	"github.com/bagscope/bagscope/internal/kind"
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/internal/otherfile"
	"github.com/valyala/fastjson"
)

// Limits of a file of annotations.
const (
	maxBytes  = 1 << 24
	maxMemory = 2 << 30 // bytes that decoding takes
	// Bytes that a compressed file may unpack to: files of XML are larger than maxBytes.
	maxUnpacked = 1 << 26
)

// A FormatError reports a fault in a file of annotations.
type FormatError struct{ File, Reason string }

func (e *FormatError) Error() string { return msg.Sprintf("%s: %s", e.File, msg.Text(e.Reason)) }

// A Region is an annotation: polygons with a class.
type Region struct {
	Class string // the name of its classification; empty if it has none
	// Usual is what vertices count from unless the caller states it: core.Bounds in files of QuPath
	// that do not say. Empty means core.Canvas whatever the caller states.
	Usual string
	Rings []Ring // outlines and holes of all polygons
	// Holes are outside, wherever they lie; unlike holes among Rings, they may overlap, and reach
	// over the outline.
	Holes []Ring
}

// Kind returns "format".
func (e *FormatError) Kind() string { return kind.Format }

// A Ring is a closed line of vertices; the last is joined to the first.
type Ring []Point

// A Point is a place in pixels of level 0.
type Point struct{ X, Y float64 }

// On returns the region with vertices that count from the corner of level 0 of a slide, which may
// be nil.
func (r Region) On(s *core.Slide) Region {
	if r.Usual == "" {
		return r
	}
	_, at := s.CountsFrom(r.Usual)
	return r.moved(Point{float64(at.X), float64(at.Y)})
}

// moved returns the region with other vertices.
func (r Region) moved(by Point) Region {
	move := func(rings []Ring) []Ring {
		out := make([]Ring, len(rings))
		for i, ring := range rings {
			for _, p := range ring {
				out[i] = append(out[i], Point{p.X + by.X, p.Y + by.Y})
			}
		}
		return out
	}
	r.Usual = ""
	if by != (Point{}) {
		r.Rings, r.Holes = move(r.Rings), move(r.Holes)
	}
	return r
}

// Read returns the annotations of a file that QuPath exported: a FeatureCollection, a Feature, or a
// list of features, with polygons or multipolygons, also compressed by gzip. Objects of other
// types, such as detections and points, are counted in skipped. Measurements are not read. The
// member origin of a file that Write has written says what vertices count from. Read
// returns a *FormatError for a file that is not GeoJSON, holds no polygon, or is too large.
func Read(file string, data []byte) (regions []Region, skipped int, err error) {
	r := &reader{file: file}
	if data, err = Unpacked(file, data); err != nil {
		return nil, 0, err
	}
	if len(data) > maxBytes {
		return nil, 0, r.fail("it has %d bytes; at most %d are read", len(data), maxBytes)
	}
	if Memory(data) > maxMemory {
		return nil, 0, r.fail("it has too many values to be decoded in %d MB; export fewer "+
			"annotations", maxMemory>>20)
	}
	root, err := fastjson.ParseBytes(withoutInfinity(bytes.TrimPrefix(data, []byte("\ufeff"))))
	if err != nil {
		if f := otherfile.Of(data); f != nil {
			return nil, 0, r.fail("it is %s, and not JSON; export annotations from QuPath as "+
				"GeoJSON", msg.Text(f.What))
		}
		return nil, 0, r.fail("it is not JSON: %s", err.Error())
	}
	features := []*fastjson.Value{root}
	switch {
	case root.Type() == fastjson.TypeArray:
		features = root.GetArray()
	case string(root.GetStringBytes("type")) == "FeatureCollection":
		features = root.GetArray("features")
		if origin := root.Get("origin"); origin != nil {
			x, errX := number(origin, "x")
			y, errY := number(origin, "y")
			if errX != nil || errY != nil {
				return nil, 0, r.fail("its origin is not two numbers, x and y")
			}
			r.origin = &Point{x, y}
		}
	}
	for i, f := range features {
		if err := r.feature(i, f); err != nil {
			return nil, 0, err
		}
	}
	if len(r.regions) == 0 {
		return nil, 0, r.fail("it has no annotation with a polygon; export annotations from " +
			"QuPath as GeoJSON")
	}
	return r.regions, r.skipped, nil
}

// Memory returns the most bytes that Read takes beside the content of a file.
func Memory(data []byte) int64 { return jsonvalues.Bytes(data) }

// Unpacked returns the content of a file that is compressed by gzip, up to one byte more than a
// reader accepts, or data itself. It returns a *FormatError for a damaged file.
func Unpacked(file string, data []byte) ([]byte, error) {
	if !bytes.HasPrefix(data, []byte("\x1f\x8b")) {
		return data, nil
	}
	var out []byte
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err == nil {
		out, err = io.ReadAll(io.LimitReader(r, maxUnpacked+1))
	}
	if err != nil {
		return nil, &FormatError{file, msg.Sprintf("it cannot be unpacked: %v", err)}
	}
	return out, nil
}

// withoutInfinity returns data with null in place of Infinity and -Infinity. QuPath writes them,
// and NaN, for measurements that are not finite, although JSON has none of them; the parser reads
// NaN alone. A coordinate that is null is an error, as one that is NaN.
func withoutInfinity(data []byte) []byte {
	infinity := []byte("Infinity")
	if !bytes.Contains(data, infinity) {
		return data
	}
	out := bytes.Clone(data) // data is the caller's
	for i, quoted := 0, false; i < len(out); i++ {
		switch {
		case out[i] == '"':
			quoted = !quoted
		case quoted && out[i] == '\\':
			i++ // an escaped quote does not end the text
		case !quoted && bytes.HasPrefix(out[i:], infinity):
			if i > 0 && out[i-1] == '-' {
				out[i-1] = ' '
			}
			copy(out[i:], "null    ")
		}
	}
	return out
}

// className returns the name of a classification: QuPath writes a name, or the names of a class and
// its subclasses, which it displays as "Tumor: Positive". Other programs write the name alone.
func className(c *fastjson.Value) string {
	if c == nil {
		return ""
	}
	if c.Type() == fastjson.TypeString {
		return string(c.GetStringBytes())
	}
	if names := c.GetArray("names"); len(names) > 0 {
		words := make([]string, len(names))
		for i, n := range names {
			words[i] = string(n.GetStringBytes())
		}
		return strings.Join(words, ": ")
	}
	return string(c.GetStringBytes("name"))
}

type reader struct {
	file    string
	origin  *Point // the pixel of level 0 that vertices count from, if the file states it
	regions []Region
	skipped int
}

func (r *reader) fail(format string, args ...any) error {
	return &FormatError{r.file, msg.Sprintf(format, args...)}
}

func (r *reader) feature(i int, f *fastjson.Value) error {
	if string(f.GetStringBytes("type")) != "Feature" {
		return r.fail("object %d is not a Feature", i)
	}
	kind := string(f.GetStringBytes("properties", "objectType"))
	if kind == "" {
		// QuPath 0.2 in lower case, QuPath's Python package in upper case.
		kind = string(f.GetStringBytes("properties", "object_type"))
	}
	var polygons []*fastjson.Value
	shape := f.Get("geometry", "coordinates")
	switch string(f.GetStringBytes("geometry", "type")) {
	case "Polygon":
		polygons = []*fastjson.Value{shape}
	case "MultiPolygon":
		polygons = shape.GetArray()
	}
	if polygons == nil || kind != "" && !strings.EqualFold(kind, "annotation") {
		r.skipped++
		return nil
	}
	region := Region{Class: className(f.Get("properties", "classification")), Usual: core.Bounds}
	for _, p := range polygons {
		rings, err := r.rings(i, p)
		if err != nil {
			return err
		}
		region.Rings = append(region.Rings, rings...)
	}
	if r.origin != nil {
		region = region.moved(*r.origin)
	}
	r.regions = append(r.regions, region)
	return nil
}

// rings returns the rings of a polygon: lists of at least three vertices.
func (r *reader) rings(i int, polygon *fastjson.Value) ([]Ring, error) {
	var out []Ring
	for _, list := range polygon.GetArray() {
		var ring Ring
		for _, p := range list.GetArray() {
			x, errX := number(p, "0")
			y, errY := number(p, "1")
			if errX != nil || errY != nil {
				return nil, r.fail("a vertex of object %d is not two numbers", i)
			}
			ring = append(ring, Point{x, y})
		}
		if len(ring) < 3 {
			return nil, r.fail("a polygon of object %d has fewer than three vertices", i)
		}
		out = append(out, ring)
	}
	if len(out) == 0 {
		return nil, r.fail("object %d has a polygon without vertices", i)
	}
	return out, nil
}

func number(p *fastjson.Value, index string) (float64, error) {
	v := p.Get(index)
	if v == nil {
		return 0, fmt.Errorf("missing")
	}
	x, err := v.Float64()
	if err == nil && x-x != 0 {
		err = fmt.Errorf("not finite")
	}
	return x, err
}
