package slide

import (
	"bytes"
	"encoding/binary"
	"image"
	"math"

	"github.com/bagscope/bagscope/internal/msg"
)

// Tags of Hamamatsu's scanners. Places of the intervals of a level count from its strip.
const (
	tagHamamatsu      = 65420
	tagLens           = 65421 // magnification; -1 for the macro, -2 for a map of the tissue
	tagFocalPlane     = 65424 // height of the focal plane, 0 for the middle
	tagIntervals      = 65426 // places of the restart intervals
	tagIntervalsUpper = 65432 // their upper halves, of pictures of more than 4 GB
)

// isHamamatsu reports whether a file that begins with head is one of Hamamatsu (NDPI): classic
// TIFF, but for places whose upper halves stand behind each directory.
func (c *container) isHamamatsu(head []byte) (first int64, ok bool) {
	place := c.order.Uint64(head[4:])
	if place > math.MaxInt64 || int64(place) >= c.size {
		return 0, false
	}
	trial := *c
	trial.far = true
	d, _, err := trial.directory(int64(place))
	return int64(place), err == nil && d.has(tagHamamatsu)
}

// readHamamatsu reads a slide of Hamamatsu. Each level is one JPEG picture, which restarts at
// intervals of equal size. Of several focal planes the one in the middle is read.
func (s *Slide) readHamamatsu(list []*directory) error {
	s.Format = "Hamamatsu"
	for _, d := range list {
		lens := d.real(tagLens)
		plane, err := d.raw(tagFocalPlane, 8) // a number with a sign
		if err != nil {
			return err
		}
		switch {
		case lens == -1:
			s.associate("macro", d)
			continue
		case !(lens > 0) || len(bytes.Trim(plane, "\x00")) > 0:
			continue
		case len(s.Levels) == mostLevels:
			return bad(s.name, "it has more than %d levels", mostLevels)
		}
		l, err := intervalsOf(d)
		if err != nil {
			return err
		}
		if lens > s.Magnification {
			s.Magnification = lens
			s.readResolution(d)
		}
		s.Levels = append(s.Levels, Level{Width: l.width, Height: l.height, TileWidth: l.block.X,
			TileHeight: l.block.Y, layout: l})
	}
	if len(s.Levels) == 0 {
		return bad(s.name, "it has no level of its middle focal plane")
	}
	return nil
}

// intervals are the restart intervals of a JPEG picture. A row of units has across of them.
type intervals struct {
	*layout
	head         []byte      // the picture up to its data, without restarts
	frame        int         // place of height and width in head
	restart      int         // place of the interval in head, in units
	unit         image.Point // pixels of an interval
	across, down int         // intervals of the picture
	rows         int         // rows of intervals in a block
	start, end   int64       // places of the picture in the file
}

// blockPixels are the pixels of a block of intervals, about, and blockRows its most rows.
const (
	blockPixels = 1 << 18
	blockRows   = 512
)

// mostHead bounds the bytes of a JPEG picture up to its data.
const mostHead = 1 << 16

// intervalsOf returns the layout of a level. One whose intervals are not known is one block.
func intervalsOf(d *directory) (*layout, error) {
	if !d.has(tagIntervals) {
		return layoutOf(d, "a level")
	}
	var size [2]uint64
	for i, tag := range []uint16{tagWidth, tagHeight} {
		var err error
		if size[i], err = d.number(tag, 0); err != nil {
			return nil, err
		}
		if size[i] == 0 || size[i] > math.MaxInt32 {
			return nil, bad(d.name, "a level has no pixels, or too many")
		}
	}
	l := &layout{directory: d, width: int(size[0]), height: int(size[1]), tiled: true,
		compression: byJPEG, photometric: isYCbCr,
		what: msg.Sprintf("the level of %d x %d pixels", size[0], size[1])}
	if kind, err := d.number(tagCompression, 0); err != nil || kind != byJPEG {
		return nil, unsupported(d.name, msg.Sprintf("the compression %d of Hamamatsu", kind),
			byVips+convert)
	}
	p := &intervals{layout: l}
	if err := p.readHead(); err != nil {
		return nil, err
	}
	if p.unit.X == 0 {
		return layoutOf(d, "a level")
	}
	if n := d.count(tagIntervals); n < uint64(p.across)*uint64(p.down) {
		return nil, bad(d.name, "%s has %d intervals of JPEG, but needs %d x %d", l.what, n,
			p.across, p.down)
	}
	p.rows = max(1, min(blockRows/p.unit.Y, blockPixels/(p.unit.X*p.unit.Y)))
	l.block = image.Pt(p.unit.X, p.rows*p.unit.Y)
	if pixels := int64(l.block.X) * int64(l.block.Y); pixels > l.most {
		return nil, tooLarge(d.name, "a block of "+l.what, int64(l.block.X), int64(l.block.Y),
			l.most)
	}
	l.tile = p.decode
	return l, nil
}

// readHead reads the picture up to its data: the size of a unit, and how many form an interval.
// unit.X stays 0 if there are no intervals. The header of a level of more than 65,535 pixels a side
// does not state its size.
func (p *intervals) readHead() error {
	var at, n [1]uint64
	if err := p.values(tagStripOffsets, 0, at[:]); err != nil {
		return err
	}
	if err := p.values(tagStripBytes, 0, n[:]); err != nil {
		return err
	}
	if at[0] > uint64(p.size) || n[0] > uint64(p.size)-at[0] {
		return bad(p.name, "%s reaches over the end of the file", p.what)
	}
	p.start, p.end = int64(at[0]), int64(at[0]+n[0])
	head := make([]byte, min(n[0], mostHead))
	if err := p.read(head, p.start); err != nil {
		return err
	}
	interval := 0
	for i := 2; i+4 <= len(head) && head[i] == 0xff; {
		size := int(binary.BigEndian.Uint16(head[i+2:]))
		next := i + 2 + size
		if size < 2 || next > len(head) {
			break
		}
		b, marker := head[i+4:next], head[i+1]
		switch {
		case marker == 0xc0 || marker == 0xc1:
			if len(b) < 9 || len(b) != 6+3*int(b[5]) || b[5] != 1 && b[5] != 3 {
				return bad(p.name, "the JPEG picture of %s has a damaged header", p.what)
			}
			p.frame, p.unit = i+5, image.Pt(8, 8)
			if b[5] == 3 { // one component is coded in blocks, whatever its resolution
				p.unit = image.Pt(8*int(b[7]>>4), 8*int(b[7]&15))
			}
			p.samples, p.bits = int(b[5]), int(b[0])
		case marker == 0xdd && len(b) == 2:
			p.restart, interval = i+4, int(binary.BigEndian.Uint16(b))
		case marker == 0xda:
			p.head = head[:next:next]
			return p.measure(interval)
		}
		i = next
	}
	return bad(p.name, "the JPEG picture of %s has a damaged header", p.what)
}

// measure sets the size and number of intervals, each of some units.
func (p *intervals) measure(interval int) error {
	unit := p.unit
	p.unit.X = 0
	switch {
	case p.frame == 0 || unit.X == 0 || unit.Y == 0 || unit.X > 32 || unit.Y > 32:
		return bad(p.name, "the JPEG picture of %s has a damaged header", p.what)
	case interval == 0:
		return nil
	}
	units := (p.width + unit.X - 1) / unit.X
	if units%interval != 0 {
		return bad(p.name, "the JPEG picture of %s has %d units in a row, which intervals of %d "+
			"do not divide", p.what, units, interval)
	}
	p.unit = image.Pt(interval*unit.X, unit.Y)
	p.across, p.down = units/interval, (p.height+unit.Y-1)/unit.Y
	return nil
}

// decode decodes a block: the intervals in a column of some rows, joined to a JPEG picture.
func (p *intervals) decode(column, row int) (*image.RGBA, error) {
	work := &workspace{container: p.container}
	defer work.end()
	first := row * p.rows
	rows := min(p.rows, p.down-first)
	size := image.Pt(p.unit.X, rows*p.unit.Y)
	// As in place: no encoder makes a block much larger than its samples.
	most := 2*p.samples*size.X*size.Y + 1<<16
	if err := work.take(int64(len(p.head) + most)); err != nil {
		return nil, err
	}
	packed := append(make([]byte, 0, len(p.head)+most), p.head...)
	binary.BigEndian.PutUint16(packed[p.frame:], uint16(size.Y))
	binary.BigEndian.PutUint16(packed[p.frame+2:], uint16(size.X))
	for i := range rows {
		number := (first+i)*p.across + column
		at, n, err := p.place(number)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			packed = append(packed, 0xff, 0xd0+byte((i-1)%8))
		}
		if n > int64(cap(packed)-len(packed)-2) {
			return nil, bad(p.name, "interval %d of %s takes %d bytes, more than its pixels",
				number, p.what, n)
		}
		end := len(packed)
		packed = packed[:end+int(n)]
		if err := p.read(packed[end:], at); err != nil {
			return nil, err
		}
	}
	return p.decodePicture(work, append(packed, 0xff, 0xd9), size)
}

// place returns where the data of an interval are, without the marker that follows them.
func (p *intervals) place(number int) (at, n int64, err error) {
	from, err := p.begin(number)
	if err != nil {
		return 0, 0, err
	}
	to := p.end
	if number+1 < p.across*p.down {
		if to, err = p.begin(number + 1); err != nil {
			return 0, 0, err
		}
	}
	if from < p.start+int64(len(p.head)) || to > p.end || to-from < 2 {
		return 0, 0, bad(p.name, "interval %d of %s lies outside of its picture", number, p.what)
	}
	return from, to - from - 2, nil
}

// begin returns the place in the file at which an interval begins.
func (p *intervals) begin(number int) (int64, error) {
	var lower, upper [1]uint64
	if err := p.values(tagIntervals, uint64(number), lower[:]); err != nil {
		return 0, err
	}
	if p.has(tagIntervalsUpper) {
		if err := p.values(tagIntervalsUpper, uint64(number), upper[:]); err != nil {
			return 0, err
		}
	}
	if place := upper[0]<<32 + lower[0]; place <= uint64(p.end-p.start) {
		return p.start + int64(place), nil
	}
	return p.end, nil
}
