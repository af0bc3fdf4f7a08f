package hdf5

import (
	"cmp"
	"slices"
)

// A box is a part of an array: for each axis, where it begins and its length.
type box struct{ from, n []int }

// readChunks reads rows from the stored chunks that hold some of them.
func (d *Dataset) readChunks(s *sink, from, rows int) error {
	if err := d.index(); err != nil {
		return err
	}
	want := box{make([]int, len(d.Shape)), slices.Clone(d.Shape)}
	want.from[0], want.n[0] = from, rows
	// The chunks of some rows have successive numbers.
	size, grid := d.store.chunk[0], d.state.grid
	first, end := uint64(from/size), uint64((from+rows-1)/size+1)
	for _, n := range grid[1:] {
		first, end = first*n, end*n
	}
	at := make([]uint64, len(d.Shape))
	if d.store.index == indexImplicit && d.store.addr != undefined {
		for number := first; number < end; number++ {
			grid.place(number, at)
			if err := d.readChunk(s, want, at, d.implicit(at)); err != nil {
				return err
			}
		}
		return nil
	}
	chunks := d.between(first, end)
	if uint64(len(chunks)) < end-first {
		d.fillWith(s, 0, s.n)
	}
	for _, c := range chunks {
		grid.place(c.number, at)
		if err := d.readChunk(s, want, at, c); err != nil {
			return err
		}
	}
	return nil
}

// between returns the stored chunks with numbers from first to end-1.
func (d *Dataset) between(first, end uint64) []chunk {
	at := func(number uint64) int {
		i, _ := slices.BinarySearchFunc(d.state.chunks, number, func(c chunk, number uint64) int {
			return cmp.Compare(c.number, number)
		})
		return i
	}
	return d.state.chunks[at(first):at(end)]
}

// step moves to the next place between first and last, row-major. It returns false behind the last
// one.
func step[N int | uint64](at, first, last []N) bool {
	for i := len(at) - 1; i >= 0; i-- {
		if at[i] < last[i] {
			at[i]++
			return true
		}
		at[i] = first[i]
	}
	return false
}

// index reads the index of chunks once.
func (d *Dataset) index() error {
	if d.state.indexed {
		return nil
	}
	var err error
	if d.state.chunks, d.state.grid, err = d.readIndex(); err == nil {
		d.state.indexed = true
	}
	return err
}

// A part is the common part of a chunk and the entries that are read.
type part struct {
	box
	inChunk []int // start in the chunk
	inDst   []int // start in the entries that are read
	chunk   []int // shape of the chunk
	dst     []int // shape of the entries that are read
}

// readChunk reads the wanted entries that are in a chunk at a place.
func (d *Dataset) readChunk(s *sink, want box, at []uint64, c chunk) error {
	rank := len(at)
	p := part{box: box{make([]int, rank), make([]int, rank)}, inChunk: make([]int, rank),
		inDst: make([]int, rank), chunk: d.store.chunk, dst: want.n}
	edge := false // the chunk reaches over the end of the array
	for i, n := range d.store.chunk {
		begin := int(at[i]) * n
		p.from[i] = max(begin, want.from[i])
		p.n[i] = min(begin+n, want.from[i]+want.n[i]) - p.from[i]
		p.inChunk[i], p.inDst[i] = p.from[i]-begin, p.from[i]-want.from[i]
		edge = edge || begin > d.Shape[i]-n
	}
	if len(d.filters) == 0 || edge && d.store.plainEdge {
		return d.copyPlain(s, p, c)
	}
	data, err := d.unpacked(c)
	if err != nil {
		return &FormatError{Path: d.Path, Offset: int64(c.addr),
			Reason: "a chunk cannot be unpacked", Err: err}
	}
	t, size := d.Type.little(data), d.Type.Size
	p.runs(func(from, to, n int) { s.convert(to, n, data[from*size:(from+n)*size], t) })
	return nil
}

// implicit returns the chunk at a place if the chunks of the array at its maximal size follow each
// other.
func (d *Dataset) implicit(at []uint64) chunk {
	most := make(grid, len(at))
	for i, n := range d.store.chunk {
		most[i] = ceil(d.most[i], uint64(n))
	}
	number, _ := most.number(at)
	if number > uint64(d.s.size)/uint64(d.store.bytes) {
		return chunk{addr: uint64(d.s.size)} // an address that readAt rejects
	}
	return chunk{addr: d.store.addr + number*uint64(d.store.bytes)}
}

// unpacked returns the values of a chunk with filters.
func (d *Dataset) unpacked(c chunk) ([]byte, error) {
	st := d.state
	st.packed = resized(st.packed, int(c.size))
	if err := d.s.readAt(st.packed, c.addr); err != nil {
		return nil, err
	}
	return st.unpack(st.packed, d.filters, c.mask, d.store.bytes)
}

// copyPlain reads a part of a chunk without filters: only the rows of the chunk that hold it.
func (d *Dataset) copyPlain(s *sink, p part, c chunk) error {
	size, first, end := d.Type.Size, -1, 0
	runs := 0
	p.runs(func(from, _, n int) {
		if first < 0 {
			first = from
		}
		end = from + n
		runs++
	})
	addr := c.addr + uint64(first*size)
	// A single run goes straight into the destination if its type permits that.
	if runs == 1 {
		var err error
		p.runs(func(_, to, n int) { err = d.readPlain(s, to, n, addr) })
		return err
	}
	st := d.state
	st.packed = resized(st.packed, (end-first)*size)
	if err := d.s.readAt(st.packed, addr); err != nil {
		return err
	}
	t := d.Type.little(st.packed)
	p.runs(func(from, to, n int) {
		s.convert(to, n, st.packed[(from-first)*size:(from-first+n)*size], t)
	})
	return nil
}

// runs calls visit for each run of entries that lie one behind the other in the chunk and in the
// destination: the index of its first entry in both, and the number of entries.
func (p *part) runs(visit func(from, to, n int)) {
	axis, n := len(p.n)-1, p.n[len(p.n)-1]
	// Axes that the part fills in both are one run with the axis before.
	for axis > 0 && p.n[axis] == p.chunk[axis] && p.n[axis] == p.dst[axis] {
		axis--
		n *= p.n[axis]
	}
	at, zero, last := make([]int, axis), make([]int, axis), make([]int, axis)
	for i := range last {
		last[i] = p.n[i] - 1
	}
	for {
		from, to := 0, 0
		for i := range p.n {
			from, to = from*p.chunk[i]+p.inChunk[i], to*p.dst[i]+p.inDst[i]
			if i < axis {
				from, to = from+at[i], to+at[i]
			}
		}
		visit(from, to, n)
		if !step(at, zero, last) {
			return
		}
	}
}
