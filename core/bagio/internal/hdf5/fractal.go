package hdf5

import "math/bits"

// A fractalHeap holds dense links and attributes (section "Fractal Heap").
type fractalHeap struct {
	s           *source
	idSize      int
	summed      bool   // direct blocks have a checksum
	width       uint64 // blocks in a row of the doubling table; a power of two
	start       uint64 // bytes of the first block; a power of two
	largest     uint64 // bytes of the largest direct block; a power of two
	offsetBytes int    // bytes of an offset in the heap
	lengthBytes int    // bytes of an object's length
	huge        uint64 // address of the B-tree of huge objects
	root        uint64
	rows        int                 // rows of the root block; 0 if it is a direct block
	direct      map[uint64][]byte   // direct blocks by address
	indirect    map[uint64][]uint64 // children of indirect blocks by address
}

func (s *source) fractalHeap(addr uint64) (*fractalHeap, error) {
	c, err := s.signed(addr, int64(26+3*s.offsetSize+12*s.lengthSize), "FRHP")
	if err != nil {
		return nil, err
	}
	h := &fractalHeap{s: s, direct: map[uint64][]byte{}, indirect: map[uint64][]uint64{}}
	c.version("fractal heap", 0, 0)
	h.idSize = c.u16()
	if filters := c.u16(); filters != 0 && c.err == nil {
		return nil, unsupported("a fractal heap with filters")
	}
	h.summed = c.u8()&2 != 0
	mostManaged := uint64(c.u32())
	c.length() // the next identifier of a huge object
	h.huge = c.offset()
	c.length() // free space
	c.offset()
	c.bytes(8 * s.lengthSize) // statistics
	h.width = uint64(c.u16())
	h.start, h.largest = c.length(), c.length()
	offsetBits := c.u16()
	c.u16() // rows at first
	h.root, h.rows = c.offset(), c.u16()
	powers := bits.OnesCount64(h.width) == 1 && bits.OnesCount64(h.start) == 1 &&
		bits.OnesCount64(h.largest) == 1
	if c.err == nil && (!powers || h.start > h.largest || h.largest > 1<<31 || offsetBits > 64 ||
		h.rows > 64 || h.width > 1<<15) {
		c.fail("the blocks of a heap have invalid sizes")
	}
	h.offsetBytes = (offsetBits + 7) / 8
	h.lengthBytes = min((bits.Len64(h.largest)+6)/8, byteCount(mostManaged))
	return h, c.err
}

// object returns the object with an identifier.
func (h *fractalHeap) object(id []byte) (*cursor, error) {
	c := h.s.cursor(id, h.root)
	kind := c.u8()
	switch kind >> 4 {
	case 0: // managed: the object is in a block of the heap
		offset, n := c.uint(h.offsetBytes), c.uint(h.lengthBytes)
		if c.err != nil {
			return nil, c.err
		}
		return h.managed(offset, n)
	case 1:
		return h.hugeObject(c)
	case 2: // tiny: the object is in the identifier
		n := int(kind&15) + 1
		if len(id) > 18 {
			n = int(kind&15)<<8 + int(c.u8()) + 1
		}
		b := c.bytes(n)
		return h.s.cursor(b, h.root), c.err
	}
	return nil, damaged(h.root, "a heap has an object of type %d", kind>>4)
}

// managed returns n bytes at an offset of the heap.
func (h *fractalHeap) managed(offset, n uint64) (*cursor, error) {
	// Offsets count the headers of blocks, so that an offset in a block is one from its beginning.
	if h.rows == 0 {
		return h.inBlock(h.root, h.start, offset, n)
	}
	addr, rows := h.root, h.rows
	for {
		children, err := h.children(addr, rows)
		if err != nil {
			return nil, err
		}
		row, column, rest := h.place(offset)
		if row >= rows {
			return nil, damaged(addr, "a heap has no object at %d", offset)
		}
		child := children[uint64(row)*h.width+column]
		if row < h.directRows() {
			return h.inBlock(child, h.rowSize(row), rest, n)
		}
		// The block is smaller than the one that refers to it, so that the loop ends.
		rows = bits.Len64(h.rowSize(row) / (h.start * h.width))
		if rows < 1 || rows > row {
			return nil, damaged(addr, "a heap's blocks have invalid sizes")
		}
		addr, offset = child, rest
	}
}

// place returns the row and column of the block with an offset, and the offset inside of it.
func (h *fractalHeap) place(offset uint64) (row int, column, rest uint64) {
	first := h.start * h.width // bytes of row 0
	// Rows 0 and 1 have blocks of the same size; each later row has twice that of the row before,
	// so that row r > 0 begins at first times a power of two.
	if offset >= first {
		power := bits.Len64(offset) - 1
		row = power - (bits.Len64(first) - 1) + 1
		offset -= 1 << power
	}
	return row, offset / h.rowSize(row), offset % h.rowSize(row)
}

// rowSize returns the bytes of a block in a row.
func (h *fractalHeap) rowSize(row int) uint64 { return h.start << max(0, row-1) }

// directRows returns the number of rows with direct blocks.
func (h *fractalHeap) directRows() int {
	return bits.Len64(h.largest) - bits.Len64(h.start) + 2
}

// inBlock returns n bytes at an offset of a direct block.
func (h *fractalHeap) inBlock(addr, size, offset, n uint64) (*cursor, error) {
	block, ok := h.direct[addr]
	if !ok {
		c, err := h.s.block(addr, int64(size))
		if err != nil {
			return nil, err
		}
		c.signature("FHDB")
		if h.summed && c.err == nil {
			err = h.checkBlock(c)
		}
		if c.err != nil || err != nil {
			return nil, firstError(c.err, err)
		}
		block = c.b
		h.direct[addr] = block
	}
	if offset > uint64(len(block)) || n > uint64(len(block))-offset {
		return nil, damaged(addr, "an object lies outside of its heap")
	}
	if err := h.s.reserve(int64(n)); err != nil {
		return nil, err
	}
	return h.s.cursor(block[offset:offset+n:offset+n], addr+offset), nil
}

// checkBlock compares a direct block with its checksum, which is computed with zeros in its own
// place.
func (h *fractalHeap) checkBlock(c *cursor) error {
	c.bytes(1 + h.s.offsetSize + h.offsetBytes)
	from := c.pos
	want := c.u32()
	if c.err != nil {
		return c.err
	}
	clear(c.b[from:c.pos])
	if !h.s.skipSums && lookup3(c.b) != want {
		c.fail("a checksum does not match; the file is damaged")
	}
	return c.err
}

// children returns the addresses in an indirect block.
func (h *fractalHeap) children(addr uint64, rows int) ([]uint64, error) {
	n := rows * int(h.width)
	if list, ok := h.indirect[addr]; ok && len(list) == n {
		return list, nil
	}
	c, err := h.s.signed(addr, int64(9+h.s.offsetSize+h.offsetBytes+n*h.s.offsetSize), "FHIB")
	if err != nil {
		return nil, err
	}
	c.bytes(1 + h.s.offsetSize + h.offsetBytes)
	list := make([]uint64, n)
	for i := range list {
		list[i] = c.offset()
	}
	h.indirect[addr] = list
	return list, c.err
}

// hugeObject returns an object that lies outside of the heap's blocks.
func (h *fractalHeap) hugeObject(c *cursor) (*cursor, error) {
	// The identifier holds the address if that fits in it, and otherwise a number in a B-tree.
	if h.s.offsetSize+h.s.lengthSize <= h.idSize-1 {
		addr, n := c.offset(), c.length()
		if c.err != nil {
			return nil, c.err
		}
		return h.s.block(addr, int64(min(n, 1<<62)))
	}
	want := c.uint(min(h.idSize-1, h.s.lengthSize))
	if c.err != nil {
		return nil, c.err
	}
	var object *cursor
	err := h.s.walk2(h.huge, 1, func(r *cursor) error {
		addr, n, id := r.offset(), r.length(), r.length()
		if r.err != nil || id != want || object != nil {
			return r.err
		}
		var err error
		object, err = h.s.block(addr, int64(min(n, 1<<62)))
		return err
	})
	if err == nil && object == nil {
		err = damaged(h.root, "a heap has no huge object %d", want)
	}
	return object, err
}
