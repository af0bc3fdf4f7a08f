package slide

import (
	"encoding/binary"
	"io"
	"math"
)

// Tags of a directory (TIFF 6.0; TIFF Technical Note 1 for SubIFDs, 2 for JPEG).
const (
	tagSubfileType    = 254
	tagWidth          = 256
	tagHeight         = 257
	tagBits           = 258
	tagCompression    = 259
	tagPhotometric    = 262
	tagDescription    = 270
	tagStripOffsets   = 273
	tagSamples        = 277
	tagStripRows      = 278
	tagStripBytes     = 279
	tagXResolution    = 282
	tagYResolution    = 283
	tagPlanes         = 284
	tagResolutionUnit = 296
	tagSoftware       = 305
	tagPredictor      = 317
	tagTileWidth      = 322
	tagTileHeight     = 323
	tagTileOffsets    = 324
	tagTileBytes      = 325
	tagSubIFDs        = 330
	tagExtraSamples   = 338
	tagSampleFormat   = 339
	tagJPEGTables     = 347
	tagHamamatsu      = 65420
)

const (
	mostDirectories = 1024    // directories of a file, with those that others refer to
	mostEntries     = 4096    // tags of a directory
	mostText        = 1 << 22 // bytes of a description; OME-XML of a slide has some kilobytes
)

// A container is an open TIFF file.
type container struct {
	name  string
	r     io.ReaderAt
	size  int64
	order binary.ByteOrder
	big   bool // BigTIFF: places and counts have eight bytes
}

// An entry is a tag of a directory. Its values are in the file.
type entry struct {
	kind  uint16
	count uint64
	at    int64 // place of the values
}

// A directory describes one picture of a file.
type directory struct {
	*container
	entries map[uint16]entry
}

// kindBytes has the bytes of a value of each type that is read; 0 stands for other types.
var kindBytes = [...]uint64{1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 13: 4,
	16: 8, 17: 8, 18: 8}

// openContainer reads the header of a file. It returns the place of the first directory.
func openContainer(name string, r io.ReaderAt, size int64) (*container, int64, error) {
	c := &container{name: name, r: r, size: size, order: binary.LittleEndian}
	head := make([]byte, 16)
	if err := c.read(head[:8], 0); err != nil {
		return nil, 0, err
	}
	switch string(head[:2]) {
	case "II":
	case "MM":
		c.order = binary.BigEndian
	default:
		return nil, 0, bad(name, "it is not a TIFF file")
	}
	switch c.order.Uint16(head[2:]) {
	case 42:
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
	return nil, 0, bad(name, "it is not a TIFF file")
}

// read fills p from a place of the file.
func (c *container) read(p []byte, at int64) error {
	if at < 0 || at > c.size-int64(len(p)) {
		return bad(c.name, "it ends before byte %d, where %d bytes are expected", uint64(at), len(p))
	}
	if n, err := c.r.ReadAt(p, at); n < len(p) {
		return because(err, c.name, "%d bytes at byte %d cannot be read", len(p), at)
	}
	return nil
}

// directory reads the directory at a place. It returns the place of the next one, or 0.
func (c *container) directory(at int64) (*directory, int64, error) {
	countBytes, entryBytes, place := 2, 12, 4
	if c.big {
		countBytes, entryBytes, place = 8, 20, 8
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
	body := make([]byte, int(n)*entryBytes+place)
	if err := c.read(body, at+int64(countBytes)); err != nil {
		return nil, 0, err
	}
	d := &directory{container: c, entries: make(map[uint16]entry, n)}
	for i := range int(n) {
		start := i * entryBytes
		tag, e, err := c.entry(body[start:start+entryBytes], at+int64(countBytes+start))
		if err != nil {
			return nil, 0, err
		}
		if _, twice := d.entries[tag]; !twice { // libtiff takes the first, too
			d.entries[tag] = e
		}
	}
	next := c.place(body[len(body)-place:])
	return d, next, nil
}

// entry decodes an entry of a directory that stands at a place of the file.
func (c *container) entry(b []byte, at int64) (uint16, entry, error) {
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
	if size*e.count > inside {
		e.at = c.place(b[e.at-at:])
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

// bytes returns the bytes of one value, or 0 for an unknown type.
func (e entry) bytes() uint64 {
	if int(e.kind) < len(kindBytes) {
		return kindBytes[e.kind]
	}
	return 0
}

// whole reports whether the values are integers without sign.
func (e entry) whole() bool {
	switch e.kind {
	case 1, 3, 4, 13, 16, 18:
		return true
	}
	return false
}

// values reads the values of a tag from number first on into dst. All must be integers.
func (d *directory) values(tag uint16, first uint64, dst []uint64) error {
	e, ok := d.entries[tag]
	if !ok || !e.whole() || first+uint64(len(dst)) > e.count {
		return bad(d.name, "tag %d has no value %d", tag, first)
	}
	size := int(e.bytes())
	b := make([]byte, size*len(dst))
	if err := d.read(b, e.at+int64(first)*int64(size)); err != nil {
		return err
	}
	for i := range dst {
		switch v := b[i*size:]; size {
		case 1:
			dst[i] = uint64(v[0])
		case 2:
			dst[i] = uint64(d.order.Uint16(v))
		case 4:
			dst[i] = uint64(d.order.Uint32(v))
		default:
			dst[i] = d.order.Uint64(v)
		}
	}
	return nil
}

// has reports whether a tag is there.
func (d *directory) has(tag uint16) bool { return d.count(tag) > 0 }

// count returns the number of values of a tag.
func (d *directory) count(tag uint16) uint64 { return d.entries[tag].count }

// number returns the first value of a tag, or otherwise if the tag is missing.
func (d *directory) number(tag uint16, otherwise uint64) (uint64, error) {
	if !d.has(tag) {
		return otherwise, nil
	}
	var v [1]uint64
	err := d.values(tag, 0, v[:])
	return v[0], err
}

// ratio returns the first value of a tag of rational numbers, or 0 if there is none.
func (d *directory) ratio(tag uint16) float64 {
	e := d.entries[tag]
	b := make([]byte, 8)
	if e.kind != 5 || e.count == 0 || d.read(b, e.at) != nil {
		return 0
	}
	if below := d.order.Uint32(b[4:]); below > 0 {
		return float64(d.order.Uint32(b)) / float64(below)
	}
	return 0
}

// raw reads the bytes of a tag. most bounds them.
func (d *directory) raw(tag uint16, most int) ([]byte, error) {
	e := d.entries[tag]
	n := e.count * e.bytes()
	if n > uint64(most) {
		return nil, bad(d.name, "tag %d has %d bytes; at most %d are read", tag, n, most)
	}
	b := make([]byte, n)
	return b, d.read(b, e.at)
}

// text returns the value of a tag of text, without the zero at its end, or "" if there is none.
func (d *directory) text(tag uint16) (string, error) {
	if e := d.entries[tag]; e.kind != 2 && e.kind != 7 && e.kind != 1 {
		return "", nil
	}
	b, err := d.raw(tag, mostText)
	for len(b) > 0 && b[len(b)-1] == 0 {
		b = b[:len(b)-1]
	}
	return string(b), err
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

// below returns the directories that a directory refers to, such as the levels of an OME-TIFF.
func (d *directory) below() ([]*directory, error) {
	n := d.count(tagSubIFDs)
	if n > mostDirectories {
		return nil, bad(d.name, "a directory refers to %d others; at most %d are read", n,
			mostDirectories)
	}
	places := make([]uint64, n)
	if n > 0 {
		if err := d.values(tagSubIFDs, 0, places); err != nil {
			return nil, err
		}
	}
	list := make([]*directory, n)
	for i, at := range places {
		if at > math.MaxInt64 {
			return nil, bad(d.name, "a directory is behind the end of the file")
		}
		var err error
		if list[i], _, err = d.directory(int64(at)); err != nil {
			return nil, err
		}
	}
	return list, nil
}
