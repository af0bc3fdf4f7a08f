package onnxbackend_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/damage"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/internal/testfile"
	. "github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
)

// A file may allocate perByte bytes for each of its own, and as many runs' memory as it is used:
// a model is opened, run, bound with two strategies, verified and evaluated.
const (
	perByte = 128
	perRun  = 32
)

// use opens bytes and runs what opens on a few instances, as a hostile file would be used. It fails
// the test when an error has no type of its own, or when the file costs more memory than its size
// and the limits allow, or has no end.
func use(t testing.TB, data []byte) {
	t.Helper()
	before := enginetest.Allocated()
	damage.Ends(fmt.Sprintf("a file of %d bytes", len(data)), func() {
		if err := openAndRun(data); err != nil {
			enginetest.CheckTyped(t, err)
		}
	})
	if got, most := enginetest.Allocated()-before, uint64(enginetest.FileBytes+perByte*len(data)+
		perRun*enginetest.Tight.RunBytes); got > most {
		t.Errorf("a file of %d bytes made %d MB be allocated, and %d are enough", len(data),
			got>>20, most>>20)
	}
}

func openAndRun(data []byte) error {
	m, err := Open(data, Options{Limits: enginetest.Tight})
	if err != nil {
		return err
	}
	ctx, bag := context.Background(), fittingBag(m, 3)
	_, failure := m.Predict(ctx, bag)
	ev, err := m.Bind(ctx, bag)
	if err != nil {
		return errors.Join(failure, err)
	}
	z := core.NewCoalitions(3, 2)
	z.AppendMembers(1)
	z.AppendMembers(0, 2)
	err = ev.Evaluate(ctx, make([]float64, 2*ev.Task().Classes), z)
	_, unavailable := ev.(*Bound).Attention(ctx, 0)
	return errors.Join(failure, err, unavailable)
}

// fittingBag returns a bag of the shape that the file declares.
func fittingBag(m *Model, k int) *core.Bag {
	shape, n := []int{}, 1
	for i, d := range enginetest.EncoderOf(m).Signature.Input().Shape {
		switch {
		case i == enginetest.EncoderOf(m).Signature.Input().Axis:
			continue
		case d < 0:
			d = 1 + i/2 // an open batch holds one bag, open features are two
		}
		if d > 4096/n {
			return enginetest.ShapedBag(k, 2)
		}
		shape, n = append(shape, d), n*d
	}
	if enginetest.EncoderOf(m).Signature.Input().Shape == nil {
		shape = []int{2}
	}
	return enginetest.ShapedBag(k, shape...)
}

// mutable returns small valid models of all kinds: those of the tests and an export of each
// architecture.
func mutable(t testing.TB) [][]byte {
	list := [][]byte{enginetest.AttentionModel().Bytes(), pictureModel().Bytes(),
		enginetest.SqueezeModel().Bytes(),
		recurrentModel().Bytes(), enginetest.LoopModel(false).Bytes(),
		enginetest.LoopModel(true).Bytes()}
	for _, file := range zooFiles(t) {
		if base := filepath.Base(file); base == "dynamo-18.onnx" || base == "legacy-13.onnx" ||
			strings.HasSuffix(base, "2onnx-18.onnx") || base == "o2-heads.onnx" ||
			base == "dynamic.onnx" {
			list = append(list, readFile(t, file))
		}
	}
	return list
}

// zooFiles returns the paths of all models of testdata/zoo.
func zooFiles(t testing.TB) []string {
	files, err := filepath.Glob(enginetest.RepositoryFile(t, "onnxbackend/testdata/zoo") +
		"/*/*.onnx")
	must.Do(t, err)
	must.Equal(t, len(files) != 0, true)
	return files
}

func readFile(t testing.TB, path string) []byte {
	return must.Get(os.ReadFile(path))(t)
}

// TestBrokenModels cuts every model that there is off at many lengths and changes bytes in many
// places.
func TestBrokenModels(t *testing.T) {
	files := zooFiles(t)
	models := testfile.Path(t, "models")
	trained, _ := filepath.Glob(filepath.Join(models, "*", "*.onnx"))
	exported, _ := filepath.Glob(filepath.Join(models, "*", "*", "*.onnx"))
	tissue, _ := filepath.Glob(filepath.Join("..", "examples", "tissue", "*.onnx"))
	tried := 0
	for _, file := range slices.Concat(files, trained, exported, tissue) {
		data := readFile(t, file)
		t.Run(strings.Join(strings.Split(filepath.ToSlash(file), "/")[1:], "/"),
			func(t *testing.T) {
				r := rand.New(rand.NewPCG(uint64(len(data)), 3))
				for i, bad := range broken(r, data, 12**enginetest.Thorough) {
					use(t, bad)
					if tried++; t.Failed() {
						t.Fatalf("broken file %d", i)
					}
				}
			})
	}
	t.Logf("%d broken files", tried)
}

// broken yields n copies that are cut off and n in which some bytes are others, one in two of them
// where the file says how it is built, near its ends.
func broken(r *rand.Rand, data []byte, n int) func(yield func(int, []byte) bool) {
	return func(yield func(int, []byte) bool) {
		for i := range n {
			if !yield(i, data[:placeIn(r, len(data))]) {
				return
			}
			bad := slices.Clone(data)
			for range 1 + r.IntN(4) {
				bad[placeIn(r, len(bad))] ^= byte(1 + r.IntN(255))
			}
			if !yield(-i, bad) {
				return
			}
		}
	}
}

// placeIn returns a place, of which half are within the first or last two thousand.
func placeIn(r *rand.Rand, n int) int {
	switch p := r.IntN(min(n, 2000)); r.IntN(4) {
	case 0:
		return p
	case 1:
		return n - 1 - p
	}
	return r.IntN(n)
}

// TestMutants runs valid models that were changed to say something else, and are still well-formed.
func TestMutants(t *testing.T) {
	for i, model := range mutable(t) {
		r := rand.New(rand.NewPCG(uint64(i), 5))
		for range 25 * *enginetest.Thorough {
			choices, file := randomMutant(r, model)
			use(t, file)
			if t.Failed() {
				t.Fatalf("model %d, choices %x", i, choices)
			}
		}
	}
}

// TestTakenApart parses each model into fields and writes them again: the file must be the same.
func TestTakenApart(t *testing.T) {
	for _, model := range mutable(t) {
		must.EqualSlices(t, mutant(model, nil), model, "the file is another")
	}
}
