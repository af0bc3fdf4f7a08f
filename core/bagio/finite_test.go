package bagio

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"io"
	"math"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
)

// TestNonFiniteValuesAreNamed checks that the error for a value that is not a finite float32 names
// its instance and feature, and the bag if the file has several, for every format of features.
func TestNonFiniteValuesAreNamed(t *testing.T) {
	nan := float32(math.NaN())
	rows := []float32{1, 2, 3, 4, 5, nan, 7, 8, 9, 10, 11, 12} // (4, 3)
	const finite = " is NaN; all values must be finite: replace it, or remove the instance"
	npyOf := func(shape []int, values []float64) []byte {
		var file bytes.Buffer
		must.Do(t, WriteNpy(&file, shape, values))
		return file.Bytes()
	}
	wide := func(values []float32) (out []float64) {
		for _, v := range values {
			out = append(out, float64(v))
		}
		return out
	}
	sets := func(first member) []byte {
		return npz(t, first, array("offsets", []int64{0, 1, 4}, 3),
			wordsOf("names", "left", "slide \"7\""))
	}
	head := must.Get(FeatureFile{Name: "a", Corners: make([]image.Point, 4), Features: 3,
		Slide: core.Slide{PatchSize: 8}, PatchSize: 8}.Head())(t)
	for name, c := range map[string]struct {
		file string
		data []byte
		want string
	}{
		"npy": {"a.npy", npyOf([]int{4, 3}, wide(rows)),
			"a.npy: feature 2 of instance 1, counted from 0," + finite},
		"npy, infinite": {"a.npy", npyOf([]int{2, 2}, []float64{1, 2, math.Inf(-1), 4}),
			"a.npy: feature 0 of instance 1, counted from 0, is -Inf; all values must be finite: " +
				"replace it, or remove the instance"},
		"npy, large": {"a.npy", npyOf([]int{2, 2}, []float64{1, 2, 3, 1e300}),
			"a.npy: feature 1 of instance 1, counted from 0, is 1e+300; it is too large for a " +
				"32-bit number: scale the values, or remove the instance"},
		"npy, pictures": {"a.npy", npyOf([]int{3, 1, 2, 2}, wide(rows)),
			"a.npy: value (0, 0, 1) of instance 1, counted from 0," + finite},
		"npz, several bags": {"a.npz", sets(array("instances", rows, 4, 3)),
			`a.npz/instances.npy: feature 2 of instance 0 of bag "slide \"7\"", counted from 0,` +
				finite},
		"npz, several bags of float64": {"a.npz", sets(member{"instances", func(w io.Writer) error {
			return WriteNpy(w, []int{4, 3}, wide(rows))
		}}),
			`a.npz/instances.npy: feature 2 of instance 0 of bag "slide \"7\"", counted from 0,` +
				finite},
		"HDF5": {"a.h5", append(head, float32s(rows)...),
			"a.h5/features: feature 2 of instance 1, counted from 0," + finite},
		"safetensors": {"a.safetensors", safetensors(rows, 4, 3),
			"a.safetensors/features: feature 2 of instance 1, counted from 0," + finite},
		"csv": {"a.csv", []byte("bag,f1,f2\na,1,2\na,3,nan\n"),
			"a.csv, row 3, column 3 (f2): the value is NaN; " +
				"all values must be finite: replace it, or remove the row; or ignore the " +
				"column: columns f2=skip"},
		"matrix of pairs": {"a.npz", npz(t, array("features", []float32{1, 2, 3, 4}, 2, 2),
			array("adj", []float32{0, nan, 1, 0}, 2, 2)),
			"a.npz: value (0, 1) of adj, counted from 0, is not a finite 32-bit number; " +
				"replace it"},
	} {
		for _, zeroCopy := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, zero copy %v", name, zeroCopy), func(t *testing.T) {
				set, err := Read(c.file, bytes.Clone(c.data), Options{ZeroCopy: zeroCopy})
				for i := 0; err == nil && i < set.Len(); i++ {
					_, err = set.Bag(i)
				}
				wantError(t, err, c.want)
			})
		}
	}
}

// TestNonFiniteValuesOfTheModelsLayout checks that the instance of a transposed array is named.
func TestNonFiniteValuesOfTheModelsLayout(t *testing.T) {
	var file bytes.Buffer
	must.Do(t, WriteNpy(&file, []int{1, 2, 3}, []float64{0, 1, 2, 3, 4, math.NaN()}))
	o := Options{Layout: []int{1, 2, -1}, Axis: 2, InstanceShape: []int{2}}
	set, err := Read("a.npy", file.Bytes(), o)
	if err == nil {
		_, err = set.Bag(0)
	}
	wantError(t, err, "a.npy: feature 1 of instance 2, counted from 0, is NaN; all values must be "+
		"finite: replace it, or remove the instance")
}

// float32s returns values in little-endian bytes.
func float32s(values []float32) (out []byte) {
	for _, v := range values {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(v))
	}
	return out
}

// safetensors returns a file with the tensor "features".
func safetensors(values []float32, rows, columns int) []byte {
	head := fmt.Sprintf(`{"features":{"dtype":"F32","shape":[%d,%d],"data_offsets":[0,%d]}}`, rows,
		columns, 4*len(values))
	file := binary.LittleEndian.AppendUint64(nil, uint64(len(head)))
	return append(append(file, head...), float32s(values)...)
}
