package slide

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/bagscope/bagscope/internal/msg"
)

// Bits of the tag NewSubfileType. Others stand for what is no level, such as an opacity, or the
// picture of the glass.
const (
	reduced = 1 // a smaller form of another picture
	page    = 2 // one of several pages
)

// readPyramid reads a pyramid as libvips and other libraries write it: reduced pictures are the
// levels below the largest one, wherever they lie. Of a file that is no pyramid, the largest
// picture is read.
func (s *Slide) readPyramid(list []*directory) error {
	s.Format = "TIFF"
	main, err := s.mainOf(list)
	if err != nil {
		return err
	}
	if err := s.checkPages(list, main); err != nil {
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

// mainOf returns the directory of the largest level: the one with most pixels of those that are not
// reduced, because an overview may lie before it; of equal ones the first, if possible of tiles. A
// note says so if another comes first.
func (s *Slide) mainOf(list []*directory) (*directory, error) {
	var first, main *directory
	most, at := uint64(0), 0
	for i, d := range list {
		kind, err := d.number(tagSubfileType, 0)
		if err != nil {
			return nil, err
		}
		if kind&reduced != 0 {
			continue
		}
		pixels := d.pixels()
		if first == nil {
			first = d
		}
		if main == nil || pixels > most ||
			pixels == most && d.has(tagTileWidth) && !main.has(tagTileWidth) {
			main, most, at = d, pixels, i
		}
	}
	if main != first && first.pixels() < most {
		s.notes = append(s.notes, msg.Sprintf("%s: page %d is its largest picture and is read as "+
			"level 0; a smaller one comes first.", s.name, at+1))
	}
	return cmp.Or(main, list[0]), nil
}

// pixels returns the number of pixels, 0 if it cannot be read.
func (d *directory) pixels() uint64 {
	wide, err1 := d.number(tagWidth, 0)
	high, err2 := d.number(tagHeight, 0)
	if err1 != nil || err2 != nil || wide > 1<<31 || high > 1<<31 {
		return 0
	}
	return wide * high
}

// checkPages returns an *UnsupportedError if other pictures have the size of the main one:
// channels, focal planes, or times, of which the first is not all. It also returns errors of
// reading the main one.
func (s *Slide) checkPages(list []*directory, main *directory) error {
	about := func(d *directory) (v [3]uint64, err error) {
		for i, tag := range []uint16{tagSubfileType, tagWidth, tagHeight} {
			if v[i], err = d.number(tag, 0); err != nil {
				return v, err
			}
		}
		v[0] &^= page
		return v, nil
	}
	of, err := about(main)
	if err != nil {
		return err
	}
	pages := 0
	for _, d := range list {
		// What cannot be read is no page.
		if v, err := about(d); err == nil && v == of {
			pages++
		}
	}
	if pages < 2 {
		return nil
	}
	way := firstPage
	if samples, err := main.number(tagSamples, 1); err == nil && samples == 1 {
		way = main.fewerChannels(pages)
	}
	return unsupported(s.name, fmt.Sprintf("%d pictures of equal size", pages), way)
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
		text, err := d.head(tagDescription)
		if err != nil {
			return err
		}
		_, second, _ := strings.Cut(string(bytes.TrimRight(text, "\x00")), "\n")
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
