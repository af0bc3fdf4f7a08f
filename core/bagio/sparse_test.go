package bagio

import (
	"errors"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// TestSparseMatrices reads the sparse features of AnnData and h5sparse.
func TestSparseMatrices(t *testing.T) {
	for _, name := range []string{"anndata-csr.h5ad", "anndata-csc.h5ad"} {
		set := must.Get(ReadFiles(toolFiles(t, name), Options{}))(t)
		bag := must.Get(set.Bag(0))(t)
		must.Equal(t, bag.Len(), 12, name, bag.Stride(), len(bag.Boxes))
		must.Equal(t, bag.Stride(), 4, name, bag.Len(), len(bag.Boxes))
		must.Equal(t, len(bag.Boxes), 12, name, bag.Len(), bag.Stride())
		for i, v := range bag.Values {
			if v != float32(i)/8 {
				t.Errorf("%s: value %d is %v, want %v", name, i, v, float32(i)/8)
			}
		}
	}
	set := must.Get(ReadFiles(toolFiles(t, "sparse-doubled.h5"), Options{}))(t)
	want := []float32{0, 3.5, 0, 0, 0, 0, 3, 0, 4}
	must.EqualSlices(t, must.Get(set.Bag(0))(t).Values, want)
}

// TestSparseMatricesThatContradictThemselves refuses indices outside of the shape, and arrays of
// wrong lengths.
func TestSparseMatricesThatContradictThemselves(t *testing.T) {
	for name, want := range map[string]string{"outside": "outside of its shape",
		"negative": "outside of its shape", "backwards": "do not divide them",
		"long": "do not divide them", "short": "3 entries of indptr"} {
		_, err := ReadFiles(toolFiles(t, "sparse-"+name+".h5"), Options{})
		var format *FormatError
		must.Equal(t, errors.As(err, &format), true, name, err)
		must.Equal(t, strings.Contains(err.Error(), want), true, name, err)
	}
	_, err := ReadFiles(toolFiles(t, "sparse-doubled.h5"), Options{Limits: Limits{Elements: 8}})
	var limit *LimitError
	must.As(t, err, &limit)
}
