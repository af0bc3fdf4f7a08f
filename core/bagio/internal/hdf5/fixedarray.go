package hdf5

// fixedArray reads the index of an array whose axes have maxima (section "Fixed Array Index").
func (r *indexReader) fixedArray(addr uint64) error {
	c, err := r.s.signed(addr, int64(12+r.s.lengthSize+r.s.offsetSize), "FAHD")
	if err != nil {
		return err
	}
	c.version("fixed array", 0, 0)
	client := c.u8()
	size := int(c.u8())
	pageBits := c.u8()
	n := c.length()
	block := c.offset()
	r.checkEntry(c, client, size)
	if c.err != nil || block == undefined {
		return c.err
	}
	if pageBits > 32 || n > uint64(r.s.size)/uint64(size) {
		c.fail("an index of chunks has %d entries", n)
	}
	for _, most := range r.most {
		if most == 0 {
			c.fail("an array that can grow has an index for arrays that cannot")
		}
	}
	if c.err != nil {
		return c.err
	}
	place := func(number uint64) { r.most.place(number, r.at) }
	if page := uint64(1) << pageBits; n > page {
		return r.fixedPages(block, n, page, size, place)
	}
	prefix := 10 + r.s.offsetSize
	if c, err = r.s.signed(block, int64(prefix)+int64(n)*int64(size), "FADB"); err != nil {
		return err
	}
	c.bytes(2 + r.s.offsetSize)
	r.entries(c, int(n), size, 0, place)
	return c.err
}

// fixedPages reads a data block of n entries in pages. A map has a bit for each page that is in
// use.
func (r *indexReader) fixedPages(addr, n, page uint64, size int, place func(uint64)) error {
	pages := (n-1)/page + 1
	mapBytes := (pages + 7) / 8
	prefix := uint64(10+r.s.offsetSize) + mapBytes
	c, err := r.s.signed(addr, int64(prefix), "FADB")
	if err != nil {
		return err
	}
	c.bytes(2 + r.s.offsetSize)
	used := c.bytes(int(mapBytes))
	addr += prefix
	for i := range pages {
		count := min(page, n-i*page)
		if bit(used, int(i)) {
			if err := r.page(addr, int(count), size, i*page, place); err != nil {
				return err
			}
		}
		addr += count*uint64(size) + 4
	}
	return nil
}

// page reads n entries followed by a checksum.
func (r *indexReader) page(addr uint64, n, size int, first uint64, place func(uint64)) error {
	c, err := r.s.signed(addr, int64(n)*int64(size)+4, "")
	if err != nil {
		return err
	}
	r.entries(c, n, size, first, place)
	return c.err
}

// bit returns a bit of a map whose first bit is the highest of the first byte.
func bit(bits []byte, i int) bool { return bits[i/8]&(0x80>>(i%8)) != 0 }
