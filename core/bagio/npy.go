package bagio

// ReadNpy reads an .npy file of numbers or strings, of format version 1, 2 or 3, in C or Fortran
// order. The array keeps a reference to data. Errors are a *FormatError or a *LimitError.
func ReadNpy(name string, data []byte, l Limits) (*Array, error) {
	l = l.withDefaults()
	if err := l.bytes(name, int64(len(data))); err != nil {
		return nil, err
	}
	h, err := readNpyHeader(name, data)
	if err != nil {
		return nil, err
	}
	n, err := l.elements(name, h.shape)
	if err != nil {
		return nil, err
	}
	values := data[h.size:]
	if size := h.dtype.size; n > len(values)/size || len(values) != n*size {
		return nil, badAt(name, h.size,
			"an array of shape %s and type %v takes %d bytes, and %d follow the header",
			shapeText(h.shape), h.dtype, int64(n)*int64(size), len(values))
	}
	a := &Array{Shape: h.shape, dtype: h.dtype, data: values, file: name, start: h.size}
	if h.fortran && len(h.shape) > 1 {
		a.data, a.start = rowMajor(values, h.shape, h.dtype.size), -1
	}
	return a, nil
}

// rowMajor reorders entries of the given size from column-major (first index fastest) to row-major.
func rowMajor(data []byte, shape []int, size int) []byte {
	out := make([]byte, 0, len(data))
	step := make([]int, len(shape)) // bytes from one index to the next along each axis
	for axis, bytes := 0, size; axis < len(shape); axis++ {
		step[axis] = bytes
		bytes *= shape[axis]
	}
	index := make([]int, len(shape))
	for at := 0; len(out) < len(data); {
		out = append(out, data[at:at+size]...)
		for axis := len(shape) - 1; axis >= 0; axis-- {
			index[axis]++
			at += step[axis]
			if index[axis] < shape[axis] {
				break
			}
			at -= index[axis] * step[axis]
			index[axis] = 0
		}
	}
	return out
}

// setFromNpy reads an array of shape (k, ...) as one bag.
func setFromNpy(name string, data []byte, o Options) (*Set, error) {
	a, err := ReadNpy(name, data, o.Limits)
	if err != nil {
		return nil, err
	}
	return oneBag(name, a, o)
}
