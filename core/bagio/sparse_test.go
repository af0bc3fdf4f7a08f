package bagio

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// TestSparseMatrices reads the sparse features of AnnData and h5sparse.
func TestSparseMatrices(t *testing.T) {
	for _, name := range []string{"anndata-csr.h5ad", "anndata-csc.h5ad"} {
		set := must.Get(ReadFiles(toolFiles(t, name), Options{}))(t)
		bag := must.Get(set.Bag(0))(t)
		if bag.Len() != 12 || bag.Stride() != 4 || len(bag.Boxes) != 12 {
			t.Fatalf("%s: %d instances of %d at %d places", name, bag.Len(), bag.Stride(),
				len(bag.Boxes))
		}
		for i, v := range bag.Values {
			if v != float32(i)/8 {
				t.Errorf("%s: value %d is %v, want %v", name, i, v, float32(i)/8)
			}
		}
	}
	set := must.Get(ReadFiles(toolFiles(t, "sparse-doubled.h5"), Options{}))(t)
	want := []float32{0, 3.5, 0, 0, 0, 0, 3, 0, 4}
	if got := must.Get(set.Bag(0))(t).Values; !slices.Equal(got, want) {
		t.Errorf("with an entry that is stored twice: %v, want %v", got, want)
	}
}

// TestSparseMatricesThatContradictThemselves refuses indices outside of the shape, and arrays of
// wrong lengths.
func TestSparseMatricesThatContradictThemselves(t *testing.T) {
	for name, want := range map[string]string{"outside": "outside of its shape",
		"negative": "outside of its shape", "backwards": "do not divide them",
		"long": "do not divide them", "short": "3 entries of indptr"} {
		_, err := ReadFiles(toolFiles(t, "sparse-"+name+".h5"), Options{})
		var format *FormatError
		if !errors.As(err, &format) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err := ReadFiles(toolFiles(t, "sparse-doubled.h5"), Options{Limits: Limits{Elements: 8}})
	var limit *LimitError
	if !errors.As(err, &limit) {
		t.Errorf("nine elements where eight are allowed: %v", err)
	}
}
