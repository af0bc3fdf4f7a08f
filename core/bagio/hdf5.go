package bagio

import (
	"encoding/binary"
	"errors"
	"maps"
	"path"
	"slices"
	"strings"
	"unsafe"

	"github.com/bagscope/bagscope/core/bagio/internal/hdf5"
	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/internal/msg"
)

// isHDF5 reports whether a file begins like an HDF5 file, behind a user block of 0, 512, 1024 or
// more bytes.
func isHDF5(s *source) bool {
	for at := int64(0); at < s.size; at = max(512, 2*at) {
		if s.begins(at, "\x89HDF\r\n\x1a\n") {
			return true
		}
	}
	return false
}

// setFromHDF5 reads the features of an HDF5 file.
func setFromHDF5(s *source, o Options) (*Set, error) {
	file, l := s.name, o.Limits.withDefaults()
	f, err := hdf5.Open(s, s.size, hdf5.Limits{Elements: l.Elements, Chunk: min(64<<20, l.Bytes),
		Reserve: func(bytes int64) error { return l.reserve(file, 4*bytes) }})
	if err != nil {
		return nil, hdf5Error(file, err)
	}
	if begins(s.head, magicMATLAB73) {
		return setFromMATLAB73(s, f, o)
	}
	names, err := hdf5Names(file, f, &o)
	if err != nil {
		return nil, err
	}
	n := &namedArrays{file: file, attributes: hdf5Attributes(f), own: map[string]attributes{}}
	lists, groups := hdf5Lists(file, f, l), hdf5Groups(f)
	for _, said := range groups {
		if _, kind := said.text("pandas_type"); kind != "" && o.Array == "" {
			return nil, bad(file, "it is a table of pandas, which is not read; pandas writes it "+
				"as CSV: python3 -c \"import pandas; pandas.read_hdf('FILE').to_csv('bag.csv')\"")
		}
	}
	sparse := sparseMatrices(groups, lists)
	n.addSparse(sparse, l)
	for _, d := range f.Datasets() {
		if sparse[path.Dir(strings.TrimPrefix(d.Path, "/"))] != nil {
			continue
		}
		name := names[d]
		if name == "" {
			name = strings.TrimPrefix(d.Path, "/")
		}
		n.own[name] = attributes{}
		n.own[name].add(d.Attributes)
		said := strings.HasPrefix(name, "uns/") // the dicts of AnnData
		if name != o.Array && (said || len(d.Shape) == 0 && d.Supported() == nil) {
			if err := n.addNumbers(file, d); err != nil {
				return nil, err
			}
			continue
		}
		if n.addCompound(s, d, name, l) {
			continue
		}
		// Text and records are not part of a bag, but features of such a type are an error.
		if d.Type.Kind == 0 && name != o.Array && !slices.Contains(featureNames, path.Base(name)) {
			n.others = append(n.others, msg.Sprintf("%s (%s)", name, d.Type))
			continue
		}
		n.arrays = append(n.arrays, namedArray{name, d.Shape, func() (*Array, error) {
			return hdf5Array(s, d, l)
		}})
	}
	n.columns, n.groups = lists, groups
	return setFromFeatures(n, o)
}

// hdf5Lists returns the datasets of one axis, not nil.
func hdf5Lists(file string, f *hdf5.File, l Limits) []pathList {
	lists := []pathList{}
	for _, d := range f.Datasets() {
		if len(d.Shape) == 1 {
			lists = append(lists, pathList{strings.TrimPrefix(d.Path, "/"), hdf5List{file, l, d}})
		}
	}
	return lists
}

// hdf5Groups returns the attributes of groups by their paths without a first slash; that of the
// root is ".".
func hdf5Groups(f *hdf5.File) map[string]attributes {
	out := map[string]attributes{}
	for _, g := range f.Groups() {
		said := attributes{}
		said.add(g.Attributes)
		out[path.Clean(strings.TrimPrefix(g.Path, "/"))] = said
	}
	return out
}

// addSparse adds sparse matrices, in the order of their paths.
func (n *namedArrays) addSparse(matrices map[string]*sparseMatrix, l Limits) {
	for _, at := range slices.Sorted(maps.Keys(matrices)) {
		m := matrices[at]
		name := strings.TrimPrefix(at, ".")
		n.arrays = append(n.arrays, namedArray{name, m.shape, func() (*Array, error) {
			return m.array(n.file, l)
		}})
	}
}

// hdf5Names returns other names of datasets: the name that the caller chose, or a usual one. They
// differ from the path if links lead to the dataset. A link that leads out of the file is an error.
func hdf5Names(file string, f *hdf5.File, o *Options) (map[*hdf5.Dataset]string, error) {
	names := map[*hdf5.Dataset]string{}
	for i, word := range slices.Concat([]string{o.Array}, featureNames, placeNames, labelNames,
		matrixNames, edgeNames, weightNames) {
		d, err := f.Dataset(word)
		var outside *hdf5.UnsupportedError
		switch {
		case errors.As(err, &outside) && (i == 0 || o.Array == ""):
			return nil, hdf5Error(file, err)
		case err == nil && names[d] == "":
			names[d] = word
		}
	}
	return names, nil
}

// hdf5Attributes returns the attributes of all groups and datasets. Of several with the same name,
// the last one counts: those of datasets, which are nearer to the values.
func hdf5Attributes(f *hdf5.File) attributes {
	out := attributes{}
	for _, g := range f.Groups() {
		out.add(g.Attributes)
	}
	for _, d := range f.Datasets() {
		out.add(d.Attributes)
	}
	return out
}

// add adds the attributes of a group or a dataset.
func (a attributes) add(list []hdf5.Attribute) {
	for _, h := range list {
		if text, ok := h.Text(); ok {
			a[h.Name] = text
		} else if numbers, ok := h.Numbers(); ok && len(numbers) == 1 {
			a[h.Name] = numbers[0]
		} else if ok {
			a[h.Name] = numbers
		}
	}
}

// addNumbers adds a small dataset of numbers as an attribute, named by its path without the first
// group: AnnData keeps a dict tile_spec as /uns/tile_spec.
func (n *namedArrays) addNumbers(file string, d *hdf5.Dataset) error {
	count := product(d.Shape)
	if d.Supported() != nil || count < 1 || count > mostAttributes {
		return nil
	}
	values := make([]float64, count)
	if err := d.ReadFloat64(values, 0, d.Rows()); err != nil {
		return hdf5Error(file, err)
	}
	name := strings.TrimPrefix(d.Path, "/")
	if _, rest, ok := strings.Cut(name, "/"); ok {
		name = rest
	}
	n.attributes[name] = values
	return nil
}

// hdf5Array reads a dataset: unsigned bytes as they are, because they are pixels, numbers that a
// float32 holds as such, and others in 64 bits.
func hdf5Array(s *source, d *hdf5.Dataset, l Limits) (*Array, error) {
	file := s.name
	if err := d.Supported(); err != nil {
		return nil, hdf5Error(file, err)
	}
	n, big := product(d.Shape), binary.NativeEndian.Uint16([]byte{1, 0}) != 1
	a := &Array{Shape: d.Shape, file: file + d.Path, start: -1, unnamed: d.Type.Opaque}
	switch kind := d.Type.Kind; {
	case kind == 'u' && d.Type.Size == 1:
		a.dtype = dtype{kind: 'u', size: 1}
	case d.Type.Size < 4, kind == 'f' && d.Type.Size == 4:
		a.dtype = dtype{kind: 'f', size: 4, big: big}
	case kind == 'f', kind == 'u' && d.Type.Size == 8:
		a.dtype = dtype{kind: 'f', size: 8, big: big}
	default:
		a.dtype = dtype{kind: 'i', size: 8, big: big}
	}
	// Pixels and float32 that lie in the file as in memory are not converted.
	var err error
	if at, ok := d.Offset(); ok && d.Type.Big == a.dtype.big && d.Type.Size == a.dtype.size {
		a.start = int(at)
		a.data, err = s.take(int64(at), int64(n*a.dtype.size), l)
		return a, err
	}
	// A small file can hold a large array: packed, or with chunks that are not stored.
	size := int64(n * a.dtype.size)
	if err := l.bytes(a.file, size); err != nil {
		return nil, err
	}
	if err := l.reserve(a.file, size+d.Memory()); err != nil {
		return nil, err
	}
	switch a.dtype.size {
	case 1:
		a.data = make([]byte, n)
		err = d.ReadUint8(a.data, 0, d.Rows())
	case 4:
		values := make([]float32, n)
		a.data = bytesOf(values)
		err = d.ReadFloat32(values, 0, d.Rows())
	default:
		err = a.readWide(d, n)
	}
	return a, hdf5Error(file, err)
}

// readWide reads n numbers of 64 bits.
func (a *Array) readWide(d *hdf5.Dataset, n int) error {
	if a.dtype.kind == 'f' {
		values := make([]float64, n)
		a.data = bytesOf(values)
		return d.ReadFloat64(values, 0, d.Rows())
	}
	values := make([]int64, n)
	a.data = bytesOf(values)
	return d.ReadInt64(values, 0, d.Rows())
}

// bytesOf returns the memory of numbers, so that an array is held once.
func bytesOf[T float32 | float64 | int64](values []T) []byte {
	var zero T
	p := unsafe.Pointer(unsafe.SliceData(values))
	return unsafe.Slice((*byte)(p), len(values)*int(unsafe.Sizeof(zero)))
}

// hdf5Error returns the error of a file in this package's types, or nil.
func hdf5Error(file string, err error) error {
	var format *hdf5.FormatError
	var limit *hdf5.LimitError
	var memory *quota.MemoryError
	var busy *quota.MemoryBusyError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &memory), errors.As(err, &busy):
		return err
	case errors.As(err, &limit) && limit.Setting == "elements":
		return &LimitError{file + limit.Path, limit.What, "elements", limit.Limit}
	case errors.As(err, &format):
		reason := format.Reason
		if format.Err != nil {
			reason += msg.Sprintf(": %v", format.Err)
		}
		return &FormatError{File: file + format.Path, Offset: format.Offset, Reason: reason,
			Err: format.Err}
	case errors.As(err, &limit):
		return bad(file+limit.Path, "%s", msg.Text(limit.What))
	}
	return bad(file, "%v", err)
}
