package core

import (
	"cmp"
	"image"
	"strconv"
	"strings"

	"github.com/bagscope/bagscope/internal/msg"
)

// What places in files of a slide count from. The two differ for slides of MIRAX and Leica.
const (
	Canvas = "canvas" // the corner of level 0, as for OpenSlide
	Bounds = "bounds" // the corner of its bounds, as for QuPath
)

// CountsFrom returns what places in a file count from, Canvas or Bounds, and the pixel of level 0
// that is. usual holds unless the caller states another one, and if bounds are known; s may be nil.
func (s *Slide) CountsFrom(usual string) (name string, at image.Point) {
	if s == nil || s.Unit != "" {
		return Canvas, at
	}
	name = cmp.Or(s.Origin, usual)
	if name != Bounds || s.Origin == "" && s.BoundsWidth == 0 {
		return Canvas, at
	}
	return name, image.Pt(s.BoundsX, s.BoundsY)
}

// StateOrigin sets what places in files of the slide count from: "canvas", "bounds", or "x,y", the
// pixel of level 0 where bounds begin that the slide's file does not state. It returns a
// *SettingError for other words, and for bounds that nothing states.
func (s *Slide) StateOrigin(text string) error {
	wrong := func(format string, args ...any) error {
		return &SettingError{Setting: "origin", Reason: msg.Sprintf(format, args...)}
	}
	switch {
	case text == "":
		return nil
	case s.Unit != "":
		return wrong("places are in micrometres, which count from where their file says; state " +
			"by slide-mpp how many micrometres a pixel covers")
	case text == Canvas:
	case text == Bounds:
		if s.BoundsWidth == 0 {
			return wrong("the file does not state where the bounds of its slide begin; state the " +
				"pixel, such as 1024,2048, which OpenSlide calls openslide.bounds-x and bounds-y")
		}
	default:
		x, y, _ := strings.Cut(text, ",")
		left, err := strconv.ParseUint(strings.TrimSpace(x), 10, 31)
		top, err2 := strconv.ParseUint(strings.TrimSpace(y), 10, 31)
		if err != nil || err2 != nil {
			return wrong("%s is unknown; use canvas, bounds, or the pixel of level 0 where bounds "+
				"begin, such as 1024,2048", msg.Quoted(text))
		}
		s.BoundsX, s.BoundsY, text = int(left), int(top), Bounds
	}
	s.Origin = text
	return nil
}
