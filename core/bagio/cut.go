package bagio

import (
	"image"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/msg"
)

// A Cut is how a picture was cut into patches, or can be.
type Cut struct {
	PatchOptions
	Width, Height int // of the picture
	Across, Down  int // patches in a row and in a column of the grid, background included
	// Means holds the mean brightness 0..255 of each patch of the grid, row by row; nil if it was
	// not measured. Those below Background are kept.
	Means []float64
}

// Most pixels of a part of a picture, and of its rows, that are read at once.
const (
	mostPart  = 1 << 22
	mostAlong = 1 << 14
)

// A part is a rectangle of a grid's patches.
type part struct{ column, row, columns, rows int }

// parts returns the parts of a grid that are read one after another. Patches with a gap between
// them are read row by row, so that gaps are not.
func (c *Cut) parts() []part {
	fit := func(pixels int) int { return max(1, (pixels-c.Size)/c.Stride+1) }
	columns := min(c.Across, fit(mostAlong))
	rows := 1
	if c.Stride <= c.Size {
		rows = fit(mostPart / min(c.Width, max(c.Size, mostAlong)))
	}
	var out []part
	for row := 0; row < c.Down; row += rows {
		for column := 0; column < c.Across; column += columns {
			out = append(out, part{column, row, min(columns, c.Across-column),
				min(rows, c.Down-row)})
		}
	}
	return out
}

// partBytes returns the most bytes that a part takes: its pixels and the table of brightness.
func (c *Cut) partBytes() int64 {
	p := c.parts()[0]
	wide, high := (p.columns-1)*c.Stride+c.Size+1, (p.rows-1)*c.Stride+c.Size+1
	each := int64(4 + 4) // and the rest of its rows, or a copy on white
	if c.Background > 0 {
		each += 8
	}
	return each * int64(wide) * int64(high)
}

// box returns the rectangle of the patch in a column and row of the grid over a picture with its
// upper left corner at min.
func (c *Cut) box(min image.Point, column, row int) image.Rectangle {
	at := min.Add(image.Pt(column*c.Stride, row*c.Stride))
	return image.Rectangle{at, at.Add(image.Pt(c.Size, c.Size))}
}

// measure sets Means. step is called before each part, see Options.Step.
func (c *Cut) measure(r raster, step func(done, total int) error) error {
	c.Means = make([]float64, c.Across*c.Down)
	values := float64(3 * c.Size * c.Size)
	parts := c.parts()
	for i, p := range parts {
		if err := step(i, len(parts)); err != nil {
			return err
		}
		first := c.box(r.bounds.Min, p.column, p.row)
		img, err := r.read(first.Union(c.box(r.bounds.Min, p.column+p.columns-1, p.row+p.rows-1)))
		if err != nil {
			return err
		}
		sums := sumBrightness(img)
		for y := range p.rows {
			for x := range p.columns {
				sum := sums.of(x*c.Stride, y*c.Stride, c.Size)
				c.Means[(p.row+y)*c.Across+p.column+x] = float64(sum) / values
			}
		}
	}
	return nil
}

// kept returns the numbers of the patches that are darker than the threshold, in ascending order.
func (c *Cut) kept() []int {
	var out []int
	for i := range c.Across * c.Down {
		if c.Background > 0 && c.Means[i] >= c.Background {
			continue
		}
		out = append(out, i)
	}
	return out
}

// patches returns the pixels of the kept patches (patch, channel, row, column) and the rectangle of
// each. step is called before each part, see Options.Step.
func (c *Cut) patches(
	r raster, kept []int, each int, step func(done, total int) error,
) ([]byte, []image.Rectangle, error) {
	pixels, boxes := make([]byte, len(kept)*each), make([]image.Rectangle, len(kept))
	for i, n := range kept {
		boxes[i] = c.box(r.bounds.Min, n%c.Across, n/c.Across)
	}
	parts := c.parts()
	for i, p := range parts {
		if err := step(i, len(parts)); err != nil {
			return nil, nil, err
		}
		var inside []int
		var area image.Rectangle
		for row := p.row; row < p.row+p.rows; row++ {
			k, _ := slices.BinarySearch(kept, row*c.Across+p.column)
			for ; k < len(kept) && kept[k] < row*c.Across+p.column+p.columns; k++ {
				inside = append(inside, k)
				area = area.Union(boxes[k])
			}
		}
		if len(inside) == 0 {
			continue
		}
		img, err := r.read(area)
		if err != nil {
			return nil, nil, err
		}
		for _, k := range inside {
			appendPlanes(pixels[k*each:][:0], img, boxes[k], c.Channels)
		}
	}
	return pixels, boxes, nil
}

// step returns Step for one of several passes over the parts of a picture.
func (o *Options) step(pass, passes int) func(done, total int) error {
	return func(done, total int) error {
		if o.Step == nil {
			return nil
		}
		return o.Step(pass*total+done, passes*total)
	}
}

// cut returns the patches that lie wholly inside a picture and are not background, as an array of
// bytes (patch, channel, row, column), and the rectangle of each patch. o.Patch must be resolved.
func cut(name string, r raster, o Options) (*Array, []image.Rectangle, *Cut, error) {
	c, err := lay(name, r.bounds.Dx(), r.bounds.Dy(), o.Patch, o.Limits)
	if err != nil {
		return nil, nil, nil, err
	}
	l := o.Limits
	// A box takes 32 bytes, its number 8 in a list that grows, its brightness 8.
	if err := l.reserve(name, 64*int64(c.Across)*int64(c.Down)); err != nil {
		return nil, nil, nil, err
	}
	if err := l.reserve(name, c.partBytes()); err != nil {
		return nil, nil, nil, err
	}
	defer l.Memory.Release(c.partBytes())
	pass, passes := 0, 1
	if c.Background > 0 {
		pass, passes = 1, 2
		if err := c.measure(r, o.step(0, passes)); err != nil {
			return nil, nil, nil, err
		}
	}
	kept := c.kept()
	if len(kept) == 0 {
		return nil, nil, nil, &core.BagError{Bag: name,
			Reason: msg.Sprintf("no patch is darker than %v on average: all %d patches of %s are "+
				"background; raise the background threshold, or set it to 0 to keep all",
				c.Background, c.Across*c.Down, patchText(c.PatchOptions))}
	}
	if err := c.check(name, len(kept), l); err != nil {
		return nil, nil, nil, err
	}
	each := c.Channels * c.Size * c.Size
	if r.values != nil {
		if err := l.reserve(name, 4*int64(len(kept))*int64(each)); err != nil {
			return nil, nil, nil, err
		}
		boxes := make([]image.Rectangle, len(kept))
		for i, n := range kept {
			boxes[i] = c.box(r.bounds.Min, n%c.Across, n/c.Across)
		}
		return r.values.patches(name, boxes, c), boxes, c, nil
	}
	if err := l.reserve(name, int64(len(kept))*int64(each)); err != nil {
		return nil, nil, nil, err
	}
	pixels, boxes, err := c.patches(r, kept, each, o.step(pass, passes))
	if err != nil {
		return nil, nil, nil, err
	}
	return &Array{Shape: []int{len(kept), c.Channels, c.Size, c.Size},
		dtype: dtype{kind: 'u', size: 1}, data: pixels, file: name}, boxes, c, nil
}
