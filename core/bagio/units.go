package bagio

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/msg"
)

// A unit is the length that coordinates count.
type unit struct {
	length  float64 // above 0, in pixels of level 0 or in micrometres
	microns bool    // length is in micrometres
}

// pixel is the unit of pixels of level 0.
var pixel = unit{length: 1}

// String returns the unit in the words of [Options].CoordsUnit.
func (u unit) String() string {
	number := strconv.FormatFloat(u.length, 'g', 6, 64)
	switch {
	case u == pixel:
		return "px"
	case u.microns && u.length == 1:
		return core.Microns
	case u.microns:
		return number + core.Microns
	}
	return number
}

// Words for units, in lower case. A number may stand before those of micrometres.
var (
	pixelWords   = []string{"px", "pixels", "pixel", "level0", "level 0"}
	micronsWords = []string{core.Microns, "µm", "μm", "microns", "micron", "micrometers",
		"micrometer", "micrometres", "micrometre"}
)

// parseUnit reads a unit: px, um, how many pixels of level 0 the unit is, such as 4, or how many
// micrometres, such as 0.5um. ok is false for another text.
func parseUnit(text string) (u unit, ok bool) {
	text = strings.ToLower(strings.TrimSpace(text))
	for _, word := range pixelWords {
		if text == word {
			return pixel, true
		}
	}
	for _, word := range micronsWords {
		if rest, found := strings.CutSuffix(text, word); found {
			text, u.microns = strings.TrimSpace(rest), true
			break
		}
	}
	if u.microns {
		text = cmp.Or(text, "1")
	}
	length, err := strconv.ParseFloat(text, 64)
	u.length = length
	return u, err == nil && length > 0 && length-length == 0
}

// unitOfName returns the unit that the end of a name states, such as coords_um, x_px or "X (µm)",
// and the name without it.
func unitOfName(name string) (u unit, rest string, ok bool) {
	name = strings.TrimRight(strings.ToLower(name), ")]")
	at := strings.LastIndexAny(name, " _([-.") + 1
	if at == 0 {
		return unit{}, name, false
	}
	if u, ok = parseUnit(name[at:]); !ok || name[at] >= '0' && name[at] <= '9' {
		return unit{}, name, false // a number is that of a column
	}
	return u, strings.TrimRight(name[:at], " _([-."), true
}

// A placing is what the caller states of coordinates, with zero values for what is not.
type placing struct {
	unit     unit
	mpp      float64 // micrometres of a pixel of level 0
	usualMPP float64 // mpp if the file states none
	side     int     // side of a patch, in pixels of level 0
	dtype    string  // Options.DType
	origin   string  // Options.Origin
}

// noOrigin is why no origin can be stated.
const noOrigin = "its instances have no places on a slide, which origin is about; omit it"

// on returns what is known of the slide of a bag with places, whose origin the caller may state.
func (p placing) on(bag string, s *core.Slide) (*core.Slide, error) {
	if p.origin == "" {
		return s, nil
	}
	if s == nil {
		return nil, &core.BagError{Bag: bag, Reason: noOrigin}
	}
	out := *s
	return &out, out.StateOrigin(p.origin)
}

// placing returns what the options state of coordinates. It returns a *core.SettingError for a
// value that cannot hold.
func (o Options) placing() (p placing, err error) {
	p = placing{mpp: o.SlideMPP, usualMPP: o.UsualMPP, side: o.PatchSide,
		dtype: o.DType}
	if !(o.SlideMPP >= 0 && o.SlideMPP-o.SlideMPP == 0) {
		return p, &core.SettingError{Setting: "slide mpp", Reason: msg.Sprintf("it is %v "+
			"micrometres, but must not be negative; 0 is what the file states", o.SlideMPP)}
	}
	if o.PatchSide < 0 {
		return p, &core.SettingError{Setting: "patch size", Reason: msg.Sprintf("it is %d "+
			"pixels, but must be at least 1", o.PatchSide)}
	}
	if o.CoordsUnit == "" {
		return p, nil
	}
	u, ok := parseUnit(o.CoordsUnit)
	if !ok {
		return p, &core.SettingError{Setting: "coords unit", Reason: msg.Sprintf("%q is not a "+
			"unit; use px, um, the pixels of level 0 that a unit is, such as 4, or its "+
			"micrometres, such as 0.5um", o.CoordsUnit)}
	}
	p.unit = u
	return p, nil
}
