package hdf5

import "sort"

// A chunk is a stored part of an array.
type chunk struct {
	number uint64 // position in the grid of chunks, row-major
	addr   uint64
	size   uint32 // bytes in the file
	mask   uint32 // filters that were not applied
}

// A grid numbers the chunks of an array row-major.
type grid []uint64 // chunks along each axis

// number returns the number of the chunk at a place, or false if the place is outside of the grid.
func (g grid) number(place []uint64) (uint64, bool) {
	n := uint64(0)
	for i, p := range place {
		if p >= g[i] {
			return 0, false
		}
		n = n*g[i] + p
	}
	return n, true
}

// place returns the place of a chunk in the grid. The first axis takes what the others leave.
func (g grid) place(number uint64, place []uint64) {
	for i := len(g) - 1; i > 0; i-- {
		place[i] = number % g[i]
		number /= g[i]
	}
	place[0] = number
}

// An indexReader collects the stored chunks of a dataset.
type indexReader struct {
	*Dataset
	now    grid // chunks of the array
	most   grid // chunks of the array at its maximal size; 0 for an axis without a maximum
	chunks []chunk
	at     []uint64 // memory of a place
}

// readIndex returns the stored chunks of a dataset by number, and the grid that numbers them.
func (d *Dataset) readIndex() ([]chunk, grid, error) {
	r := &indexReader{Dataset: d, at: make([]uint64, len(d.store.chunk))}
	for i, n := range d.store.chunk {
		r.now = append(r.now, ceil(uint64(d.Shape[i]), uint64(n)))
		most := uint64(0)
		if d.most[i] != unlimited {
			most = ceil(d.most[i], uint64(n))
		}
		r.most = append(r.most, most)
	}
	if d.store.addr == undefined {
		return nil, r.now, nil
	}
	if err := r.read(); err != nil {
		return nil, nil, inside(d.Path, err)
	}
	// The sort package's code is in the program already; slices.SortFunc would be compiled again.
	byNumber := func(i, k int) bool { return r.chunks[i].number < r.chunks[k].number }
	if !sort.SliceIsSorted(r.chunks, byNumber) {
		sort.Slice(r.chunks, byNumber)
	}
	for i := 1; i < len(r.chunks); i++ {
		if c := r.chunks[i]; c.number == r.chunks[i-1].number {
			return nil, nil, inside(d.Path, damaged(c.addr, "two chunks have the same place"))
		}
	}
	return r.chunks, r.now, nil
}

// ceil returns a/b rounded up.
func ceil(a, b uint64) uint64 {
	if a == 0 {
		return 0
	}
	return (a-1)/b + 1
}

func (r *indexReader) read() error {
	switch st := r.store; st.index {
	case indexTree1:
		return r.tree1()
	case indexSingle:
		size := uint64(st.bytes)
		if st.size != 0 {
			size = st.size
		}
		return r.add(r.at, st.addr, size, st.mask)
	case indexImplicit:
		return nil // see implicit
	case indexFixed:
		return r.fixedArray(st.addr)
	case indexExtensible:
		return r.extensibleArray(st.addr)
	}
	return r.tree2()
}

// add adds a stored chunk. Chunks outside of the array are ignored: HDF5 may leave them behind when
// an array shrinks.
func (r *indexReader) add(place []uint64, addr, size uint64, mask uint32) error {
	number, ok := r.now.number(place)
	if !ok || addr == undefined {
		return nil
	}
	if limit := uint64(packedLimit(r.store.bytes)); size > min(limit, 1<<32-1) {
		return damaged(addr, "a chunk of %d bytes is stored in %d", r.store.bytes, size)
	}
	if len(r.filters) == 0 && size < uint64(r.store.bytes) {
		return damaged(addr, "a chunk of %d bytes is stored in %d", r.store.bytes, size)
	}
	if err := r.s.holds(addr, int64(size)); err != nil {
		return err
	}
	r.chunks = append(r.chunks, chunk{number, addr, uint32(size), mask})
	return nil
}

// tree1 reads an index of old files: keys hold size, mask and place of the first entry.
func (r *indexReader) tree1() error {
	rank := len(r.at)
	t := tree1{s: r.s, kind: 1, keySize: 8 + 8*(rank+1)}
	t.visit = func(key []byte, addr uint64) error {
		c := r.s.cursor(key, addr)
		size, mask := c.u32(), c.u32()
		for i := range r.at {
			at, n := c.uint(8), uint64(r.store.chunk[i])
			if at%n != 0 {
				return damaged(addr, "a chunk begins at entry %d of axis %d, between chunks", at, i)
			}
			r.at[i] = at / n
		}
		return r.add(r.at, addr, uint64(size), mask)
	}
	return t.walk(r.store.addr)
}

// tree2 reads an index of arrays with several axes without a maximum.
func (r *indexReader) tree2() error {
	kind := byte(10)
	if len(r.filters) > 0 {
		kind = 11
	}
	return r.s.walk2(r.store.addr, kind, func(c *cursor) error {
		addr, size, mask := r.entry(c, c.left()-8*len(r.at))
		for i := range r.at {
			r.at[i] = c.uint(8)
		}
		if c.err != nil {
			return c.err
		}
		return r.add(r.at, addr, size, mask)
	})
}

// entry reads address, size and mask of a chunk from an entry of n bytes. Only chunks with filters
// have a size and a mask; the number of bytes of the size differs between files.
func (r *indexReader) entry(c *cursor, n int) (addr, size uint64, mask uint32) {
	addr = c.offset()
	if len(r.filters) == 0 {
		return addr, uint64(r.store.bytes), 0
	}
	width := n - r.s.offsetSize - 4
	if width < 1 || width > 8 {
		c.fail("the size of a chunk has %d bytes", width)
		return undefined, 0, 0
	}
	return addr, c.uint(width), c.u32()
}

// checkEntry returns an error if entries of a size cannot hold what entry reads.
func (r *indexReader) checkEntry(c *cursor, client byte, size int) {
	least := r.s.offsetSize
	if filtered := len(r.filters) > 0; filtered != (client == 1) {
		c.fail("an index of chunks has type %d", client)
	} else if filtered {
		least += 5
	}
	if size < least {
		c.fail("an index of chunks has entries of %d bytes", size)
	}
}

// entries reads n entries of an array of chunks, the first of which has a number in the grid g.
func (r *indexReader) entries(c *cursor, n, size int, first uint64, place func(uint64)) {
	for i := 0; i < n && c.err == nil; i++ {
		from := c.pos
		addr, bytes, mask := r.entry(c, size)
		if rest := size - (c.pos - from); rest > 0 {
			c.bytes(rest)
		}
		if c.err != nil || addr == undefined {
			continue
		}
		place(first + uint64(i))
		c.err = r.add(r.at, addr, bytes, mask)
	}
}
