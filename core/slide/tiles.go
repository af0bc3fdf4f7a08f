package slide

import (
	"cmp"
	"errors"
	"fmt"
	"image"
	"image/color"
	"io"
	"io/fs"
	"math"
	"path"
	"slices"
	"strings"

	"golang.org/x/image/draw"

	"github.com/bagscope/bagscope/core/internal/tilenames"
	"github.com/bagscope/bagscope/internal/msg"
)

// Tiles are the pictures that a slide consists of, where something else has cut it.
type Tiles struct {
	Boxes  []image.Rectangle // where they lie in level 0
	Labels []int             // the labels that their names state, or nil
	Side   image.Point       // pixels of a picture, which may be smaller than its box

	names []string
	note  string // what was taken from the names
}

// Tiles returns the tiles that the slide consists of, or nil. They must not be changed.
func (s *Slide) Tiles() *Tiles { return s.tiles }

// tileEndings are those of the pictures that can be tiles.
var tileEndings = []string{".png", ".jpg", ".jpeg", ".webp"}

// IsTile reports whether the name of a file is that of a picture that can be a tile.
func IsTile(name string) bool {
	base := path.Base(name)
	return !strings.HasPrefix(base, ".") &&
		slices.Contains(tileEndings, strings.ToLower(path.Ext(base)))
}

// TilesIn returns the name of the first tile of a folder whose pictures have places in their names,
// and its size; "" for other folders. order is that of Options.TileNames.
func TilesIn(folder fs.FS, order string) (first string, size image.Point) {
	// Which number is x matters later, so that tiles are decoded only if they decide whether names
	// state places at all.
	for _, decode := range []bool{false, true} {
		t, err := findTiles(&container{}, folder, order, decode)
		if asked := (*tilenames.Question)(nil); t != nil && (err == nil || errors.As(err, &asked)) {
			return t.names[0], t.Side
		}
	}
	return "", size
}

// TilesOf is [TilesIn] for a file, which may be a zip archive of such a folder. It returns no size
// for other files.
func TilesOf(name string, r io.ReaderAt, size int64, o Options) (image.Point, bool) {
	if IsTile(name) && o.Beside != nil {
		first, side := TilesIn(o.Beside, o.TileNames)
		return side, first != ""
	}
	c := &container{name: name, r: r, size: size, memory: o.Memory}
	work := &workspace{container: c}
	defer work.end()
	folder, err := c.zippedTiles(work)
	if folder == nil || err != nil {
		return image.Point{}, false
	}
	first, side := TilesIn(folder, o.TileNames)
	return side, first != ""
}

// zippedTiles returns the only folder of a zip archive that holds pictures, or nil.
func (c *container) zippedTiles(work *workspace) (fs.FS, error) {
	files, err := c.archive(work, tileEndings...)
	if files == nil || err != nil {
		return nil, err
	}
	folder := ""
	for _, f := range files.File {
		if !IsTile(f.Name) {
			continue
		}
		if in := path.Dir(f.Name); folder == "" {
			folder = in
		} else if in != folder {
			return nil, nil
		}
	}
	if folder == "" {
		return nil, nil
	}
	return fs.Sub(files, folder)
}

// findTiles returns the tiles of a folder, nil if its pictures have no places in their names. With
// a *tilenames.Question it returns them without boxes. Without decode no edges of tiles decide.
func findTiles(c *container, folder fs.FS, order string, decode bool) (*Tiles, error) {
	entries, err := fs.ReadDir(folder, ".")
	if err != nil {
		return nil, err
	}
	t := &Tiles{}
	for _, e := range entries {
		if !e.IsDir() && IsTile(e.Name()) {
			t.names = append(t.names, e.Name())
		}
	}
	if len(t.names) < 2 {
		return nil, nil
	}
	if t.Side, err = tileSize(c, folder, t.names[0]); err != nil {
		return nil, err
	}
	edges := func(i int) (*tilenames.Edges, error) {
		work := &workspace{container: c}
		defer work.end()
		m, err := decodeTile(work, folder, t.names[i], exactly(t.Side))
		if err != nil {
			return nil, because(err, c.name, "the tile %s cannot be read", t.names[i])
		}
		return tilenames.EdgesOf(copied(m, image.Rectangle{Max: t.Side})), nil
	}
	if !decode {
		edges = nil
	}
	found, err := tilenames.Read(t.names, t.Side, order, edges)
	if found == nil {
		if asked := (*tilenames.Question)(nil); errors.As(err, &asked) {
			return t, err
		}
		return nil, err
	}
	t.Boxes, t.Labels, t.note = found.Boxes, found.Labels, found.Note
	return t, nil
}

// tileSize returns the size of a tile.
func tileSize(c *container, folder fs.FS, name string) (size image.Point, err error) {
	work := &workspace{container: c}
	defer work.end()
	_, err = decodeTile(work, folder, name, func(is image.Point) error {
		size = is
		return errSized
	})
	if errors.Is(err, errSized) {
		err = nil
	}
	return size, err
}

// errSized ends the decoding of a tile whose size is known.
var errSized = errors.New("the size is known")

// mostTile bounds the pixels of a tile.
const mostTile = 1 << 24

// decodeTile decodes the file of a tile whose size fits.
func decodeTile(
	work *workspace, folder fs.FS, name string, fits func(image.Point) error,
) (image.Image, error) {
	packed, err := tileBytes(work, folder, name, image.Pt(mostTile, 1))
	if err != nil {
		return nil, withoutPath(err)
	}
	return tilePicture(work, packed, strings.TrimPrefix(path.Ext(name), "."),
		func(size image.Point) error {
			if size.X < 1 || size.Y < 1 || size.X > mostTile/size.Y {
				return fmt.Errorf("it has %d x %d pixels; at most %d are read", size.X, size.Y,
					mostTile)
			}
			return fits(size)
		})
}

// anySize fits every tile.
func anySize(image.Point) error { return nil }

// openZippedTiles opens a zip archive of tiles, or returns nil for other files.
func openZippedTiles(name string, r io.ReaderAt, size int64, o Options) (*Slide, error) {
	c := &container{name: name, r: r, size: size, memory: o.Memory}
	// The directory stays in memory as long as the slide.
	folder, err := c.zippedTiles(&workspace{container: c})
	if folder == nil || err != nil {
		return nil, err
	}
	return openTiles(name, folder, o)
}

// mostTileBlocks bounds the blocks of a slide of tiles, most of which can be empty.
const mostTileBlocks = 1 << 22

// openTiles opens a folder of tiles as a slide: JPEG, PNG or WebP pictures whose names state their
// places, as package tilenames reads them. Between tiles it is white. Tiles that were made smaller
// have a level of their own pixels. It returns a *[FormatError] for a folder of other pictures, and
// a *[QuestionError] if nothing says which number of a name is x.
func openTiles(name string, folder fs.FS, o Options) (*Slide, error) {
	c := &container{name: name, memory: o.Memory, most: cmp.Or(o.Pixels, mostPixels)}
	t, err := findTiles(c, folder, o.TileNames, true)
	if asked := (*tilenames.Question)(nil); errors.As(err, &asked) {
		return nil, questionOf(name, asked)
	}
	if err != nil {
		return nil, err
	}
	if t == nil && o.TileNames == tilenames.None {
		return nil, &OptionError{"tile names", "none says that names are no places, and without " +
			"places pictures are no slide; omit it, or state xy or yx"}
	}
	if t == nil {
		return nil, bad(name, "the names of the pictures beside it state no places, so that they "+
			"are no tiles of a slide")
	}
	s := &Slide{name: name, Format: "tiles", most: c.most, blocks: newPixelCache(c.memory),
		tiles: t}
	var whole, largest image.Point
	for _, b := range t.Boxes {
		whole = image.Pt(max(whole.X, b.Max.X), max(whole.Y, b.Max.Y))
		largest = image.Pt(max(largest.X, b.Dx()), max(largest.Y, b.Dy()))
	}
	if max(whole.X, whole.Y) > math.MaxInt32 ||
		(whole.X/largest.X+1) > mostTileBlocks/(whole.Y/largest.Y+1) {
		return nil, bad(name, "its tiles lie up to %d x %d pixels apart, too far for a slide of "+
			"their size", whole.X, whole.Y)
	}
	if int64(largest.X) > c.most/int64(largest.Y) {
		return nil, tooLarge(name, "a tile", int64(largest.X), int64(largest.Y), c.most)
	}
	smaller := max(1, float64(largest.X)/float64(t.Side.X))
	for _, scale := range slices.Compact([]float64{1, smaller}) {
		if err := s.addLayout(newTileLevel(c, t, folder, whole, largest, scale)); err != nil {
			return nil, err
		}
	}
	return s, s.order()
}

// A QuestionError asks which number in the names of tiles is x, where nothing says it. It wraps an
// [OptionError].
type QuestionError struct {
	*OptionError
	File    string
	Seen    string      // why it asks
	Answers [][2]string // values of Options.TileNames, each with what is the case if it is right
}

// Unwrap returns the error of the option.
func (e *QuestionError) Unwrap() error { return e.OptionError }

func questionOf(name string, q *tilenames.Question) *QuestionError {
	answers := tilenames.Orders
	var ways []string
	for _, a := range answers {
		ways = append(ways, a[0]+" if "+a[1])
	}
	return &QuestionError{&OptionError{"tile names", msg.Sprintf("%v; state %s", q,
		msg.Text(strings.Join(ways, ", or ")))}, name, q.Error(), answers}
}

// A tileLevel is a level of a slide of tiles: level 0, or one that is some times smaller.
type tileLevel struct {
	*layout
	*Tiles
	folder fs.FS
	scale  float64
	in     map[image.Point][]int32 // tiles of each block, by column and row
}

func newTileLevel(
	c *container, t *Tiles, folder fs.FS, whole, largest image.Point, scale float64,
) *layout {
	shrunk := func(v int) int { return max(1, int(math.Round(float64(v)/scale))) }
	l := &tileLevel{Tiles: t, folder: folder, scale: scale, in: map[image.Point][]int32{},
		layout: &layout{directory: &directory{container: c}, what: "the slide of tiles",
			width: shrunk(whole.X), height: shrunk(whole.Y), tiled: true, photometric: isRGB,
			block: image.Pt(shrunk(largest.X), shrunk(largest.Y))}}
	for i := range t.Boxes {
		b := l.boxOf(i)
		for row := b.Min.Y / l.block.Y; row*l.block.Y < b.Max.Y; row++ {
			for column := b.Min.X / l.block.X; column*l.block.X < b.Max.X; column++ {
				at := image.Pt(column, row)
				l.in[at] = append(l.in[at], int32(i))
			}
		}
	}
	l.tile = l.decode
	return l.layout
}

// boxOf returns where a tile lies in the level.
func (l *tileLevel) boxOf(i int) image.Rectangle {
	part := func(v int) int { return int(math.Round(float64(v) / l.scale)) }
	b := l.Boxes[i]
	return image.Rect(part(b.Min.X), part(b.Min.Y), part(b.Max.X), part(b.Max.Y))
}

// decode draws the tiles of a block, later ones over earlier ones. It returns nil for a block
// without any.
func (l *tileLevel) decode(column, row int) (*image.RGBA, error) {
	list := l.in[image.Pt(column, row)]
	if len(list) == 0 {
		return nil, nil
	}
	work := &workspace{container: l.container}
	defer work.end()
	where := l.rect(column, row)
	if err := work.take(4 * int64(where.Dx()) * int64(where.Dy())); err != nil {
		return nil, err
	}
	out := image.NewRGBA(image.Rectangle{Max: where.Size()})
	draw.Draw(out, out.Rect, image.NewUniform(color.White), image.Point{}, draw.Src)
	for _, i := range list {
		if err := l.drawTile(out, int(i), where.Min); err != nil {
			return nil, because(err, l.name, "the tile %s cannot be read", l.names[i])
		}
	}
	return out, nil
}

// drawTile draws a tile into a block whose corner lies at a place.
func (l *tileLevel) drawTile(out *image.RGBA, i int, corner image.Point) error {
	work := &workspace{container: l.container}
	defer work.end()
	m, err := decodeTile(work, l.folder, l.names[i], anySize)
	if err != nil {
		return err
	}
	to := l.boxOf(i).Sub(corner)
	if to.Size() == m.Bounds().Size() {
		draw.Draw(out, to, m, m.Bounds().Min, draw.Over)
	} else {
		draw.BiLinear.Scale(out, to, m, m.Bounds(), draw.Over, nil)
	}
	return nil
}
