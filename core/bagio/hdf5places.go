package bagio

import (
	"encoding/binary"
	"path"
	"slices"
	"strings"

	"github.com/bagscope/bagscope/core/bagio/internal/hdf5"
)

// addCompound adds coordinates that are records of x and y, or of x0, y0, x1 and y1, as pandas and
// structured arrays of NumPy make them. It returns false for another dataset.
func (n *namedArrays) addCompound(s *source, d *hdf5.Dataset, name string, l Limits) bool {
	if !slices.Contains(placeNames, strings.ToLower(path.Base(name))) || len(d.Shape) != 1 {
		return false
	}
	names := d.Members()
	chosen := membersNamed(names, cornerColumns)
	x, y := (&columns{names: names}).placesAmong(placeColumns)
	if chosen == nil && x >= 0 && y >= 0 {
		chosen = []int{x, y}
	}
	if chosen == nil {
		return false
	}
	if u, _, ok := unitOfName(names[chosen[0]]); ok {
		n.own[name]["unit"] = u.String()
	}
	shape := []int{d.Shape[0], len(chosen)}
	n.arrays = append(n.arrays, namedArray{name, shape, func() (*Array, error) {
		return readMembers(s.name, d, chosen, shape, l)
	}})
	return true
}

// membersNamed returns where all of some names are, or nil.
func membersNamed(names, all []string) []int {
	var out []int
	for _, name := range all {
		at := slices.IndexFunc(names, func(s string) bool { return strings.EqualFold(s, name) })
		if at < 0 {
			return nil
		}
		out = append(out, at)
	}
	return out
}

// readMembers returns members of the entries of a dataset as columns of 64-bit floats.
func readMembers(file string, d *hdf5.Dataset, chosen, shape []int, l Limits) (*Array, error) {
	k := d.Shape[0]
	if _, err := l.elements(file+d.Path, shape); err != nil {
		return nil, err
	}
	if err := l.reserve(file, int64(8*(len(chosen)+1)*k)+d.Memory()); err != nil {
		return nil, err
	}
	all, column := make([]float64, k*len(chosen)), make([]float64, k)
	for n, i := range chosen {
		if err := d.Member(i).ReadFloat64(column, 0, k); err != nil {
			return nil, hdf5Error(file, err)
		}
		for row, v := range column {
			all[row*len(chosen)+n] = v
		}
	}
	big := binary.NativeEndian.Uint16([]byte{1, 0}) != 1
	return &Array{Shape: shape, file: file + d.Path, start: -1, data: bytesOf(all),
		dtype: dtype{kind: 'f', size: 8, big: big}}, nil
}
