package hdf5

// TextBytes returns the bytes that the entries of a dataset of texts have in the file, without
// those of texts of variable length. It is 0 for another dataset, and larger than any memory if it
// overflows.
func (d *Dataset) TextBytes() int64 {
	if d.Type.Kind != 'S' {
		return 0
	}
	n := int64(1)
	for _, side := range append([]int{d.Type.Size}, d.Shape...) {
		if side > 0 && n > (1<<62)/int64(side) {
			return 1 << 62
		}
		n *= int64(side)
	}
	return n
}

// ReadTexts returns all entries of a dataset of texts, row-major. It takes TextBytes and Memory,
// and as much as the texts have. Errors are those of ReadFloat32; texts of variable length count as
// metadata.
func (d *Dataset) ReadTexts() ([]string, error) {
	if d.problem != nil {
		return nil, d.problem
	}
	if d.Type.Kind != 'S' {
		return nil, &UnsupportedError{Path: d.Path,
			What: "conversion of " + d.Type.String() + " to texts"}
	}
	raw, err := d.readRaw()
	if err != nil {
		return nil, err
	}
	texts, err := d.s.texts(d.Type, raw, d.store.addr)
	return texts, inside(d.Path, err)
}

// readRaw returns the bytes of all entries.
func (d *Dataset) readRaw() ([]byte, error) {
	size, n := d.Type.Size, d.Rows()*d.row()
	raw := make([]byte, n*size)
	if n == 0 {
		return raw, nil
	}
	s := &sink{raw, size, n, true, func(at, n int, src []byte, _ Type) {
		copy(raw[at*size:(at+n)*size], src)
	}}
	return raw, inside(d.Path, d.readRows(s, 0, d.Rows()))
}
