package slide

import (
	"bytes"
	"encoding/xml"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/bagscope/bagscope/internal/msg"
)

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
	stacked       int // focal planes and times
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
	if m.stacked > 1 {
		return unsupported(s.name, strconv.Itoa(m.stacked)+" focal planes or times",
			firstPage)
	}
	if m.channels > 4 {
		return unsupported(s.name, strconv.Itoa(m.channels)+" channels",
			list[m.first].fewerChannels(m.channels))
	}
	s.MicronsX, s.MicronsY = m.x, m.y
	if err := s.add(list[m.first]); err != nil {
		return err
	}
	if (m.channels == 2 || m.channels == 4) && !s.Levels[0].layout.alpha {
		return unsupported(s.name, strconv.Itoa(m.channels)+
			" channels of which none is the opacity", list[m.first].fewerChannels(m.channels))
	}
	if l := s.Levels[0]; m.width != l.Width || m.height != l.Height {
		return bad(s.name, "its OME-XML describes %d x %d pixels, but the file holds %d x %d",
			m.width, m.height, l.Width, l.Height)
	}
	if m.channels == 3 && s.Levels[0].layout.samples == 1 {
		return unsupported(s.name, "one directory for each colour",
			list[m.first].fewerChannels(m.channels))
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
			m.stacked = int(max(1, number(get["SizeZ"])) * max(1, number(get["SizeT"])))
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
		return nil, msg.Errorf("the encoding %q is not read; UTF-8 is", encoding)
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
