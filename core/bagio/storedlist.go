package bagio

import "github.com/bagscope/bagscope/core/bagio/internal/hdf5"

// A storedList is an array of one axis in a file, which is not read before it is needed. Its
// methods reserve the memory that they take, and return this package's errors.
type storedList interface {
	len() int
	isText() bool
	narrow() bool // a float32 holds its numbers
	numbers() ([]float64, error)
	wholes() ([]int64, error)
	texts() ([]string, error)
}

// An hdf5List is a dataset of one axis.
type hdf5List struct {
	file   string
	limits Limits
	*hdf5.Dataset
}

func (h hdf5List) len() int     { return h.Shape[0] }
func (h hdf5List) isText() bool { return h.Type.Kind == 'S' }
func (h hdf5List) narrow() bool {
	return h.Type.Size < 4 || h.Type.Kind == 'f' && h.Type.Size == 4
}

// ready reserves the memory of the numbers, each of eight bytes, if they can be read.
func (h hdf5List) ready() error {
	if err := h.Supported(); err != nil {
		return hdf5Error(h.file, err)
	}
	need := 8 * int64(h.len())
	if err := h.limits.bytes(h.file+h.Path, need); err != nil {
		return err
	}
	return h.limits.reserve(h.file, need+h.Memory())
}

func (h hdf5List) numbers() ([]float64, error) {
	if err := h.ready(); err != nil {
		return nil, err
	}
	out := make([]float64, h.len())
	return out, hdf5Error(h.file, h.ReadFloat64(out, 0, h.Rows()))
}

func (h hdf5List) wholes() ([]int64, error) {
	if err := h.ready(); err != nil {
		return nil, err
	}
	out := make([]int64, h.len())
	return out, hdf5Error(h.file, h.ReadInt64(out, 0, h.Rows()))
}

func (h hdf5List) texts() ([]string, error) {
	if err := h.limits.bytes(h.file+h.Path, h.TextBytes()); err != nil {
		return nil, err
	}
	if err := h.limits.reserve(h.file, 2*h.TextBytes()+h.Memory()); err != nil {
		return nil, err
	}
	texts, err := h.ReadTexts()
	return texts, hdf5Error(h.file, err)
}

// An arrayList is an array of one axis that is read as a whole.
type arrayList struct {
	n      int
	dtype  dtype
	limits Limits
	array  func() (*Array, error)
}

func (a arrayList) len() int     { return a.n }
func (a arrayList) isText() bool { return a.dtype.isText() }
func (a arrayList) narrow() bool {
	return a.dtype.size < 4 || a.dtype.kind == 'f' && a.dtype.size == 4
}

func (a arrayList) numbers() ([]float64, error) {
	array, err := a.array()
	if err != nil {
		return nil, err
	}
	if err := array.numbers(); err != nil {
		return nil, err
	}
	size, get := array.dtype.size, array.dtype.float()
	if err := a.limits.reserve(array.file, 8*int64(len(array.data)/size)); err != nil {
		return nil, err
	}
	out := make([]float64, len(array.data)/size)
	for i := range out {
		out[i] = get(array.data[i*size:])
	}
	return out, nil
}

func (a arrayList) wholes() ([]int64, error) {
	array, err := a.array()
	if err != nil {
		return nil, err
	}
	if err := a.limits.reserve(array.file, 16*int64(array.Len())); err != nil {
		return nil, err
	}
	numbers, err := array.Ints()
	out := make([]int64, len(numbers))
	for i, v := range numbers {
		out[i] = int64(v)
	}
	return out, err
}

func (a arrayList) texts() ([]string, error) {
	array, err := a.array()
	if err != nil {
		return nil, err
	}
	return array.words()
}
