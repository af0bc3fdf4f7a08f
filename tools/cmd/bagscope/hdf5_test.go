package main

import (
	"slices"
	"testing"

	"github.com/bagscope/bagscope/internal/testfile"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/tools/cmd/internal/clitest"
)

// An HDF5 file gives the prediction of its .npy file, and --array chooses another bag.
func TestHDF5(t *testing.T) {
	read := func(name string) []byte { return testfile.Read(t, name) }
	model := writeTemp(t, "model.onnx", read("models/zoo/abmil_batch_first/model.onnx"))
	npy := writeTemp(t, "bag.npy", read("models/zoo/abmil_batch_first/bag_30.npy"))
	h5 := writeTemp(t, "bag.h5", read("hdf5/bag_30.h5"))
	predict := func(args ...string) []float64 {
		var p ask.Prediction
		clitest.Decode(t, succeed(t, append([]string{"predict", "--model", model, "--json"},
			args...)...), &p)
		if p.Bag.Instances != 30 {
			t.Errorf("%v: %d instances", args, p.Bag.Instances)
		}
		var scores []float64
		for _, c := range p.Classes {
			scores = append(scores, float64(c.Score))
		}
		return scores
	}
	want, got := predict("--bag", npy), predict("--bag", h5)
	if !slices.Equal(got, want) {
		t.Errorf("the .h5 file gives %v, the .npy file %v", got, want)
	}
	if other := predict("--bag", h5, "--array", "other/embedding"); slices.Equal(other, want) {
		t.Error("--array has no effect")
	}
}
