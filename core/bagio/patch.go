package bagio

import (
	"cmp"
	"errors"
	"fmt"
	"image"
	"sort"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/msg"
)

// PatchOptions are the settings that cut a picture into square patches, each an instance.
type PatchOptions struct {
	Size   int // side of a patch in pixels; default the side in Options.InstanceShape
	Stride int // distance from one patch to the next in pixels; default Size
	// keep patches with a mean over pixels and colours, 0..255, below this; 0 keeps all
	Background float64
	// 3 for red, green, blue, or 1 for luma; default that of Options.InstanceShape, else 3
	Channels int
}

// brightest is the largest Background: it keeps all patches, white ones too, but measures them.
const brightest = 256

// resolve fills in the defaults from the shape of an instance of the model, and checks the
// settings. It returns a *core.SettingError for an invalid setting. name is the picture's name for
// messages.
func (p PatchOptions) resolve(name string, shape []int) (PatchOptions, error) {
	channels, err := channelsOf(name, shape)
	if err != nil {
		return p, err
	}
	if n := len(shape); p.Size == 0 && (n == 2 || n == 3) && shape[n-1] == shape[n-2] {
		p.Size = max(0, shape[n-1])
	}
	p.Stride = cmp.Or(p.Stride, p.Size)
	p.Channels = cmp.Or(p.Channels, channels, 3)
	fault := func(setting, format string, args ...any) (PatchOptions, error) {
		return p, &core.SettingError{Setting: setting, Reason: msg.Sprintf(format, args...)}
	}
	switch {
	case p.Size == 0 && len(shape) == 1:
		return fault("patch size", "%s is a picture, but the model takes features; "+
			"name the encoder of its patches as via, or state their size if the features are "+
			"their pixels", name)
	case p.Size == 0:
		return fault("patch size",
			"%s is a picture, and neither the options nor the model give the size of its patches",
			name)
	case p.Size < 0:
		return fault("patch size", "it is %d pixels, but must be at least 1", p.Size)
	case p.Stride < 0:
		return fault("patch stride", "it is %d pixels, but must be at least 1", p.Stride)
	case !(p.Background >= 0 && p.Background <= brightest):
		return fault("patch background", "it is %v, but must be a brightness from 0 to 256",
			p.Background)
	case p.Channels != 1 && p.Channels != 3:
		return fault("patch channels", "the number of channels is %d, but must be 1 or 3",
			p.Channels)
	}
	return p, nil
}

// lay returns the grid of the patches of a picture, background included. It returns a
// *core.BagError if the picture holds no patch, and a *StrideError if their list would be too long
// or, unless some are background, their values too many. It runs before the picture is decoded:
// which patches are background is known only afterwards.
func lay(name string, width, height int, p PatchOptions, l Limits) (*Cut, error) {
	if p.Size > width || p.Size > height {
		return nil, &core.BagError{Bag: name,
			Reason: msg.Sprintf("the picture has %d x %d pixels and holds no patch of %s",
				width, height, patchText(p))}
	}
	c := &Cut{PatchOptions: p, Width: width, Height: height}
	c.Across, c.Down = c.across(p.Stride), c.down(p.Stride)
	n := c.count(p.Stride)
	if p.Background > 0 {
		if n > l.Instances {
			return nil, &StrideError{&LimitError{name, fmt.Sprintf(
				"its grid has %d patches, background included", n), "instances", l.Instances},
				c.wider(l)}
		}
		return c, nil
	}
	return c, c.check(name, int(n), l)
}

// across and down return the patches in a row and in a column of the grid of a stride, count those
// of the whole grid.
func (c *Cut) across(stride int) int  { return (c.Width-c.Size)/stride + 1 }
func (c *Cut) down(stride int) int    { return (c.Height-c.Size)/stride + 1 }
func (c *Cut) count(stride int) int64 { return int64(c.across(stride)) * int64(c.down(stride)) }

// check returns a *StrideError if so many patches are too many for a bag.
func (c *Cut) check(name string, n int, l Limits) error {
	err := l.instances(name, int64(n))
	if err == nil {
		_, err = l.elements(name, []int{n, c.Channels, c.Size, c.Size})
	}
	if limit := (*LimitError)(nil); errors.As(err, &limit) {
		return &StrideError{limit, c.wider(l)}
	}
	return err
}

// wider returns larger strides, each with so few patches that a bag holds them: the smallest one,
// and twice and four times as much. It returns nil if a single patch is too large.
func (c *Cut) wider(l Limits) []Stride {
	fits := func(stride int) bool {
		n := c.count(stride)
		return n <= l.Instances && n <= l.Elements/int64(c.Channels)/int64(c.Size)/int64(c.Size)
	}
	most := max(c.Width, c.Height)
	least := c.Stride + sort.Search(max(0, most-c.Stride), func(i int) bool {
		return fits(c.Stride + i)
	})
	if !fits(least) {
		return nil
	}
	var out []Stride
	for _, stride := range []int{least, 2 * least, 4 * least} {
		out = append(out, Stride{stride, int(c.count(stride))})
	}
	return out
}

// A brightness is the summed-area table of a picture's red + green + blue (Crow 1984). It returns
// the sum over a patch of any size from four entries, so that patches with a small stride, which
// overlap, take no longer than others.
type brightness struct {
	width int
	sums  []uint64 // (height+1, width+1): the sum over all pixels above and to the left
}

// sumBrightness returns the table of a picture in one pass over its pixels.
func sumBrightness(img *image.RGBA) *brightness {
	b := &brightness{width: img.Rect.Dx() + 1}
	b.sums = make([]uint64, b.width*(img.Rect.Dy()+1))
	for y := range img.Rect.Dy() {
		var row uint64
		for x := range img.Rect.Dx() {
			p := img.Pix[y*img.Stride+4*x:]
			row += uint64(p[0]) + uint64(p[1]) + uint64(p[2])
			b.sums[(y+1)*b.width+x+1] = b.sums[y*b.width+x+1] + row
		}
	}
	return b
}

// of returns the sum over the square patch with its top left corner at x, y.
func (b *brightness) of(x, y, size int) uint64 {
	top, bottom := b.sums[y*b.width+x:], b.sums[(y+size)*b.width+x:]
	return bottom[size] - bottom[0] - top[size] + top[0]
}
