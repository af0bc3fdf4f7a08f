package slide

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Bits of the tag NewSubfileType. Others stand for what is no level, such as an opacity, or the
// picture of the glass.
const (
	reduced = 1 // a smaller form of another picture
	page    = 2 // one of several pages
)

// readPyramid reads a pyramid as libvips and other libraries write it: reduced pictures are the
// levels below the largest one, wherever they lie. Of a file that is no pyramid, the first picture is
// read.
func (s *Slide) readPyramid(list []*directory) error {
	s.Format = "TIFF"
	main, err := mainOf(list)
	if err != nil {
		return err
	}
	s.readResolution(main)
	below, err := main.below()
	if err != nil {
		return err
	}
	if err := s.add(main); err != nil {
		return err
	}
	for _, d := range slices.Concat(list, below) {
		kind, err := d.number(tagSubfileType, 0)
		if err != nil {
			return err
		}
		if d == main || kind&^page != reduced || !d.has(tagTileWidth) || !s.fits(d) {
			continue
		}
		if err := s.add(d); err != nil {
			return err
		}
	}
	return nil
}

// mainOf returns the directory of the largest level: the first one of tiles that is not reduced,
// because an overview in strips may lie before it; without tiles, the first that is not reduced.
func mainOf(list []*directory) (*directory, error) {
	var full *directory
	for _, d := range list {
		kind, err := d.number(tagSubfileType, 0)
		switch {
		case err != nil:
			return nil, err
		case kind&^page == 0 && d.has(tagTileWidth):
			return d, nil
		case kind&reduced == 0 && full == nil:
			full = d
		}
	}
	return cmp.Or(full, list[0]), nil
}

// fits reports whether a directory has about the aspect of the first level.
func (s *Slide) fits(d *directory) bool {
	wide, err1 := d.number(tagWidth, 0)
	high, err2 := d.number(tagHeight, 0)
	base := s.Levels[0]
	if err1 != nil || err2 != nil || wide == 0 || high == 0 || wide > uint64(base.Width) {
		return false
	}
	expected := float64(base.Height) * float64(wide) / float64(base.Width)
	return float64(high) > .98*expected-2 && float64(high) < 1.02*expected+2
}

// Resolutions of print, which many programs write without a measurement, are far from those of
// microscopes: 300 dots per inch are 85 microns.
const mostMicrons = 20

// readResolution reads microns per pixel from the tags of resolution.
func (s *Slide) readResolution(d *directory) {
	unit, err := d.number(tagResolutionUnit, 2)
	microns := map[uint64]float64{2: 25400, 3: 10000}[unit]
	x, y := d.ratio(tagXResolution), d.ratio(tagYResolution)
	if err != nil || microns == 0 || x == 0 || y == 0 || microns/x > mostMicrons {
		return
	}
	s.MicronsX, s.MicronsY = microns/x, microns/y
}

// readAperio reads an .svs file: tiled directories are levels, the second one is the thumbnail,
// and the description of the others says what they show.
func (s *Slide) readAperio(list []*directory, description string) error {
	s.Format = "Aperio"
	microns := aperioNumber(description, "MPP")
	s.MicronsX, s.MicronsY = microns, microns
	s.Magnification = aperioNumber(description, "AppMag")
	for i, d := range list {
		text, err := d.text(tagDescription)
		if err != nil {
			return err
		}
		_, second, _ := strings.Cut(text, "\n")
		switch kind, _, _ := strings.Cut(strings.TrimSpace(second), " "); {
		case kind == "label" || kind == "macro": // even if it has tiles, it is no level
			s.associate(kind, d)
		case d.has(tagTileWidth):
			if err := s.add(d); err != nil {
				return err
			}
		case i == 1:
			s.associate("thumbnail", d)
		}
	}
	if len(s.Levels) == 0 {
		return bad(s.name, "it has no tiled picture")
	}
	return nil
}

// aperioNumber returns the first positive number of a key in a description such as
// "... |AppMag = 20|MPP = 0.4990|...", or 0. Some scanners write the comma of their language.
func aperioNumber(description, key string) float64 {
	for field := range strings.SplitSeq(description, "|") {
		name, value, ok := strings.Cut(field, "=")
		if !ok || strings.TrimSpace(name) != key {
			continue
		}
		value = strings.Replace(strings.TrimSpace(value), ",", ".", 1)
		if v, err := strconv.ParseFloat(value, 64); err == nil && v > 0 && v < 1e6 {
			return v
		}
	}
	return 0
}

// xmlBytes is the most memory that a byte of OME-XML takes while it is decoded: a list of
// attributes of six bytes each, which grows, and a map of them.
const xmlBytes = 64

// isOME reports whether a description is that of OME-TIFF.
func isOME(description string) bool {
	head := description[:min(len(description), 2048)]
	return strings.Contains(head, "<OME")
}

// An omeImage is what OME-XML says of one picture.
type omeImage struct {
	name          string
	first         int // its directory
	width, height int
	x, y          float64 // microns per pixel; 0 if unknown
	channels      int
}

// omeMicrons has the microns in units of OME-XML.
var omeMicrons = map[string]float64{"": 1, "µm": 1, "\u03bcm": 1, "um": 1, "pm": 1e-6, "nm": 1e-3,
	"mm": 1e3, "cm": 1e4, "m": 1e6, "Å": 1e-4, "in": 25400}

// readOME reads an OME-TIFF. The largest picture is the slide; smaller levels are below its
// directory. Pictures named label, macro or thumbnail are beside it.
func (s *Slide) readOME(list []*directory, description string) error {
	s.Format = "OME-TIFF"
	images, magnification, err := parseOME(description)
	if err != nil {
		return because(err, s.name, "its OME-XML cannot be read")
	}
	s.Magnification = magnification
	main := -1
	for i, m := range images {
		if m.first < 0 || m.first >= len(list) {
			continue
		}
		kind := strings.TrimSuffix(strings.ToLower(m.name), " image")
		if kind == "label" || kind == "macro" || kind == "thumbnail" {
			s.associate(kind, list[m.first])
		} else if main < 0 || m.width > images[main].width {
			main = i
		}
	}
	if main < 0 {
		return bad(s.name, "its OME-XML describes no picture that the file holds")
	}
	m := images[main]
	if m.channels > 4 {
		return &UnsupportedError{s.name, strconv.Itoa(m.channels) + " channels"}
	}
	s.MicronsX, s.MicronsY = m.x, m.y
	if err := s.add(list[m.first]); err != nil {
		return err
	}
	if (m.channels == 2 || m.channels == 4) && !s.Levels[0].layout.alpha {
		return &UnsupportedError{s.name, strconv.Itoa(m.channels) +
			" channels of which none is the opacity"}
	}
	if l := s.Levels[0]; m.width != l.Width || m.height != l.Height {
		return bad(s.name, "its OME-XML describes %d x %d pixels, but the file holds %d x %d",
			m.width, m.height, l.Width, l.Height)
	}
	if m.channels == 3 && s.Levels[0].layout.samples == 1 {
		return &UnsupportedError{s.name, oneEach}
	}
	below, err := list[m.first].below()
	if err != nil {
		return err
	}
	for _, d := range below {
		if !s.fits(d) {
			continue
		}
		if err := s.add(d); err != nil {
			return err
		}
	}
	return nil
}

// parseOME reads the pictures of OME-XML in their order, and the first magnification.
func parseOME(text string) (images []omeImage, magnification float64, err error) {
	decoder := xml.NewDecoder(strings.NewReader(text))
	decoder.Strict = true
	decoder.CharsetReader = eightBits
	next := 0 // the directory of a picture that does not name one
	for {
		token, err := decoder.Token()
		if err == io.EOF {
			return images, magnification, nil
		}
		if err != nil {
			return nil, 0, err
		}
		element, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		get := attributes(element)
		switch element.Name.Local {
		case "Objective":
			if v := number(get["NominalMagnification"]); magnification == 0 {
				magnification = v
			}
		case "Image":
			if len(images) == mostDirectories {
				return images, magnification, nil
			}
			images = append(images, omeImage{name: get["Name"], first: next})
		case "Pixels":
			if len(images) == 0 {
				continue
			}
			m := &images[len(images)-1]
			m.width, m.height = int(number(get["SizeX"])), int(number(get["SizeY"]))
			m.channels = int(number(get["SizeC"]))
			m.x = number(get["PhysicalSizeX"]) * omeMicrons[get["PhysicalSizeXUnit"]]
			m.y = number(get["PhysicalSizeY"]) * omeMicrons[get["PhysicalSizeYUnit"]]
		case "TiffData":
			if len(images) == 0 {
				continue
			}
			m := &images[len(images)-1]
			at := int(number(get["IFD"]))
			if m.first == next {
				m.first = at
			}
			next = max(next, at+max(1, int(number(get["PlaneCount"]))))
		}
	}
}

// eightBits decodes XML in the other encodings that writers declare, whose bytes are the first
// characters of Unicode.
func eightBits(encoding string, r io.Reader) (io.Reader, error) {
	switch strings.ToLower(encoding) {
	case "us-ascii", "ascii", "iso-8859-1":
	default:
		return nil, fmt.Errorf("the encoding %q is not read; UTF-8 is", encoding)
	}
	text, err := io.ReadAll(r)
	out := make([]byte, 0, 2*len(text))
	for _, c := range text {
		out = utf8.AppendRune(out, rune(c))
	}
	return bytes.NewReader(out), err
}

// attributes returns the attributes of an element by their local names.
func attributes(e xml.StartElement) map[string]string {
	m := map[string]string{}
	for _, a := range e.Attr {
		m[a.Name.Local] = a.Value
	}
	return m
}

// number reads a number from 0 to 2^31-1, or returns 0.
func number(text string) float64 {
	if v, err := strconv.ParseFloat(text, 64); err == nil && v > 0 && v < 1<<31 {
		return v
	}
	return 0
}
