package slide

import (
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"image"
	"io"
	"io/fs"
	"math/bits"
	"path"
	"strconv"
	"strings"
)

// IsDZI reports whether a file is the description of a Deep Zoom picture, by its name.
func IsDZI(name string) bool { return strings.EqualFold(path.Ext(name), ".dzi") }

// DZIFolder returns the path of the folder of tiles of a Deep Zoom picture, which lies beside its
// description.
func DZIFolder(description string) string {
	return strings.TrimSuffix(description, path.Ext(description)) + "_files"
}

// mostDescription bounds the bytes of the description of a Deep Zoom picture, which has some
// hundred.
const mostDescription = 1 << 16

// A dzi is the description of a Deep Zoom picture (Microsoft's schema of 2008 or 2009).
type dzi struct {
	XMLName  xml.Name `xml:"Image"`
	TileSize int      `xml:"TileSize,attr"`
	Overlap  int      `xml:"Overlap,attr"`
	Format   string   `xml:"Format,attr"`
	Size     struct {
		Width  int `xml:"Width,attr"`
		Height int `xml:"Height,attr"`
	} `xml:"Size"`
}

// openDZI reads a Deep Zoom picture: its description of size bytes, NAME.dzi, and from o.Beside its
// tiles NAME_files/LEVEL/COLUMN_ROW.FORMAT, which are JPEG, PNG or WebP pictures. Such a picture
// does not state the microns of its pixels. Levels that are smaller than a tile are left out.
// Errors are those of [Open]; a tile that is missing is a *[FormatError] when it is read.
func openDZI(name string, r io.ReaderAt, size int64, o Options) (*Slide, error) {
	files := o.Beside
	if files == nil {
		return nil, bad(name, "a Deep Zoom picture is a folder of tiles beside this file, which "+
			"cannot be opened here; open it by the command line, or by the server below its "+
			"folder of bags")
	}
	if size > mostDescription {
		return nil, bad(name, "it has %d bytes, but the description of a Deep Zoom picture has at "+
			"most %d", size, mostDescription)
	}
	var d dzi
	if err := xml.NewDecoder(io.NewSectionReader(r, 0, size)).Decode(&d); err != nil {
		return nil, because(err, name, "it is no description of a Deep Zoom picture")
	}
	c := &container{name: name, r: r, size: size, memory: o.Memory,
		most: cmp.Or(o.Pixels, mostPixels)}
	if err := d.check(c); err != nil {
		return nil, err
	}
	s := &Slide{name: name, Format: "Deep Zoom", most: c.most, blocks: newPixelCache(c.memory)}
	// The largest level has the smallest number whose power of two holds the picture.
	full := bits.Len(uint(max(d.Size.Width, d.Size.Height) - 1))
	folder := DZIFolder(path.Base(name))
	wide, high := d.Size.Width, d.Size.Height
	for level := full; level >= 0; level-- {
		l := &layout{directory: &directory{container: c}, what: fmt.Sprintf("level %d", full-level),
			width: wide, height: high, block: image.Pt(d.TileSize, d.TileSize), tiled: true,
			photometric: isRGB}
		l.tile = (&dziLevel{l, files, d, path.Join(folder, strconv.Itoa(level))}).decode
		s.Levels = append(s.Levels, Level{Width: wide, Height: high, TileWidth: d.TileSize,
			TileHeight: d.TileSize, layout: l})
		if max(wide, high) <= d.TileSize {
			break
		}
		wide, high = (wide+1)/2, (high+1)/2
	}
	return s, s.order()
}

// check returns an error for a description that cannot hold, or of a picture that is not read.
func (d *dzi) check(c *container) error {
	switch strings.ToLower(d.Format) {
	case "jpg", "jpeg", "png", "webp":
	default:
		return bad(c.name, "its tiles are of the format %q; JPEG, PNG and WebP are read", d.Format)
	}
	const most = 1<<31 - 1
	if d.Size.Width < 1 || d.Size.Height < 1 || max(d.Size.Width, d.Size.Height) > most {
		return bad(c.name, "it describes %d x %d pixels", d.Size.Width, d.Size.Height)
	}
	if d.TileSize < 1 || d.TileSize > most || d.Overlap < 0 || d.Overlap >= d.TileSize {
		return bad(c.name, "it describes tiles of %d pixels that overlap by %d",
			d.TileSize, d.Overlap)
	}
	if side := int64(d.TileSize + 2*d.Overlap); side > c.most/side {
		return tooLarge(c.name, "a tile", side, side, c.most)
	}
	return nil
}

// A dziLevel reads the tiles of a level.
type dziLevel struct {
	*layout
	files  fs.FS
	about  dzi
	folder string
}

// decode reads a tile without the pixels that it shares with its neighbours.
func (l *dziLevel) decode(column, row int) (*image.RGBA, error) {
	at := path.Join(l.folder, fmt.Sprintf("%d_%d.", column, row))
	name := at + strings.ToLower(l.about.Format)
	inside := l.rect(column, row).Intersect(image.Rect(0, 0, l.width, l.height))
	stored := inside.Inset(-l.about.Overlap).Intersect(image.Rect(0, 0, l.width, l.height))
	work := &workspace{container: l.container}
	defer work.end()
	packed, err := tileBytes(work, l.files, name, stored.Size())
	if exact := at + l.about.Format; errors.Is(err, fs.ErrNotExist) && exact != name {
		packed, err = tileBytes(work, l.files, exact, stored.Size())
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &FormatError{l.name, "its tile " + name + " is missing; the folder must have " +
			"all tiles of all levels; libvips writes them: vips dzsave SLIDE slide", err}
	}
	if err != nil {
		return nil, because(withoutPath(err), l.name, "its tile %s cannot be read", name)
	}
	m, err := tilePicture(work, packed, l.about.Format, exactly(stored.Size()))
	if err != nil {
		return nil, because(err, l.name, "its tile %s cannot be decoded", name)
	}
	return copied(m, inside.Sub(stored.Min)), nil
}

// withoutPath returns an error of a file without its path, which may be one of an operator.
func withoutPath(err error) error {
	if p, ok := err.(*fs.PathError); ok {
		return p.Err
	}
	return err
}

// tileBytes reads the file of a tile, which has at most 8 bytes a pixel and 64 KiB of other data.
func tileBytes(work *workspace, files fs.FS, name string, size image.Point) ([]byte, error) {
	info, err := fs.Stat(files, name) // opening a pipe waits for its writer
	if err != nil {
		return nil, err
	}
	most := 8*int64(size.X)*int64(size.Y) + 1<<16
	if !info.Mode().IsRegular() || info.Size() > most {
		return nil, fmt.Errorf("it is no file of at most %d bytes", most)
	}
	f, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := work.take(info.Size()); err != nil {
		return nil, err
	}
	packed := make([]byte, info.Size())
	_, err = io.ReadFull(f, packed)
	return packed, err
}
