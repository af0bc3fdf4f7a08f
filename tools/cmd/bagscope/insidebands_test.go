package main

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/tools/cmd/internal/clitest"
)

// TestBandsOfSlide asks which bands of a slide matter, whose patches an encoder has encoded: the
// mean of each band, of which the model adds multiples. A band that is hidden with zeros then takes
// away what its mean adds, in one patch, in the two strongest and in all.
func TestBandsOfSlide(t *testing.T) {
	// Log-odds are bounded, so that values must stay small.
	card := writeTemp(t, "card.json", []byte(`{"bands": {"use": [3, 1, 2]},
		"preprocess": {"scale": 0.001, "mean": [0, 0, 0], "std": [1, 1, 1]}}`))
	colours := writeTemp(t, "colours.json", []byte(`{"preprocess": {"scale": 0.01}}`))
	for name, flags := range map[string][]string{
		smallSlide:                 {"--encoder-card", colours, "--mpp", "1"},
		slideAt + "bands/16.tif":   {"--encoder-card", card, "--whole-slide"},
		slideAt + "bands/real.tif": {"--encoder-card", card, "--whole-slide"},
	} {
		t.Run(filepath.Base(name), func(t *testing.T) {
			flags = append(flags, "--encoder", meanEncoder(t))
			file := filepath.Join(t.TempDir(), "bag.h5")
			succeed(t, append([]string{"tiles", name, "--out", file}, flags...)...)
			data := must.Get(os.ReadFile(file))(t)
			set := must.Get(bagio.Read("bag.h5", data, bagio.Options{}))(t)
			bag := must.Get(set.Bag(0))(t)
			ask := append([]string{"inside", "--model", writeTemp(t, "head.onnx", slideHead(3)),
				"--bag", name, "--groups", "bands", "--hidden", "zero", "--fixed", "--json"},
				flags...)
			for _, n := range []int{0, 2, bag.Len()} {
				more := []string{"--instance", "1"}
				if n > 0 {
					more = []string{"--strongest", strconv.Itoa(n)}
				}
				var got struct {
					Together        []int
					Groups, Unit    string
					Scores          []float64
					Whole           float64
					Columns, Height int
				}
				clitest.Decode(t, succeed(t, append(ask, more...)...), &got)
				must.Equal(t, len(got.Together), max(1, n))
				must.Equal(t, got.Groups, "bands")
				must.Equal(t, got.Columns, 3)
				for band, v := range got.Scores {
					want := 0.
					for _, i := range got.Together {
						mean := float64(bag.Instance(i)[band]) / float64(bag.Len())
						want += .01 * float64(band+1) * mean
					}
					if !(math.Abs(v-want) <= 1e-3*(1+math.Abs(got.Whole))) {
						t.Errorf("%d instances: band %d has %v, want %v", n, band+1, v, want)
					}
				}
			}
		})
	}
}

// TestCellsOfFeaturesWithoutNames writes a table of cells for a file that names no features.
func TestCellsOfFeaturesWithoutNames(t *testing.T) {
	var bag bytes.Buffer
	must.Do(t, bagio.WriteNpy(&bag, []int{2, 3}, []float32{1, 2, 3, 4, 5, 6}))
	text := succeed(t, "inside", "--model", writeTemp(t, "head.onnx", slideHead(3)), "--bag",
		writeTemp(t, "bag.npy", bag.Bytes()), "--instance", "1")
	must.Contain(t, text, "cells of instance 1")
}

// TestBandsNeedPictures asks for the bands of features without a slide, for cells of several
// instances and for one beside the strongest.
func TestBandsNeedPictures(t *testing.T) {
	ask := []string{"inside", "--model", writeTemp(t, "head.onnx", slideHead(3)), "--bag",
		table(t, 4, 3)}
	for _, c := range []struct {
		flags []string
		want  string
	}{
		{[]string{"--groups", "bands"}, "the slide that they are from, with its encoder"},
		{[]string{"--strongest", "2"}, "set groups to bands"},
		{[]string{"--strongest", "2", "--groups", "bands", "--instance", "1"}, "omit instance"},
	} {
		code, _, stderr := bagscope(t, append(ask, c.flags...)...)
		must.Equal(t, code != 0, true)
		must.Contain(t, stderr, c.want)
	}
}
