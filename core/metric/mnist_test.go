package metric

import (
	"archive/zip"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/internal/testfile"
)

// int64s reads one array of 64-bit integers out of an .npz file.
func int64s(t *testing.T, path, name string) []int {
	t.Helper()
	z := must.Get(zip.OpenReader(path))(t)
	defer z.Close()
	f := must.Get(z.Open(name + ".npy"))(t)
	defer f.Close()
	b := must.Get(io.ReadAll(f))(t)
	data := 10 + int(binary.LittleEndian.Uint16(b[8:]))
	must.Equal(t, strings.Contains(string(b[:data]), "'<i8'"), true, name)
	var out []int
	for at := data; at < len(b); at += 8 {
		out = append(out, int(int64(binary.LittleEndian.Uint64(b[at:]))))
	}
	return out
}

// mnistBags returns the instance labels of the 100 test bags of 4-MNIST-Bags.
func mnistBags(t *testing.T) [][]int {
	path := testfile.Path(t, "models/mnist/encoded_bags.npz")
	offsets, labels := int64s(t, path, "offsets"), int64s(t, path, "instance_labels")
	var bags [][]int
	for b := range len(offsets) - 1 {
		bags = append(bags, labels[offsets[b]:offsets[b+1]])
	}
	return bags
}

// TestRandomNDCGOfMNIST checks the paper's random row on 4-MNIST-Bags, .380 (METHODS section 2),
// and the number of values of its code, 275.
func TestRandomNDCGOfMNIST(t *testing.T) {
	sum, n := 0.0, 0
	var study Study
	for b, labels := range mnistBags(t) {
		bag := numbers(len(labels), labels...)
		bag.Name = fmt.Sprint(b)
		var e []core.Explanation
		for class := range fourMNIST {
			rel := Relevances(labels, fourMNIST, class, 0, false)
			if v, ok := expectedNDCG(rel); ok {
				sum += v
				n++
			}
			e = append(e, explanation("constant", class, make([]float64, len(labels))...))
		}
		rows := must.Get(Evaluate(t.Context(), play(t, fourClasses{len(labels)}), bag, fourMNIST, e,
			Options{Metrics: []string{NameNDCG}}))(t)
		study.Add(0, rows)
	}
	must.Equal(t, n, 275)
	must.Equal(t, math.Abs((sum/float64(n))-.380) <= .0005, true, n)
	for _, line := range study.Summaries() {
		got := line.Stats[0]
		must.Equal(t, got.N, 275, line.Method)
		must.Equal(t, got.NontrivialN, 250, line.Method)
		// Constant scores are a random order too: ties are not broken by index.
		want, tolerance := sum/float64(n), 4*got.SEM
		if line.Method == RowOracle {
			want, tolerance = 1, exact
		}
		must.Equal(t, math.Abs(got.Mean-want) <= tolerance, true, line.Method, got.Mean, got.SEM,
			want)
	}
}

// fourClasses is a game without values; a test must not evaluate it.
type fourClasses struct{ k int }

func (f fourClasses) Task() core.Task {
	return core.Task{Instances: f.k, Classes: 4, Scale: core.ScaleLogits}
}

func (fourClasses) Evaluate(context.Context, []float64, *core.Coalitions) error {
	return errors.New("labels alone need no model")
}
