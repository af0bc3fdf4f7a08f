package bagio

import (
	"errors"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/bagscope/bagscope/core"
)

// holdsFeatures reports whether an archive has coordinates and is not a bag set: it then holds
// features as other files of features do.
func (a *archive) holdsFeatures() bool {
	for _, name := range []string{"instances", "offsets", "boxes"} {
		if a.members[name] != nil {
			return false
		}
	}
	return slices.ContainsFunc(a.order, func(name string) bool {
		return slices.Contains(placeNames, strings.ToLower(path.Base(name)))
	})
}

// mostAttributes is how many numbers an array has at most that is an attribute.
const mostAttributes = 4

// named returns the members of an archive by their names. Small arrays are also attributes.
func (a *archive) named() (*namedArrays, error) {
	n := &namedArrays{file: a.file, attributes: attributes{}}
	buffer := make([]byte, mostHeader)
	for _, name := range a.order {
		h, err := a.header(name, buffer)
		if err != nil {
			// An array beside the features may have any type.
			n.arrays = append(n.arrays, namedArray{name, nil, func() (*Array, error) {
				return nil, err
			}})
			continue
		}
		n.arrays = append(n.arrays, namedArray{name, h.shape, func() (*Array, error) {
			return a.array(name)
		}})
		if len(h.shape) == 1 {
			n.columns = append(n.columns, pathList{name, arrayList{h.shape[0], h.dtype, a.limits,
				func() (*Array, error) { return a.array(name) }}})
		}
		if count := product(h.shape); count < 1 || count > mostAttributes {
			continue
		}
		array, err := a.array(name)
		if err != nil {
			return nil, err
		}
		if h.dtype.isText() {
			if words, err := array.words(); err == nil && len(words) == 1 {
				n.attributes[name] = words[0]
			}
			continue
		}
		get, size := array.dtype.float(), array.dtype.size
		var numbers []float64
		for at := 0; at < len(array.data); at += size {
			numbers = append(numbers, get(array.data[at:]))
		}
		n.attributes[name] = numbers
	}
	return n, nil
}

// mostHeader is more than NumPy writes for an array of numbers.
const mostHeader = 4 << 10

// header returns the header of a member, of which it unpacks as much as fits the buffer.
func (a *archive) header(name string, buffer []byte) (*npyHeader, error) {
	file := a.file + "/" + name + ".npy"
	r, err := a.members[name].Open()
	if err != nil {
		return nil, because(err, bad(file, "it cannot be unpacked: %v", err))
	}
	defer r.Close()
	n, err := io.ReadFull(r, buffer)
	if err != nil && err != io.EOF && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, because(err, bad(file, "it cannot be unpacked: %v", err))
	}
	return readNpyHeader(file, buffer[:n], int64(min(a.members[name].UncompressedSize64, 1<<62)))
}

// holdsBags reports whether arrays of an archive without offsets make several bags: as arrays of
// their own, by a list of ids with a usual name, or by what the caller or the model card states.
func (n *namedArrays) holdsBags(o Options) bool {
	if o.Array == "" && n.numberedBags() != nil || strings.Contains(o.Array, "*") ||
		o.BagBy != "" || o.Columns != "" {
		return true
	}
	chosen, err := n.features(o.Array)
	if err != nil { // the caller has another error
		return false
	}
	columns, _ := columnsBeside(n.columns, chosen.name)
	usual := slices.ContainsFunc(o.UsualColumns, func(r core.ColumnRule) bool {
		c, ok := columns[columnRule{r, true}.listName()]
		return ok && r.Role == roleBag && c.values.len() == chosen.shape[0]
	})
	return len(chosen.shape) > 1 && (usual || findIDs(columns, chosen.shape[0]) != "")
}
