package slide

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strconv"
	"strings"
)

// readPhilips reads a TIFF file of Philips' scanners. Its tiled directories are the levels. The
// sides of all but the first are those of whole tiles, so that the spacings of the description,
// which are relative to the first level's, tell how much of them is the slide.
func (s *Slide) readPhilips(list []*directory, description string) error {
	s.Format = "Philips"
	spacings, err := philipsSpacings(description)
	if err != nil {
		return because(err, s.name, "its description cannot be read")
	}
	for _, d := range list {
		if d.has(tagTileWidth) {
			if err := s.add(d); err != nil {
				return err
			}
			continue
		}
		text, err := d.head(tagDescription)
		if err != nil {
			return err
		}
		for _, kind := range []string{"label", "macro"} {
			if len(text) >= len(kind) && strings.EqualFold(string(text[:len(kind)]), kind) {
				s.associate(kind, d)
			}
		}
	}
	switch {
	case len(s.Levels) == 0:
		return bad(s.name, "it has no tiled picture")
	case len(spacings) < len(s.Levels):
		return bad(s.name, "it has %d levels, but its description states the spacing of %d",
			len(s.Levels), len(spacings))
	}
	s.MicronsX, s.MicronsY = 1000*spacings[0].x, 1000*spacings[0].y
	base := s.Levels[0]
	for i := range s.Levels[1:] {
		if err := s.Levels[1+i].crop(base, math.Round(spacings[1+i].x/spacings[0].x)); err != nil {
			return err
		}
	}
	return nil
}

// crop reduces a level, whose sides are those of whole tiles, to what shows the largest level at a
// downsample.
func (l *Level) crop(base Level, downsample float64) error {
	across, down := l.layout.grid()
	wide, high := int(float64(base.Width)/downsample), int(float64(base.Height)/downsample)
	l.Width, l.Height = wide, high
	l.layout.width, l.layout.height = wide, high
	if a, d := l.layout.grid(); wide < 1 || high < 1 || a != across || d != down {
		return bad(l.layout.name, "a level has %d x %d tiles, which do not fit its spacing", across,
			down)
	}
	return nil
}

// A spacing is the size of a pixel in millimetres.
type spacing struct{ x, y float64 }

// philipsSpacings returns the spacings of the levels in a description, the largest level first.
func philipsSpacings(text string) (out []spacing, err error) {
	decoder := xml.NewDecoder(strings.NewReader(text))
	decoder.CharsetReader = eightBits
	var objects []string // kinds of the objects around a token
	stated := false      // the token is in the attribute of the spacing of a level
	for {
		token, err := decoder.Token()
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		switch t := token.(type) {
		case xml.StartElement:
			get := attributes(t)
			if t.Name.Local == "DataObject" {
				objects = append(objects, get["ObjectType"])
			}
			stated = len(objects) > 0 && get["Name"] == "DICOM_PIXEL_SPACING" &&
				objects[len(objects)-1] == "PixelDataRepresentation"
		case xml.EndElement:
			if stated = false; t.Name.Local == "DataObject" {
				objects = objects[:len(objects)-1]
			}
		case xml.CharData:
			if !stated || len(out) == mostLevels {
				continue
			}
			s, ok := spacingOf(string(t))
			if !ok {
				return nil, errSpacing
			}
			out = append(out, s)
		}
	}
}

var errSpacing = errors.New("a spacing of its pixels is not two positive numbers")

// spacingOf reads a spacing such as "0.00025" "0.00025", with quotes, between rows first (DICOM
// PS3.3, section 10.7.1.3).
func spacingOf(text string) (spacing, bool) {
	fields := strings.Fields(strings.ReplaceAll(text, `"`, ""))
	if len(fields) != 2 {
		return spacing{}, false
	}
	y, err1 := strconv.ParseFloat(fields[0], 64)
	x, err2 := strconv.ParseFloat(fields[1], 64)
	return spacing{x, y}, err1 == nil && err2 == nil && x > 1e-9 && y > 1e-9 && x < 1 && y < 1
}
