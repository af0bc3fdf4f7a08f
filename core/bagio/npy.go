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
	a, err := newArray(name, h.shape, h.dtype, data[h.size:], h.size, l)
	if err == nil && h.fortran && len(h.shape) > 1 {
		if err := l.reserve(name, int64(len(a.data))); err != nil {
			return nil, err
		}
		a.data, a.start = rowMajor(a.data, h.shape, h.dtype.size), -1
	}
	return a, err
}

// rowMajor reorders entries of the given size from column-major (first index fastest) to row-major.
func rowMajor(data []byte, shape []int, size int) []byte {
	out := make([]byte, 0, len(data))
	step := make([]int, len(shape)) // bytes from one index to the next along each axis
	// The first index is the fastest in the file.
	for axis, bytes := 0, size; axis < len(shape); axis++ {
		step[axis] = bytes
		bytes *= shape[axis]
	}
	// index counts like an odometer in the order of the result, with the last index the fastest,
	// and at follows it in the source.
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
