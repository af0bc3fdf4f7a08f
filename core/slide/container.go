package slide

import (
	"cmp"
	"encoding/binary"
	"io"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/internal/otherfile"
)

// A container is an open TIFF file.
type container struct {
	name  string
	r     io.ReaderAt
	size  int64
	order binary.ByteOrder
	big   bool // BigTIFF: places and counts have eight bytes
	bands bool // samples are numbers, not colours: see core.Bands
	far   bool // upper halves of places stand behind a directory: Hamamatsu

	memory *quota.Memory // see Options
	most   int64         // pixels of a block
}

// A workspace is the memory that a step of reading takes until it ends.
type workspace struct {
	*container
	held int64
}

// take reserves n bytes, before they are allocated.
func (w *workspace) take(n int64) error {
	if err := w.memory.Reserve(n, "reading "+w.name); err != nil {
		return err
	}
	w.held += n
	return nil
}

func (w *workspace) end() { w.memory.Release(w.held) }

const notTIFF = "it is neither a TIFF file (.svs, .tif) nor the description of a Deep Zoom " +
	"picture (.dzi) nor a whole slide of DICOM; libvips converts other slides: " + convert

// NotMIRAX is why a slide of 3DHISTECH is refused, and the way out.
const NotMIRAX = "it is the overview of a slide of 3DHISTECH (.mrxs), whose pixels are in the " +
	"folder beside it and are not read; libvips converts the slide: " + convert

// IsMIRAX reports whether a name is that of a slide of 3DHISTECH. Such a file is a JPEG picture.
func IsMIRAX(name string) bool { return strings.EqualFold(path.Ext(name), ".mrxs") }

// openContainer reads the header of a file. It returns the place of the first directory.
func openContainer(
	name string, r io.ReaderAt, size int64, o Options,
) (*container, int64, error) {
	c := &container{name: name, r: r, size: size, order: binary.LittleEndian, memory: o.Memory,
		most: cmp.Or(o.Pixels, mostPixels), bands: o.Bands != nil}
	head := make([]byte, 16)
	if err := c.read(head[:8], 0); err != nil {
		return nil, 0, err
	}
	switch string(head[:2]) {
	case "II":
	case "MM":
		c.order = binary.BigEndian
	default:
		return nil, 0, c.other()
	}
	switch c.order.Uint16(head[2:]) {
	case 42:
		if c.size >= 12 && c.read(head[:12], 0) == nil {
			if first, ok := c.isHamamatsu(head[:12]); ok {
				c.far = true
				return c, first, nil
			}
		}
		return c, int64(c.order.Uint32(head[4:])), nil
	case 43:
		if err := c.read(head, 0); err != nil {
			return nil, 0, err
		}
		if c.order.Uint16(head[4:]) != 8 {
			return nil, 0, bad(name, "the header of BigTIFF has places of %d bytes instead of 8",
				c.order.Uint16(head[4:]))
		}
		c.big = true
		place := c.order.Uint64(head[8:])
		if place > math.MaxInt64 {
			return nil, 0, bad(name, "the first directory is behind the end of the file")
		}
		return c, int64(place), nil
	}
	return nil, 0, bad(name, notTIFF)
}

// other returns the error for a file that does not begin as TIFF files do.
func (c *container) other() error {
	head := make([]byte, min(c.size, 4096))
	if err := c.read(head, 0); err != nil {
		return err
	}
	if f := otherfile.Of(head); f != nil && !f.Slide {
		return bad(c.name, "it is %s; slides are TIFF files (.svs, .tif), Deep Zoom pictures "+
			"(.dzi) and DICOM files", msg.Text(f.What))
	}
	return bad(c.name, notTIFF)
}

// read fills p from a place of the file.
func (c *container) read(p []byte, at int64) error {
	if at < 0 || at > c.size-int64(len(p)) {
		return bad(c.name, "the TIFF file ends before byte %d, where %d bytes are expected",
			uint64(at), len(p))
	}
	if n, err := c.r.ReadAt(p, at); n < len(p) {
		return because(err, c.name, "%d bytes at byte %d cannot be read", len(p), at)
	}
	return nil
}

// directory reads the directory at a place. It returns the place of the next one, or 0.
func (c *container) directory(at int64) (*directory, int64, error) {
	countBytes, entryBytes, behind := 2, 12, 4
	if c.big {
		countBytes, entryBytes, behind = 8, 20, 8
	}
	head := make([]byte, countBytes)
	if err := c.read(head, at); err != nil {
		return nil, 0, err
	}
	n := uint64(c.order.Uint16(head))
	if c.big {
		n = c.order.Uint64(head)
	}
	if n > mostEntries {
		return nil, 0, bad(c.name, "a directory has %d tags; at most %d are read", n, mostEntries)
	}
	if c.far { // a place of eight bytes, and the upper halves
		behind = 8 + 4*int(n)
	}
	body := make([]byte, int(n)*entryBytes+behind)
	if err := c.read(body, at+int64(countBytes)); err != nil {
		return nil, 0, err
	}
	last := body[int(n)*entryBytes:]
	d := &directory{container: c, entries: map[uint16]entry{}}
	for i := range int(n) {
		start := i * entryBytes
		upper := uint32(0)
		if c.far {
			upper = c.order.Uint32(last[8+4*i:])
		}
		tag, e, err := c.entry(body[start:start+entryBytes], at+int64(countBytes+start), upper)
		if err != nil {
			return nil, 0, err
		}
		// If a tag occurs twice, libtiff takes the first one, too.
		if _, twice := d.entries[tag]; !twice && slices.Contains(knownTags[:], tag) {
			d.entries[tag] = e
		}
	}
	if c.far {
		return d, int64(c.order.Uint64(last) & math.MaxInt64), nil
	}
	return d, c.place(last), nil
}

// entry decodes an entry of a directory that stands at a place of the file. upper is the upper half
// of its place or value.
func (c *container) entry(b []byte, at int64, upper uint32) (uint16, entry, error) {
	tag := c.order.Uint16(b)
	e := entry{kind: c.order.Uint16(b[2:]), count: uint64(c.order.Uint32(b[4:])), at: at + 8}
	inside := uint64(4)
	if c.big {
		e.count, e.at, inside = c.order.Uint64(b[4:]), at+12, 8
	}
	size := e.bytes()
	if e.count > uint64(c.size) || size*e.count > uint64(c.size) {
		return 0, entry{}, bad(c.name, "tag %d has %d values, which the file cannot hold", tag,
			e.count)
	}
	switch {
	case size*e.count > inside:
		e.at = c.place(b[e.at-at:])
		if e.at >= 0 {
			e.at |= int64(upper&math.MaxInt32) << 32
		}
	case e.count == 1:
		e.upper = uint64(upper)
	}
	return tag, e, nil
}

// place decodes a place in the file, or -1 for one that no file has.
func (c *container) place(b []byte) int64 {
	if !c.big {
		return int64(c.order.Uint32(b))
	}
	if v := c.order.Uint64(b); v <= math.MaxInt64 {
		return int64(v)
	}
	return -1
}

// directories reads the chain of directories from a place on.
func (c *container) directories(first int64) ([]*directory, error) {
	var list []*directory
	seen := map[int64]bool{}
	for at := first; at != 0; {
		if seen[at] {
			return nil, bad(c.name, "its directories form a loop at byte %d", at)
		}
		if seen[at] = true; len(seen) > mostDirectories {
			return nil, bad(c.name, "it has more than %d directories", mostDirectories)
		}
		d, next, err := c.directory(at)
		if err != nil {
			return nil, err
		}
		list, at = append(list, d), next
	}
	return list, nil
}
