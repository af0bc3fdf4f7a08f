package draw

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/kind"
	"github.com/bagscope/bagscope/internal/msg"
)

// Options are the settings of a picture. The zero value works. Lengths are in layout pixels; the
// side of a layout pixel is Scale pixels of the picture.
type Options struct {
	Width int // maximum width of the picture, 0 means 880; an overlay is scaled to it
	// side of a thumbnail, height of a bar's row or mean side of a map's patches, 0 means a
	// default; smaller for large bags
	Cell int
	// strip: thumbnails are larger than Cell, up to twice, while the picture is no higher than
	// this; 0 leaves them
	Height int
	// pixels along each side of a layout pixel, for dense screens: 1 (or 0) to 4
	Scale   int
	Dark    bool   // light on dark
	Colours string // colours for and against a class, one of Palettes; "" means the first
	Method  string // the method to draw, "" means the report's first method
	// classes to draw, nil for all explained ones, the predicted one first; an overlay and a map
	// show the first
	Classes    []int
	ClassNames []string // names by class index; a missing name is "class 3"
	Letters    Letters  // for names in letters that the font of pictures lacks; nil for none
	Words      *Words   // the words of title and legend, nil for English
	// strip, bars: the width of names beside rows, for a page that writes names and legend
	// itself: the picture has neither, and Scene.Names says where names go; 0 draws both
	NameWidth int
	// each class has its own scale of intensity, instead of one for all explained classes
	PerClass bool
	// the difference from the neutral point that has the strongest colour, in the unit of the
	// scores, so that pictures of several bags can be compared; 0 means that of Scales. Larger ones
	// have the same colour, and the legend states their number. It needs classes of one unit.
	Strongest float64
	// what Strongest is from, a phrase for the legend such as "as in the cohort"; "" means "as
	// stated"
	StrongestFrom string
	Removed       []int // removed instances: drawn faint and crossed out, without scores
	// overlay, map: keep only the n highest-scoring patches bright; 0 colours all patches
	Top int
	// if Top is set, the patch of rank i, from 1, has brightness 1/log2(i+1), its weight in NDCG
	Discount bool
	Opacity  float64 // overlay: opacity of the strongest tint, 0 means 0.7
	// strip, bars: the strongest instances first, instead of by index: evidence before scores that
	// are not evidence, then by the largest difference of any drawn class relative to its scale
	Sorted bool
	// strip, bars: all instances in the order in which they are drawn, instead of Sorted, so that a
	// picture keeps its order when scores change
	Order []int
}

// Defaults and bounds of Options.
const (
	defaultWidth = 880
	maxScale     = 4
	// DefaultOpacity is the opacity of the strongest tint of an overlay.
	DefaultOpacity = .7
)

// checked returns the options with defaults filled in, or a *core.SettingError. k is the number of
// instances of the bag.
func (o Options) checked(k int) (Options, error) {
	bad := func(setting, format string, args ...any) (Options, error) {
		return o, &core.SettingError{Setting: setting, Reason: msg.Sprintf(format, args...)}
	}
	if err := CheckColours(o.Colours); err != nil {
		return o, err
	}
	o.Width = cmp.Or(o.Width, defaultWidth)
	o.Scale = cmp.Or(o.Scale, 1)
	o.Opacity = cmp.Or(o.Opacity, DefaultOpacity)
	switch {
	case o.Width < minWidth || o.Width > maxSide:
		return bad("width", "%d pixels is out of range; use %d to %d", o.Width, minWidth, maxSide)
	case o.Scale < 1 || o.Scale > maxScale:
		return bad("scale", "%d is not between 1 and %d", o.Scale, maxScale)
	case o.Cell < 0 || o.Cell > o.Width:
		return bad("cell", "a cell of %d pixels does not fit a picture %d wide", o.Cell, o.Width)
	case o.Height < 0:
		return bad("height", "%d pixels is below 0; give the height that is to be filled, or 0",
			o.Height)
	case o.NameWidth < 0 || o.NameWidth > o.Width:
		return bad("nameWidth", "names %d pixels wide do not fit a picture %d wide", o.NameWidth,
			o.Width)
	case !(o.Opacity > 0 && o.Opacity <= 1):
		return bad("opacity", "%v is out of range; it must be above 0 and at most 1", o.Opacity)
	case !(o.Strongest >= 0) || math.IsInf(o.Strongest, 0):
		return bad("strongest", "%v is not a size of scores; give a number above 0, or 0 for the "+
			"size of the decision", o.Strongest)
	case o.Strongest > 0 && o.PerClass:
		return bad("strongest", "each class cannot have a scale of its own beside a stated one; "+
			"omit one of them")
	case o.Top < 0:
		return bad("top", "%d instances cannot be shown; give 0 or more", o.Top)
	}
	if sorted := slices.Sorted(slices.Values(o.Order)); o.Order != nil &&
		!slices.Equal(sorted, upTo(k)) {
		return bad("order", "it must have each of the %d instances of the bag once", k)
	}
	for _, i := range o.Removed {
		if i < 0 || i >= k {
			return bad("removed", "the bag has no instance %d, only 0 to %d", i, k-1)
		}
	}
	return o, nil
}

// CheckColours returns a *core.SettingError if Options.Colours cannot have a value.
func CheckColours(name string) error {
	if name == "" || slices.Contains(Palettes, name) {
		return nil
	}
	return &core.SettingError{Setting: "colours",
		Reason: msg.Sprintf("%q is not one of %s", name, strings.Join(Palettes, ", "))}
}

// removal returns, for each of k instances, whether it is removed, and the number of the others.
// Removed may list an instance twice.
func (o Options) removal(k int) (removed []bool, left int) {
	removed, left = make([]bool, k), k
	for _, i := range o.Removed {
		if !removed[i] {
			removed[i] = true
			left--
		}
	}
	return removed, left
}

// className returns the name of a class in visible characters, or "class 3" for a class without a
// name.
func (o Options) className(class int) string {
	if class >= 0 && class < len(o.ClassNames) && o.ClassNames[class] != "" {
		return msg.Line(o.ClassNames[class])
	}
	return fmt.Sprintf("class %d", class)
}

// prepare returns the options with defaults filled in and the layers of a report. Errors are a
// *core.BagError for an inconsistent bag or a report of another bag, and a *core.SettingError for
// an invalid option or a class or method that is not in the report.
func prepare(bag *core.Bag, report *core.Report, o Options) (Options, []layer, error) {
	if err := bag.Validate(); err != nil {
		return o, nil, err
	}
	o, err := o.checked(bag.Len())
	if err != nil {
		return o, nil, err
	}
	ls, err := newLayers(report, bag.Len(), o)
	return o, ls, err
}

// A LimitError reports that a picture would be too large.
type LimitError struct {
	What             string // the quantity that is too large, with advice
	Requested, Limit int
}

// Error returns the quantity, its value and its limit.
func (e *LimitError) Error() string {
	return msg.Sprintf("%s: %d requested, at most %d possible", e.What, e.Requested, e.Limit)
}

// Kind returns "limit".
func (e *LimitError) Kind() string { return kind.Limit }
