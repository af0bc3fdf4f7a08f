package slide

import (
	"errors"
	"image"
	"slices"
	"strconv"
	"strings"

	"github.com/valyala/fastjson"

	"github.com/bagscope/bagscope/core/internal/zarr"
	"github.com/bagscope/bagscope/internal/msg"
)

// A zarrLevel reads the blocks of a level, which are chunks of its array, or several chunks if each
// channel has its own.
type zarrLevel struct {
	*layout
	picture *omePicture
	array   *zarr.Array
}

// decode reads a block.
func (l *zarrLevel) decode(column, row int) (*image.RGBA, error) {
	work := &workspace{container: l.container}
	defer work.end()
	if err := work.take(4 * int64(l.block.X) * int64(l.block.Y)); err != nil {
		return nil, err
	}
	p, unit := l.picture, l.array.Unit()
	at, steps := make([]int, len(unit)), make([]int, len(unit))
	for axis, n := len(unit)-1, 1; axis >= 0; axis-- {
		steps[axis] = n
		n *= unit[axis]
	}
	at[p.y], at[p.x] = row, column
	out := image.NewRGBA(image.Rectangle{Max: l.block})
	var chunk []byte
	for s := range l.samples {
		from := 0
		if p.c >= 0 {
			at[p.c], from = s/unit[p.c], s%unit[p.c]*steps[p.c]
		}
		if from == 0 {
			var err error
			if chunk, err = l.array.Chunk(at, work.take); err != nil {
				return nil, p.error(err)
			}
		}
		for y := range l.block.Y {
			to := out.Pix[out.PixOffset(0, y):][:4*l.block.X]
			for x, i := 0, from+y*steps[p.y]; x < len(to); x, i = x+4, i+steps[p.x] {
				to[x+s] = chunk[i]
				if l.samples == 1 {
					to[x+1], to[x+2] = chunk[i], chunk[i]
				}
				to[x+3] = 255
			}
		}
	}
	return out, nil
}

// colourNotes says which channels are read as red, green and blue if the store states that they
// are shown in other colours.
func (p *omePicture) colourNotes(ome *fastjson.Value) []string {
	channels := ome.GetArray("omero", "channels")
	if len(channels) != 3 {
		return nil
	}
	var colours, labels []string
	for _, c := range channels {
		colours = append(colours, strings.ToUpper(string(c.GetStringBytes("color"))))
		labels = append(labels, msg.Sprintf("%q", string(c.GetStringBytes("label"))))
	}
	if slices.Contains(colours, "") || slices.Equal(colours, []string{"FF0000", "00FF00",
		"0000FF"}) {
		return nil
	}
	return []string{msg.Sprintf("%s states other colours than red, green and blue for its "+
		"channels %s; they are read as red, green and blue.", p.name,
		strings.Join(labels, ", "))}
}

// supported returns an *UnsupportedError for an array that is not read: of several planes, of
// channels that are no colours, of other numbers than whole ones of 8 bits, or in a codec that
// package zarr does not read.
func (p *omePicture) supported(a *zarr.Array, at string) error {
	planes, channels := "", p.channels(a.Shape)
	for i, n := range a.Shape {
		if i != p.c && i != p.y && i != p.x && n != 1 {
			planes = msg.Sprintf("%d entries of the axis %s", n, p.axes[i])
		}
	}
	what := ""
	var codec *zarr.UnsupportedError
	switch {
	case errors.As(a.Supported(), &codec):
		what = codec.What
	case planes != "":
		what = planes
	case channels != 1 && channels != 3:
		what = msg.Sprintf("%d channels", channels)
	case a.Kind != 'u' || a.Size != 1:
		what = "numbers other than whole ones of 8 bits"
	default:
		return nil
	}
	return &UnsupportedError{p.name, "OME-Zarr pictures", what, p.asTIFF(a, at)}
}

// asTIFF returns the way to write a level as a slide: of several planes the middle one, of channels
// the first three as red, green and blue, or the first one.
func (p *omePicture) asTIFF(a *zarr.Array, at string) string {
	index := make([]string, len(a.Shape))
	colours, turn := "minisblack", "a"
	for i, n := range a.Shape {
		switch {
		case i == p.y || i == p.x:
			index[i] = ":"
		case i == p.c && n >= 3:
			index[i], colours, turn = ":3", "rgb", "n.moveaxis(a, 0, -1)"
		default:
			index[i] = strconv.Itoa(n / 2)
			if i == p.c {
				index[i] = "0"
			}
		}
	}
	scale := ""
	if a.Kind != 'u' || a.Size != 1 {
		scale = "a=(a * (255 / a.max())).astype('u1'); "
	}
	return msg.Sprintf("zarr and tifffile write the picture as a slide: python3 -c \"import zarr, "+
		"numpy as n, tifffile; a=zarr.open('FILE', mode='r')['%s'][%s]; %s"+
		"tifffile.imwrite('slide.tif', %s, photometric='%s', tile=(256, 256))\"", plainPath(at),
		msg.Text(strings.Join(index, ", ")), msg.Text(scale), msg.Text(turn), colours)
}

// plainPath returns a path of a store for a command, or LEVEL for one with letters that a shell or
// Python could read as more than a path.
func plainPath(at string) string {
	if strings.ContainsFunc(at, func(r rune) bool {
		return !strings.ContainsRune("_-./", r) && (r < '0' || r > '9') && (r < 'a' || r > 'z') &&
			(r < 'A' || r > 'Z')
	}) {
		return "LEVEL"
	}
	return at
}
