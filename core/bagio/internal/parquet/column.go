package parquet

import (
	"encoding/binary"
	"io"

	"github.com/bagscope/bagscope/core/bagio/internal/frame"
	"github.com/bagscope/bagscope/internal/msg"
)

// A column reads the pages of a column.
type column struct {
	f     *File
	leaf  *leaf
	index int

	group    int   // the next row group
	rows     int64 // rows of the group that are not read
	entries  int64 // values and levels of the chunk that are not read
	at, end  int64 // the next page, and the end of the chunk
	codec    int
	dict     list
	hasDict  bool
	out      frame.Values
	kept     list // the values of a page
	packed   []byte
	unpacked []byte
	held     int64 // bytes that are reserved
	levels   [2][]uint32
	indices  []uint32

	// The last row of lists may go on in the next page of its chunk.
	open    bool
	openRow frame.Values
}

// Read implements frame.Table.
func (f *File) Read(i int) frame.Reader {
	return &column{f: f, leaf: &f.leaves[i], index: i}
}

// Next implements frame.Reader.
func (c *column) Next() (*frame.Values, error) {
	v, err := c.next()
	if wrong, ok := err.(*frame.FormatError); ok {
		wrong.Column = c.leaf.Name
	}
	return v, err
}

func (c *column) next() (*frame.Values, error) {
	for {
		if c.at >= c.end || c.entries == 0 {
			if c.open {
				return c.flush()
			}
			if c.rows != 0 {
				return nil, c.damaged("%d rows of it are missing", c.rows)
			}
			if err := c.begin(); err != nil {
				return nil, err
			}
			continue
		}
		more, err := c.page()
		if err != nil {
			return nil, err
		}
		if more && c.out.Rows > 0 {
			return &c.out, nil
		}
	}
}

// begin begins the next chunk, or returns io.EOF.
func (c *column) begin() error {
	if c.group == len(c.f.groups) {
		return io.EOF
	}
	g := &c.f.groups[c.group]
	c.group++
	k := &g.chunks[c.index]
	c.rows, c.entries, c.at, c.end = g.rows, k.values, k.start, k.start+k.size
	c.codec, c.hasDict = k.codec, false
	if !codecKnown(c.codec) {
		name := codecNames[c.codec]
		if name == "" {
			name = msg.Sprintf("codec %d", c.codec)
		}
		return c.damaged("it is packed by %s; %s", msg.Text(name), msg.Text(rewrite))
	}
	if c.leaf.Kind == frame.Other {
		return c.damaged("it holds %s", c.leaf.Type)
	}
	if c.leaf.maxRep == 0 && c.entries != c.rows {
		return c.damaged("it has %d entries in %d rows", c.entries, c.rows)
	}
	return nil
}

func (c *column) damaged(format string, args ...any) error {
	return c.f.damaged(c.at, format, args...)
}

// heads are the sizes of the windows in which a page's header is looked for; statistics of texts
// can be long.
var heads = []int64{1 << 10, 1 << 16, 1 << 24}

// head reads the header of the next page, and moves behind it.
func (c *column) head() (pageHead, error) {
	for _, most := range heads {
		n := min(most, c.end-c.at)
		if err := c.hold(n); err != nil {
			return pageHead{}, err
		}
		c.packed = sized(c.packed, int(n))
		if err := c.f.fill(c.packed, c.at); err != nil {
			return pageHead{}, err
		}
		t := &thrift{b: c.packed}
		h := t.readPageHead()
		if t.err == nil {
			c.at += int64(t.pos)
			return h, nil
		}
		if !t.short || n < most {
			return pageHead{}, c.damaged("a page: %v", t.err)
		}
	}
	return pageHead{}, c.damaged("the description of a page has no end")
}

// hold reserves the memory of a page, of which n bytes are needed.
func (c *column) hold(n int64) error {
	if n <= c.held {
		return nil
	}
	err := c.f.limits.Hold(n - c.held)
	if err == nil {
		c.held = n
	}
	return err
}

// page reads a page, and reports whether it has rows.
func (c *column) page() (bool, error) {
	h, err := c.head()
	if err != nil {
		return false, err
	}
	if h.packed < 0 || h.packed > c.end-c.at || h.unpacked < 0 {
		return false, c.damaged("a page lies outside of its column")
	}
	if h.unpacked > c.f.limits.Bytes || h.packed > c.f.limits.Bytes {
		return false, &frame.LimitError{What: msg.Sprintf("a page of column %s has %d bytes",
			c.leaf.Name, max(h.packed, h.unpacked)), Setting: "bytes", Limit: c.f.limits.Bytes}
	}
	if h.kind == pageIndex {
		c.at += h.packed
		return false, nil
	}
	if h.kind != pageData && h.kind != pageDictionary && h.kind != pageData2 {
		return false, c.damaged("a page has type %d", h.kind)
	}
	if h.values < 0 || h.kind != pageDictionary && h.values > c.entries {
		return false, c.damaged("a page states %d entries, and %d are left", h.values, c.entries)
	}
	// Entries, their levels, texts and what they are unpacked from.
	need := h.packed + 2*h.unpacked +
		2*valueBytes*(min(h.values, 1<<40)+int64(c.openRow.Len())) + 16*min(h.values, 1<<40)
	if need > c.f.limits.Bytes {
		return false, &frame.LimitError{What: msg.Sprintf("a page of column %s takes %d bytes",
			c.leaf.Name, need), Setting: "bytes", Limit: c.f.limits.Bytes}
	}
	if err := c.hold(need); err != nil {
		return false, err
	}
	c.packed = sized(c.packed, int(h.packed))
	if err := c.f.fill(c.packed, c.at); err != nil {
		return false, err
	}
	start := c.at
	c.at += h.packed
	switch h.kind {
	case pageDictionary:
		return false, c.dictionary(h)
	case pageData2:
		err = c.version2(h)
	default:
		err = c.version1(h)
	}
	if _, own := err.(*frame.FormatError); err != nil && !own {
		return false, &frame.FormatError{Offset: start, Reason: msg.Sprintf("a page: %v", err),
			Err: err}
	}
	return err == nil, err
}

// dictionary reads the values to which pages refer by their numbers.
func (c *column) dictionary(h pageHead) error {
	if c.hasDict || h.encoding != encodingPlain && h.encoding != encodingPlainDict {
		return c.damaged("it has several dictionaries, or one of an unknown encoding")
	}
	data := make([]byte, h.unpacked)
	if err := unpack(c.codec, data, c.packed); err != nil {
		return c.damaged("its dictionary: %v", err)
	}
	// A value takes a bit or more.
	if h.values > 8*int64(len(data)) {
		return c.damaged("its dictionary states %d values in %d bytes", h.values, len(data))
	}
	c.dict, c.hasDict = list{}, true
	if err := c.dict.decode(c.leaf, data, int(h.values), encodingPlain); err != nil {
		return c.damaged("its dictionary: %v", err)
	}
	c.held = 0 // the memory of the dictionary stays beside that of pages
	return nil
}

// version1 reads a page in which levels and values are packed together.
func (c *column) version1(h pageHead) error {
	c.unpacked = sized(c.unpacked, int(h.unpacked))
	if err := unpack(c.codec, c.unpacked, c.packed); err != nil {
		return err
	}
	data := c.unpacked
	for i, most := range []int{c.leaf.maxRep, c.leaf.maxDef} {
		if most == 0 {
			continue
		}
		if e := []int{h.repetitions, h.definitions}[i]; e != encodingRLE {
			return msg.Errorf("its levels have the encoding %d, which is deprecated; %s", e,
				msg.Text(rewrite))
		}
		if len(data) < 4 || uint64(binary.LittleEndian.Uint32(data)) > uint64(len(data)-4) {
			return errShort
		}
		n := int(binary.LittleEndian.Uint32(data))
		if err := c.level(i, h.values, data[4:4+n], most); err != nil {
			return err
		}
		data = data[4+n:]
	}
	return c.entriesOf(h, data)
}

// version2 reads a page whose levels are not packed.
func (c *column) version2(h pageHead) error {
	rep, def := h.repetitions, h.definitions
	if rep < 0 || def < 0 || rep > len(c.packed) || def > len(c.packed)-rep ||
		int64(rep+def) > h.unpacked {
		return errShort
	}
	for i, part := range [][]byte{c.packed[:rep], c.packed[rep : rep+def]} {
		if most := []int{c.leaf.maxRep, c.leaf.maxDef}[i]; most > 0 {
			if err := c.level(i, h.values, part, most); err != nil {
				return err
			}
		}
	}
	c.unpacked = sized(c.unpacked, int(h.unpacked)-rep-def)
	codec, rest := c.codec, c.packed[rep+def:]
	if h.plain || len(rest) == 0 && len(c.unpacked) == 0 {
		codec = codecNone
	}
	if err := unpack(codec, c.unpacked, rest); err != nil {
		return err
	}
	return c.entriesOf(h, c.unpacked)
}

// level reads repetition (0) or definition (1) levels.
func (c *column) level(i int, n int64, data []byte, most int) error {
	c.levels[i] = sized(c.levels[i], int(n))
	if err := hybrid(c.levels[i], data, bitWidth(most)); err != nil {
		return err
	}
	for _, v := range c.levels[i] {
		if v > uint32(most) {
			return msg.Errorf("a level is %d of %d", v, most)
		}
	}
	return nil
}

// entriesOf makes rows of the levels and values of a page.
func (c *column) entriesOf(h pageHead, data []byte) error {
	n := int(h.values)
	c.entries -= h.values
	present := n
	if c.leaf.maxDef > 0 {
		present = 0
		for _, level := range c.levels[1] {
			if level == uint32(c.leaf.maxDef) {
				present++
			}
		}
	}
	if err := c.values(h.encoding, data, present); err != nil {
		return err
	}
	return c.assemble(n, present)
}

// values reads the values of a page.
func (c *column) values(encoding int, data []byte, n int) error {
	if encoding != encodingDict && encoding != encodingPlainDict {
		return c.kept.decode(c.leaf, data, n, encoding)
	}
	if !c.hasDict {
		return msg.Errorf("its dictionary is missing")
	}
	c.indices = sized(c.indices, n)
	if n > 0 {
		if len(data) < 1 {
			return errShort
		}
		if err := hybrid(c.indices, data[1:], int(data[0])); err != nil {
			return err
		}
	}
	most := uint32(c.dict.len())
	c.kept.resize(c.leaf.Kind, n)
	for i, at := range c.indices {
		if at >= most {
			return msg.Errorf("it refers to value %d of %d in its dictionary", at, most)
		}
		switch c.leaf.Kind {
		case frame.Whole:
			c.kept.wholes[i] = c.dict.wholes[at]
		case frame.Real:
			c.kept.reals[i] = c.dict.reals[at]
		case frame.Text:
			c.kept.texts[i] = c.dict.texts[at]
		}
	}
	return nil
}
