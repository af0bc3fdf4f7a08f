package hdf5

import "math/bits"

// Classes of storage.
const (
	compact = iota
	contiguous
	chunked
)

// Indexes of chunks, as data layout messages number them since version 4. Older messages have no
// number and always refer to a version 1 B-tree.
const (
	indexTree1 = iota
	indexSingle
	indexImplicit
	indexFixed
	indexExtensible
	indexTree2
)

// A storage is where the values of a dataset are.
type storage struct {
	class byte
	data  []byte // values of a compact dataset, which are in the header
	addr  uint64 // address of the values or of the index of chunks; or undefined

	chunk     []int // shape of a chunk
	bytes     int   // size of an unpacked chunk
	index     int
	plainEdge bool // chunks that reach over the array's end are stored without filters
	// Bytes in the file of a single chunk with filters, and the filters that were not applied.
	size uint64
	mask uint32
}

// readStorage reads a data layout message (section "Data Layout Message"). Type and shape are known
// before.
func (d *Dataset) readStorage(h *header) error {
	if h.find(msgExternal) != nil {
		return &UnsupportedError{What: "an array in an external file", Way: repack("h5py")}
	}
	c, err := d.required(h, msgLayout, "data layout")
	if err != nil {
		return err
	}
	version := c.version("data layout", 3, 5)
	st := &d.store
	st.class = c.u8()
	switch {
	case c.err != nil:
	case st.class == compact:
		st.data = c.bytes(c.u16())
	case st.class == contiguous:
		st.addr = c.offset()
		c.length() // the shape gives the size, too
	case st.class == chunked:
		d.readChunked(c, version)
	case st.class == 3:
		return &UnsupportedError{What: "a virtual dataset, whose values are in other files,",
			Way: repack("h5py")}
	default:
		c.fail("a dataset has storage of class %d", st.class)
	}
	if c.err != nil || d.problem != nil {
		return c.err
	}
	return d.checkStorage(c)
}

// checkStorage compares the storage with the array.
func (d *Dataset) checkStorage(c *cursor) error {
	p := space{shape: d.Shape}
	n := p.count() * d.Type.Size
	switch st := &d.store; st.class {
	case compact:
		if len(st.data) < n {
			c.fail("an array of %d bytes has %d", n, len(st.data))
		}
	case contiguous:
		if st.addr != undefined && c.err == nil {
			return d.s.holds(st.addr, int64(n))
		}
	case chunked:
		d.checkChunk(c, n)
	}
	return c.err
}

// checkChunk computes the size of a chunk, which must not be much larger than the array.
func (d *Dataset) checkChunk(c *cursor, array int) {
	st := &d.store
	if len(st.chunk) != len(d.Shape) || len(st.chunk) == 0 {
		c.fail("an array of %d axes has chunks of %d", len(d.Shape), len(st.chunk))
		return
	}
	// A small file could declare chunks of gigabytes, which are allocated before they are unpacked.
	total := uint64(d.Type.Size)
	for _, n := range st.chunk {
		high, low := bits.Mul64(total, uint64(n))
		if n <= 0 || high != 0 || low > 1<<62 {
			c.fail("chunks have the shape %v", st.chunk)
			return
		}
		total = low
	}
	if limit := max(d.s.limits.Chunk, int64(array)); total > uint64(limit) {
		c.err = &LimitError{What: "a chunk is much larger than its array", Setting: "chunk",
			Limit: limit}
	}
	st.bytes = int(total)
	// Chunks that have few values each are unpacked as a whole, and may all be the same bytes.
	all := float64(d.Type.Size)
	for i, n := range st.chunk {
		all *= float64(ceil(uint64(d.Shape[i]), uint64(n))) * float64(n)
	}
	if all > mostPadding*float64(array)+float64(d.s.limits.Chunk) {
		c.err = &LimitError{What: "its chunks are much larger than the array", Setting: "chunk",
			Limit: d.s.limits.Chunk}
	}
}

// mostPadding is how many times the bytes of an array its chunks may have: twice for each of two
// axes that they do not fill.
const mostPadding = 4

// readChunked reads the properties of chunks behind the class.
func (d *Dataset) readChunked(c *cursor, version byte) {
	st := &d.store
	var flags byte
	width := 4 // bytes of the length of an axis
	if version >= 4 {
		flags = c.u8()
	}
	// The bytes of an entry are an axis of the chunk behind those of the array.
	rank := int(c.u8())
	if c.err == nil && rank < 2 {
		c.fail("chunks have %d axes", rank-1)
	}
	if version == 3 {
		st.addr = c.offset()
	} else {
		width = int(c.u8())
	}
	for range rank {
		if n := c.uint(min(width, 8)); n > 1<<62 {
			c.fail("a chunk has an axis of length %d", n)
		} else {
			st.chunk = append(st.chunk, int(n))
		}
	}
	if c.err != nil {
		return
	}
	if size := st.chunk[rank-1]; size != d.Type.Size && d.Type.numeric() {
		c.fail("entries of %d bytes are stored in %d", d.Type.Size, size)
	}
	st.chunk = st.chunk[:rank-1]
	if version > 3 {
		d.readIndexType(c, flags)
	}
}

// readIndexType reads the type and address of an index since version 4 of the message.
func (d *Dataset) readIndexType(c *cursor, flags byte) {
	st := &d.store
	st.plainEdge = flags&1 != 0
	st.index = int(c.u8())
	// Fixed and extensible arrays and B-trees repeat their parameters in their own headers.
	switch st.index {
	case indexSingle:
		if flags&2 != 0 {
			st.size, st.mask = c.length(), c.u32()
		}
	case indexImplicit:
	case indexFixed:
		c.bytes(1)
	case indexExtensible:
		c.bytes(5)
	case indexTree2:
		c.bytes(6)
	default:
		c.fail("chunks have an index of type %d", st.index)
	}
	st.addr = c.offset()
}
