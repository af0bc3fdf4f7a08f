package bagio

import (
	"cmp"
	"fmt"
	"image"

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
			"name the encoder of its patches, or state their size if the features are their "+
			"pixels", name)
	case p.Size == 0:
		return fault("patch size",
			"%s is a picture, and neither the options nor the model give the size of its patches",
			name)
	case p.Size < 0:
		return fault("patch size", "it is %d pixels, but must be at least 1", p.Size)
	case p.Stride < 0:
		return fault("patch stride", "it is %d pixels, but must be at least 1", p.Stride)
	case !(p.Background >= 0 && p.Background <= 256):
		return fault("patch background", "it is %v, but must be a brightness from 0 to 256",
			p.Background)
	case p.Channels != 1 && p.Channels != 3:
		return fault("patch channels", "the number of channels is %d, but must be 1 or 3",
			p.Channels)
	}
	return p, nil
}

// layPatches returns the numbers of columns and rows of the patches of a picture, background
// included. It returns a *core.BagError if the picture holds no patch, and a *LimitError if their
// list would be too long or, unless some are background, their values too many. It runs before the
// picture is decoded: which patches are background is known only afterwards.
func layPatches(
	name string, width, height int, p PatchOptions, l Limits,
) (across, down int, err error) {
	if p.Size > width || p.Size > height {
		return 0, 0, &core.BagError{Bag: name,
			Reason: msg.Sprintf("the picture has %d x %d pixels and holds no patch of %s",
				width, height, patchText(p))}
	}
	across, down = (width-p.Size)/p.Stride+1, (height-p.Size)/p.Stride+1
	n := int64(across) * int64(down)
	if p.Background > 0 && n > l.Instances {
		return 0, 0, &LimitError{name, fmt.Sprintf("its grid has %d patches, background included",
			n), "instances", l.Instances}
	}
	if err := l.instances(name, n); err != nil || p.Background > 0 {
		return across, down, err
	}
	_, err = l.elements(name, []int{across * down, p.Channels, p.Size, p.Size})
	return across, down, err
}

// cut returns the patches that lie wholly inside a picture and are not background, as an array of
// bytes (patch, channel, row, column), and the rectangle of each patch.
func cut(
	name string, img image.Image, p PatchOptions, l Limits,
) (*Array, []image.Rectangle, error) {
	bounds := img.Bounds()
	across, down, err := layPatches(name, bounds.Dx(), bounds.Dy(), p, l)
	if err != nil {
		return nil, nil, err
	}
	// A box takes 32 bytes, in a list that grows, and the table of brightness 8 for each pixel.
	lists := 64 * int64(across) * int64(down)
	if p.Background > 0 {
		lists += 8 * int64(bounds.Dx()+1) * int64(bounds.Dy()+1)
	}
	if err := l.reserve(name, lists); err != nil {
		return nil, nil, err
	}
	rgb := onWhite(img) // transparent parts become background
	boxes := foreground(rgb, p, across, down)
	if len(boxes) == 0 {
		return nil, nil, &core.BagError{Bag: name,
			Reason: msg.Sprintf("no patch is darker than %v on average: all %d patches of %s are "+
				"background; raise the background threshold, or set it to 0 to keep all",
				p.Background, across*down, patchText(p))}
	}
	shape := []int{len(boxes), p.Channels, p.Size, p.Size}
	n, err := l.elements(name, shape)
	if err != nil {
		return nil, nil, err
	}
	if err := l.reserve(name, int64(n)); err != nil {
		return nil, nil, err
	}
	pixels := make([]byte, 0, n)
	for _, r := range boxes {
		pixels = appendPlanes(pixels, rgb, r, p.Channels)
	}
	return &Array{Shape: shape, dtype: dtype{kind: 'u', size: 1}, data: pixels, file: name}, boxes,
		nil
}

// foreground returns the rectangles of the patches that are darker than the threshold, row by row.
func foreground(img *image.RGBA, p PatchOptions, across, down int) []image.Rectangle {
	var sums *brightness // nil if all patches are kept
	if p.Background > 0 {
		sums = sumBrightness(img)
	}
	var boxes []image.Rectangle
	values := float64(3 * p.Size * p.Size)
	for row := range down {
		for column := range across {
			x, y := column*p.Stride, row*p.Stride
			if sums != nil && float64(sums.of(x, y, p.Size))/values >= p.Background {
				continue
			}
			at := img.Rect.Min.Add(image.Pt(x, y))
			boxes = append(boxes, image.Rectangle{at, at.Add(image.Pt(p.Size, p.Size))})
		}
	}
	return boxes
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
