package hdf5

import "math/bits"

// An extensible is the index of an array with one axis without a maximum (section "Extensible Array
// Index"). Its entries are in an index block, in data blocks and, behind them, in data blocks of
// secondary blocks. Secondary block u has 2^(u/2) data blocks of 2^((u+1)/2) times minEntries.
type extensible struct {
	*indexReader
	size       int // bytes of an entry
	maxBits    int // bits of the number of entries
	inIndex    int // entries in the index block
	minEntries int // entries of the smallest data block; a power of two
	minBlocks  int // data blocks of the smallest secondary block; a power of two
	pageBits   int // data blocks with more than 2^pageBits entries have pages
	next       uint64
	end        uint64 // number of entries
	axis       int    // the axis without a maximum
}

func (r *indexReader) extensibleArray(addr uint64) error {
	c, err := r.s.signed(addr, int64(16+6*r.s.lengthSize+r.s.offsetSize), "EAHD")
	if err != nil {
		return err
	}
	e := &extensible{indexReader: r, axis: -1}
	c.version("extensible array", 0, 0)
	client := c.u8()
	e.size, e.maxBits, e.inIndex = int(c.u8()), int(c.u8()), int(c.u8())
	e.minEntries, e.minBlocks, e.pageBits = int(c.u8()), int(c.u8()), int(c.u8())
	c.bytes(4 * r.s.lengthSize) // statistics
	e.end = c.length()
	c.length()
	block := c.offset()
	r.checkEntry(c, client, e.size)
	e.check(c)
	if c.err != nil || block == undefined {
		return c.err
	}
	return e.indexBlock(block)
}

// check finds the axis without a maximum, and sets the cursor's fault if the array does not fit
// such an index.
func (e *extensible) check(c *cursor) {
	powers := bits.OnesCount(uint(e.minEntries)) == 1 && bits.OnesCount(uint(e.minBlocks)) == 1
	if c.err == nil && (!powers || e.maxBits > 64 || e.pageBits > 32 || e.minBlocks < 2) {
		c.fail("an index of chunks has blocks of invalid sizes")
	}
	for i, most := range e.most {
		if most == 0 && e.axis < 0 {
			e.axis = i
		} else if most == 0 {
			c.fail("an array with two axes that can grow has an index for one")
		}
	}
	if e.axis < 0 {
		c.fail("an array that cannot grow has an index for arrays that can")
	}
}

// place finds an entry: the axis that can grow is the slowest, before the others in their order.
func (e *extensible) place(number uint64) {
	for i := len(e.at) - 1; i >= 0; i-- {
		if i != e.axis {
			e.at[i] = number % e.most[i]
			number /= e.most[i]
		}
	}
	e.at[e.axis] = number
}

// indexBlock reads the index block and all blocks that it refers to.
func (e *extensible) indexBlock(addr uint64) error {
	direct := 2 * (e.minBlocks - 1) // data blocks without a secondary block
	// The levels below the first one with a secondary block hold these data blocks.
	firstLevel := 2 * (bits.Len(uint(e.minBlocks)) - 1)
	levels := 1 + e.maxBits - (bits.Len(uint(e.minEntries)) - 1)
	secondary := max(0, levels-firstLevel)
	offsets := (direct + secondary) * e.s.offsetSize
	c, err := e.s.signed(addr, int64(10+e.s.offsetSize+e.inIndex*e.size+offsets), "EAIB")
	if err != nil {
		return err
	}
	c.bytes(2 + e.s.offsetSize)
	e.entries(c, e.inIndex, e.size, 0, e.place)
	e.next = uint64(e.inIndex)
	for level := 0; level < firstLevel; level++ {
		for range 1 << (level / 2) {
			block := c.offset()
			if c.err != nil {
				return c.err
			}
			if err := e.dataBlock(block, level, nil, 0); err != nil {
				return err
			}
		}
	}
	for level := firstLevel; level < levels && e.next < e.end; level++ {
		block := c.offset()
		if c.err != nil {
			return c.err
		}
		if err := e.secondaryBlock(block, level); err != nil {
			return err
		}
	}
	return c.err
}

// blockEntries returns the number of entries in a data block of a level.
func (e *extensible) blockEntries(level int) uint64 {
	return uint64(e.minEntries) << ((level + 1) / 2)
}

// pages returns the number of pages of a data block of a level, or 0 if it has none.
func (e *extensible) pages(level int) uint64 {
	if n := e.blockEntries(level); n > 1<<e.pageBits {
		return n >> e.pageBits
	}
	return 0
}

// secondaryBlock reads the data blocks of a level.
func (e *extensible) secondaryBlock(addr uint64, level int) error {
	blocks := uint64(1) << (level / 2)
	if addr == undefined {
		e.next += blocks * e.blockEntries(level)
		return nil
	}
	mapBytes := (e.pages(level) + 7) / 8
	offsetBytes := (e.maxBits + 7) / 8
	perBlock := mapBytes + uint64(e.s.offsetSize)
	if blocks > uint64(e.s.size)/perBlock {
		return damaged(addr, "an index of chunks has a block for %d others", blocks)
	}
	total := uint64(10+e.s.offsetSize+offsetBytes) + blocks*perBlock
	c, err := e.s.signed(addr, int64(total), "EASB")
	if err != nil {
		return err
	}
	c.bytes(2 + e.s.offsetSize + offsetBytes)
	used := c.bytes(int(blocks * mapBytes))
	for i := range blocks {
		block := c.offset()
		if c.err != nil {
			return c.err
		}
		if err := e.dataBlock(block, level, used, i*e.pages(level)); err != nil {
			return err
		}
	}
	return nil
}

// dataBlock reads the entries of a data block. The map used has a bit for each of its pages, the
// first of which has an index. Bits of the next data block follow without a gap, although the map
// has whole bytes for each data block.
func (e *extensible) dataBlock(addr uint64, level int, used []byte, index uint64) error {
	n := e.blockEntries(level)
	first := e.next
	e.next += n
	if addr == undefined {
		return nil
	}
	if n > uint64(e.s.size) {
		return damaged(addr, "an index of chunks has a block of %d entries", n)
	}
	prefix := 10 + e.s.offsetSize + (e.maxBits+7)/8
	if pages := e.pages(level); pages > 0 {
		if index+pages > uint64(len(used))*8 {
			return damaged(addr, "an index of chunks has pages without a map")
		}
		return e.dataPages(addr+uint64(prefix), first, pages, used, index)
	}
	c, err := e.s.signed(addr, int64(prefix)+int64(n)*int64(e.size), "EADB")
	if err != nil {
		return err
	}
	c.bytes(prefix - 8)
	e.entries(c, int(n), e.size, first, e.place)
	return c.err
}

// dataPages reads the pages of a data block that are in use.
func (e *extensible) dataPages(addr, first, pages uint64, used []byte, index uint64) error {
	n := uint64(1) << e.pageBits
	for i := range pages {
		if bit(used, int(index+i)) {
			if err := e.page(addr, int(n), e.size, first+i*n, e.place); err != nil {
				return err
			}
		}
		addr += n*uint64(e.size) + 4
	}
	return nil
}
