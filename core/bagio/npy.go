package bagio

// ReadNpy reads an .npy file of numbers or strings, of format version 1, 2 or 3, in C or Fortran
// order. The array keeps a reference to data. Errors are a *FormatError or a *LimitError.
func ReadNpy(name string, data []byte, l Limits) (*Array, error) {
	return readNpy(inMemory(name, data), l)
}

// maxNpyHeader bounds the bytes of a header, which is a line of text.
const maxNpyHeader = 1 << 20

// readNpy reads an array as ReadNpy does.
func readNpy(s *source, l Limits) (*Array, error) {
	l = l.withDefaults()
	name := s.name
	if err := l.bytes(name, s.size); err != nil {
		return nil, err
	}
	head := s.head
	if end := npyHeaderEnd(head); end > int64(len(head)) {
		var err error
		if head, err = s.take(0, min(s.size, end, maxNpyHeader), l); err != nil {
			return nil, err
		}
	}
	h, err := readNpyHeader(name, head, s.size)
	if err != nil {
		return nil, err
	}
	a, err := newArray(s, h.shape, h.dtype, h.size, l)
	if err == nil && h.fortran && len(h.shape) > 1 {
		if err := l.reserve(name, int64(len(a.data))); err != nil {
			return nil, err
		}
		a.data, a.start = rowMajor(a.data, h.shape, h.dtype.size), -1
	}
	if err == nil && h.dtype == bfloat16 {
		if err := l.reserve(name, 2*int64(len(a.data))); err != nil {
			return nil, err
		}
		a = a.withoutBfloat16()
		a.unnamed = true
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
func setFromNpy(s *source, o Options) (*Set, error) {
	a, err := readNpy(s, o.Limits)
	if err != nil {
		return nil, err
	}
	return oneBag(s.name, a, o)
}
