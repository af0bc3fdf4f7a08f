package bagio

import (
	"bytes"
	"fmt"
	"math"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// TestReadVectors reads files of one vector, of several with and without names, and of a probe.
func TestReadVectors(t *testing.T) {
	var one bytes.Buffer
	must.Do(t, WriteNpy(&one, []int{3}, []float32{1, 2, 3}))
	for name, c := range map[string]struct {
		file string
		data []byte
		want string
	}{
		"a vector": {"a/slide.npy", one.Bytes(), `["slide"] [[1 2 3]] []`},
		"a row":    {"s.npz", npz(t, floats("text", 2, 1, 2)), `["text"] [[0 1]] []`},
		"by arrays": {"p.npz", npz(t, floats("a", 2, 2), floats("b", 2, 1, 2)),
			`["a" "b"] [[0 1] [0 1]] []`},
		"by names": {"p.npz", npz(t, floats("vectors", 4, 2, 2), wordsOf("names", "mucin", "ink")),
			`["mucin" "ink"] [[0 1] [2 3]] []`},
		"without names": {"p.npz", npz(t, floats("v", 4, 2, 2)), `["v 0" "v 1"] [[0 1] [2 3]] []`},
		"a probe": {"probe.npz", npz(t, floats("weight", 2, 1, 2), floats("bias", 1, 1)),
			`["probe"] [[0 1]] [0]`},
		"a probe of two": {"p.npz", npz(t, floats("coef_", 4, 2, 2), floats("intercept_", 2, 2),
			wordsOf("classes", "x", "y")), `["x" "y"] [[0 1] [2 3]] [0 1]`},
		"a probe without a bias": {"p.npz", npz(t, floats("weight", 2, 2)), `["p"] [[0 1]] [0]`},
		"safetensors": {"p.safetensors", safetensors([]float32{1, 2}, 1, 2),
			`["features"] [[1 2]] []`},
		"torch": {"t.pt", testdata(t, "torch/f64.pt"), ""},
	} {
		v, err := ReadVectors(c.file, c.data, Limits{})
		must.Do(t, err, name)
		if got := fmt.Sprintf("%q %v %v", v.Names, v.Rows, v.Bias); c.want != "" {
			must.Equal(t, got, c.want, name)
		}
	}
}

// TestBagsOfVectors groups vectors by their names, or by the arrays of those without.
func TestBagsOfVectors(t *testing.T) {
	for want, data := range map[string][]byte{
		"a 2 [0 1 2 3]; b 1 [0 1]; ": npz(t, floats("a", 4, 2, 2), floats("b", 2, 2)),
		"x 2 [0 1 4 5]; y 1 [2 3]; ": npz(t, floats("v", 6, 3, 2),
			wordsOf("names", "x", "y", "x")),
	} {
		got := ""
		for _, b := range must.Get(ReadVectors("f.npz", data, Limits{}))(t).Bags() {
			got += fmt.Sprintf("%s %d %v; ", b.Name, b.Len(), b.Values)
		}
		must.Equal(t, got, want)
	}
}

// TestWrongVectors expects errors for files that hold no vectors.
func TestWrongVectors(t *testing.T) {
	nan := float32s([]float32{1, float32(math.NaN())})
	for want, data := range map[string][]byte{
		"vectors are read from .npy":                  []byte("a,b\n"),
		"it has shape (2, 2, 2)":                      npz(t, floats("a", 8, 2, 2, 2)),
		"it has shape (0,)":                           npz(t, floats("a", 0, 0)),
		"vectors of 3 numbers, and those of a have 2": npz(t, floats("a", 2, 2), floats("b", 3, 3)),
		"the file has 1 names": npz(t, floats("a", 4, 2, 2),
			wordsOf("names", "x")),
		"bias has shape (2,) for 1 rows": npz(t, floats("weight", 2, 2),
			floats("bias", 2, 2)),
		"2 of its arrays are called weight": npz(t, floats("a/weight", 2, 2),
			floats("weight", 2, 2)),
		"value 1 is NaN; it must be finite": npy("{'descr': '<f4', "+
			" 'fortran_order': False, 'shape': (2,), }\n", nan...),
		"it holds no vectors, but names": npz(t, wordsOf("names", "x")),
		"it holds text":                  npz(t, wordsOf("a", "x", "y")),
		"all vectors of a file have up to 16777216": npy("{'descr': '|u1', "+
			" 'fortran_order': False, 'shape': (16777217,), }\n", make([]byte, 1<<24+1)...),
	} {
		_, err := ReadVectors("f.npz", data, Limits{})
		must.Fail(t, err, want)
	}
	_, err := ReadVectors("f.npz", npz(t, floats("a", 4, 2, 2)), Limits{Bytes: 10})
	must.Fail(t, err, "limit is 10")
}

// FuzzVectors reads damaged archives of vectors.
func FuzzVectors(f *testing.F) {
	f.Add(npz(f, floats("weight", 2, 2), floats("bias", 1, 1)))
	f.Add(npz(f, floats("v", 4, 2, 2), wordsOf("names", "a", "b")))
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := ReadVectors("v.npz", data, small)
		if err == nil && len(v.Rows) != len(v.Names) {
			t.Error(len(v.Rows), v.Names)
		}
	})
}
