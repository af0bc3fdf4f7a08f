package draw

import (
	"cmp"
	"fmt"
	"image"
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/bagscope/bagscope/core"
)

// Lengths of bars in layout pixels.
const (
	defaultRow    = 20
	heatWidth     = 120 // width of the row of feature values
	narrowest     = 24  // minimum width of a class's panel
	numberWidth   = 7 * LetterWidth
	widePanel     = 2 * (numberWidth + 40) // minimum width of a panel with numbers beside its bars
	smallestLabel = 13                     // minimum row height for a line of text
)

// A barPlan is the layout of bars, in layout pixels.
type barPlan struct {
	row, gap       int // height of a row including its gap, and height of the gap
	index          int // width of the column of instance numbers, 0 if rows are too low for text
	heat           int // left edge of the feature values
	panels         int // left edge of the first panel
	panel, between int // width of a panel, and of the space after it
	top, height    int
}

// Bars draws a row for every instance: its number, its values in grey (each feature relative to its
// range over the drawn instances), and a bar for every class. The bar is to the right of zero if
// the score supports the class, to the left if it refutes it. Bags may have any shape. A nil report
// gives only the values. For large bags, rows are reduced to as little as one pixel. If the picture
// is still too large, only the instances with the largest scores of any class are drawn, and the
// header states their number.
//
// Errors: *core.BagError for an inconsistent bag, *core.SettingError and *LimitError as for Strip.
func Bars(bag *core.Bag, report *core.Report, o Options) (*Scene, error) {
	o, ls, err := prepare(bag, report, o)
	if err != nil {
		return nil, err
	}
	k := bag.Len()
	// If rows of one pixel do not fit, only the strongest instances are drawn, in rows of readable
	// height. The check uses one pixel because planBars would reduce the rows to that.
	shown, detail := upTo(k), bag.Name
	h := newHeader(report, detail, ls, o)
	if lowest, err := layBars(shown, 1, h, ls, o); err == nil &&
		checkSize(o.Width, lowest.height, o.Scale) != nil {
		shown = strongest(ls, k)
		detail = strings.TrimSpace(fill(o.words().Strongest, strconv.Itoa(len(shown)),
			strconv.Itoa(k)) + "  " + bag.Name)
		h = newHeader(report, detail, ls, o)
	}
	plan, err := planBars(shown, h, ls, o)
	if err != nil {
		return nil, err
	}
	c, err := newCanvas(o.Width, plan.height, o)
	if err != nil {
		return nil, err
	}
	c.header(o.Width, h, func(_ float64, sign int) color.RGBA { return c.full(sign) })
	c.bars(plan, bag, shown, ls, o)
	return &c.Scene, nil
}

// planBars returns the layout with the highest rows, up to o.Cell, for which the picture is not too
// large.
func planBars(shown []int, h *header, ls []layer, o Options) (barPlan, error) {
	for row := cmp.Or(o.Cell, defaultRow); ; row-- {
		p, err := layBars(shown, row, h, ls, o)
		if err != nil {
			return p, err
		}
		err = checkSize(o.Width, p.height, o.Scale)
		if err == nil || row <= 1 {
			return p, err
		}
	}
}

// layBars returns the layout for rows of the given height, whatever the size of the picture.
func layBars(shown []int, row int, h *header, ls []layer, o Options) (barPlan, error) {
	p := barPlan{row: row, gap: min(4, row/4), between: 12, top: o.topOf(ls)}
	if row-p.gap >= smallestLabel {
		p.index = textWidth(numberText(shown[len(shown)-1])) + 10
	}
	p.heat = margin + p.index
	p.panels = p.heat + min(heatWidth, o.Width/5) + 12
	if n := len(ls); n > 0 {
		p.top += h.height(o.Width) + LineHeight + 6
		room := o.Width - margin - p.panels + p.between
		p.panel = room/n - p.between
		if p.panel < narrowest {
			return p, &LimitError{"too many classes for bars side by side; select fewer classes " +
				"or increase the width (classes)", n, max(0, room/(narrowest+p.between))}
		}
	} else {
		p.panels = o.Width - margin + 12
	}
	p.height = p.top + len(shown)*row - p.gap + margin
	return p, nil
}

// bars draws the panels with the bars of the shown instances, and the values of these instances.
func (c *canvas) bars(p barPlan, bag *core.Bag, shown []int, ls []layer, o Options) {
	removed, _ := o.removal(bag.Len())
	at := o.placesOf(ls, shown) // the row of each instance shown
	last := p.top + len(shown)*p.row - p.gap
	for j, l := range ls {
		x := p.panels + j*(p.panel+p.between)
		if o.NameWidth > 0 {
			c.name(l.class, true, c.box(x, p.top-LineHeight-8, p.panel, LineHeight+4))
		} else {
			name := shorten(l.name, p.panel)
			c.text(x+(p.panel-textWidth(name))/2, p.top-LineHeight-6, name, c.ink)
		}
		c.tint(c.box(x, p.top, p.panel, last-p.top), c.neutral, .4)
	}
	values := features(bag, c, shown)
	for n, i := range shown {
		y, height := p.top+at[n]*p.row, p.row-p.gap
		c.instance(p, i, y, height, values(i), removed[i])
		for j := range ls {
			r := c.box(p.panels+j*(p.panel+p.between), y, p.panel, height)
			if !removed[i] {
				c.bar(r, &ls[j], i)
			}
			c.cell(i, ls[j].class, r)
		}
	}
	// The lines of zero come last, so that they are on top of the bars.
	for j := range ls {
		x := p.panels + j*(p.panel+p.between) + p.panel/2
		c.fill(c.box(x, p.top, 1, last-p.top), c.faint)
	}
}

// mostStrong is the largest number of instances drawn of a bag that is too large: about as many as
// a reader compares.
const mostStrong = 200

// strongest returns the instances with the scores of largest magnitude, in the bag's order, or the
// first instances without scores.
func strongest(ls []layer, k int) []int {
	order := descending(strengths(ls, upTo(k)))[:min(mostStrong, k)]
	slices.Sort(order)
	return order
}

// instance draws the number and the values of an instance.
func (c *canvas) instance(p barPlan, i, y, height int, values raster, removed bool) {
	if p.index > 0 {
		number := numberText(i)
		c.text(p.heat-10-textWidth(number), y+(height-LineHeight)/2, number, c.faint)
	}
	r := c.box(p.heat, y, p.panels-12-p.heat, height)
	c.paint(r, values)
	if removed {
		c.tint(r, c.background, .78)
		c.strike(r, c.faint)
	}
	c.cell(i, OwnCell, r)
}

// bar draws one signed bar in its row of a panel, with its number if the panel is wide enough, else
// with a sign mark at its end. A score that is not evidence has a grey bar on both sides of zero.
func (c *canvas) bar(r image.Rectangle, l *layer, i int) {
	t, sign := l.share(i), l.sign(i)
	s := c.scale
	wide := r.Dx() >= widePanel*s && r.Dy() >= smallestLabel*s
	mark := 9 * s
	room := r.Dx()/2 - mark
	if wide {
		room = r.Dx()/2 - numberWidth*s
	}
	axis := r.Min.X + r.Dx()/s/2*s // zero lies on the grid of layout pixels
	length := int(float64(max(1, room))*t + .5)
	full := image.Rect(axis+s, r.Min.Y, axis+s+length, r.Max.Y)
	beside := image.Rect(full.Max.X, r.Min.Y, full.Max.X+mark, r.Max.Y)
	switch {
	case sign < 0:
		full = image.Rect(axis-length, r.Min.Y, axis, r.Max.Y)
		beside = image.Rect(full.Min.X-mark, r.Min.Y, full.Min.X, r.Max.Y)
	case sign == 0: // the interval around zero in which chance explains the score
		full = image.Rect(axis-length, r.Min.Y, axis+s+length, r.Max.Y)
	}
	if length > 0 {
		col := c.noise
		if sign != 0 {
			col = c.full(sign)
		}
		c.fill(full, col)
	}
	if wide {
		c.number(l.difference(i), sign, full, (r.Min.Y+r.Max.Y)/2/s-LineHeight/2)
	} else {
		c.mark(beside, sign, c.full(sign))
	}
}

// number draws a difference beside the end of its bar, without its sign if it is not evidence.
func (c *canvas) number(difference float64, sign int, bar image.Rectangle, y int) {
	s := c.words.signed(difference)
	if sign == 0 && difference != 0 && !math.IsNaN(difference) {
		s = "±" + strings.TrimLeft(s, "+−")
	}
	x := bar.Max.X/c.scale + 4
	if sign < 0 {
		x = bar.Min.X/c.scale - 4 - textWidth(s)
	}
	c.text(x, y, s, c.faint)
}

// numberText returns the number of an instance, see core.Number.
func numberText(i int) string { return strconv.Itoa(core.Number(i)) }

// signed formats a score with its sign in at most six characters.
func signed(v float64) string {
	switch {
	case math.IsNaN(v):
		return "NaN"
	case math.IsInf(v, 1):
		return "+inf"
	case math.IsInf(v, -1):
		return "−inf"
	case v == 0:
		return "0"
	}
	// Three decimals suffice to compare scores of one picture; larger numbers get fewer, and
	// numbers that would round to 0.000 or need seven characters get an exponent.
	s := fmt.Sprintf("%+.3f", v)
	if m := math.Abs(v); m >= 99.95 || m < .0005 {
		s = shortExponent.Replace(fmt.Sprintf("%+.0e", v))
	} else if m >= 9.9995 {
		s = fmt.Sprintf("%+.2f", v)
	}
	if s[0] == '-' {
		s = "−" + s[1:]
	}
	return s
}

// shortExponent removes the plus and the leading zero of an exponent: 1e+06 becomes 1e6.
var shortExponent = strings.NewReplacer("e-0", "e-", "e+0", "e", "e+", "e")

// upTo returns 0 to k-1.
func upTo(k int) []int {
	out := make([]int, k)
	for i := range out {
		out[i] = i
	}
	return out
}
