package hdf5

// pieceBytes is the memory for values that are converted.
const pieceBytes = 1 << 18

// A state is the memory of reading a dataset.
type state struct {
	indexed bool
	chunks  []chunk // all chunks, sorted by number
	grid    grid
	packed  []byte
	unpacker
}

// ReadFloat32 reads rows of the first axis, beginning with row from, into dst, which must have the
// length of these rows. Values are converted as NumPy's astype does. Errors are an
// *UnsupportedError, a *FormatError, a *LimitError, or a *LookupError for rows outside of the
// dataset. A chunk is unpacked once for each block of rows that it has values of.
func (d *Dataset) ReadFloat32(dst []float32, from, rows int) error {
	return read(d, dst, from, rows)
}

// ReadFloat64 reads rows like ReadFloat32.
func (d *Dataset) ReadFloat64(dst []float64, from, rows int) error {
	return read(d, dst, from, rows)
}

// ReadInt64 reads rows like ReadFloat32. Floats are truncated; one that is not a number or out of
// range becomes the smallest int64.
func (d *Dataset) ReadInt64(dst []int64, from, rows int) error {
	return read(d, dst, from, rows)
}

// ReadUint8 reads rows like ReadFloat32, from a dataset of unsigned bytes only.
func (d *Dataset) ReadUint8(dst []uint8, from, rows int) error {
	if d.Type.Kind != 'u' || d.Type.Size != 1 {
		return &UnsupportedError{Path: d.Path,
			What: "conversion of " + d.Type.String() + " to bytes"}
	}
	return read(d, dst, from, rows)
}

// Offset returns where the values of a dataset of unsigned bytes or float32 begin in the file, if
// they lie there one behind the other and wholly in it.
func (d *Dataset) Offset() (int64, bool) {
	size := int64(d.Rows()) * int64(d.row()) * int64(d.Type.Size)
	if t := d.Type; d.problem != nil || d.store.class != contiguous || d.store.addr == undefined ||
		!(t.Kind == 'f' && t.Size == 4 || t.Kind == 'u' && t.Size == 1) ||
		d.s.holds(d.store.addr, size) != nil {
		return 0, false
	}
	return d.s.base + int64(d.store.addr), true
}

// A sink is what values are read into. It hides the type of the entries from the code that finds
// them in the file, which would be compiled for each type otherwise.
type sink struct {
	memory  []byte // bytes of the destination
	size    int    // bytes of an entry of the destination
	n       int    // entries
	native  bool   // entries are stored as they are in memory
	convert func(at, n int, src []byte, t Type)
}

func read[T number](d *Dataset, dst []T, from, rows int) error {
	if err := d.check(len(dst), from, rows); err != nil || len(dst) == 0 {
		return err
	}
	bytes := memory(dst)
	s := &sink{bytes, len(bytes) / len(dst), len(dst), native[T](d.Type),
		func(at, n int, src []byte, t Type) {
			if d.member != nil {
				src = d.member.picked(src, n, t.Size)
				t = d.member.kind.little(src)
			}
			convert(dst[at:at+n], src, t)
		}}
	return inside(d.Path, d.readRows(s, from, rows))
}

// readRows reads rows that are in the dataset.
func (d *Dataset) readRows(s *sink, from, rows int) error {
	size := d.Type.Size
	switch d.store.class {
	case compact: // the values are a copy, because conversion swaps bytes in place
		first := from * d.row() * size
		data := append([]byte(nil), d.store.data[first:first+s.n*size]...)
		s.convert(0, s.n, data, d.Type.little(data))
	case contiguous:
		if d.store.addr == undefined {
			d.fillWith(s, 0, s.n)
			return nil
		}
		return d.readPlain(s, 0, s.n, d.store.addr+uint64(from*d.row()*size))
	case chunked:
		return d.readChunks(s, from, rows)
	}
	return nil
}

// readPlain reads n entries that lie one behind the other in the file.
func (d *Dataset) readPlain(s *sink, at, n int, addr uint64) error {
	// Without conversion there is no other memory than the destination.
	if s.native {
		return d.s.readAt(s.memory[at*s.size:(at+n)*s.size], addr)
	}
	size := d.Type.Size
	for n > 0 {
		some := min(n, pieceBytes/size)
		d.state.packed = resized(d.state.packed, some*size)
		piece := d.state.packed
		if err := d.s.readAt(piece, addr); err != nil {
			return err
		}
		s.convert(at, some, piece, d.Type.little(piece))
		at, n, addr = at+some, n-some, addr+uint64(some*size)
	}
	return nil
}

// fillWith sets n entries that are not stored.
func (d *Dataset) fillWith(s *sink, at, n int) {
	memory := s.memory[at*s.size : (at+n)*s.size]
	if len(d.fill) == 0 {
		clear(memory)
		return
	}
	entry := append([]byte(nil), d.fill...)
	s.convert(at, 1, entry, d.Type.little(entry))
	for done := s.size; done < len(memory); done *= 2 {
		copy(memory[done:], memory[:done])
	}
}
