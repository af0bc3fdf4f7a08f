package main

import (
	"bytes"
	"image"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/tools/tissue/stain"
)

const example = "../../examples/tissue"

// TestExample draws the bundled bags again.
func TestExample(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("the drawing is exact on the processor it was made on")
	}
	dir := t.TempDir()
	bags := options{seed: 13, slides: []int{7, 0}, part: image.Rect(243, 243, 243+162, 243+189)}
	slide := options{seed: 13, slides: []int{7}, part: image.Rect(0, 0, stain.Side, stain.Side), picture: filepath.Join(dir, "slide.png")}
	if err := write(filepath.Join(dir, "whole.npz"), slide); err != nil {
		t.Fatal(err)
	}
	if err := write(filepath.Join(dir, "bags.npz"), bags); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"bags.npz", "slide.png"} {
		want, err := os.ReadFile(filepath.Join(example, name))
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is no longer what its recipe makes", name)
		}
	}
}

// TestModelFindsGlands asks the bundled network about slides that no training has seen.
func TestModelFindsGlands(t *testing.T) {
	const (
		slides = 30
		wanted = .85 // it reached .967 on the 60 test slides of its training
	)
	file, err := os.ReadFile(filepath.Join(example, "model.onnx"))
	if err != nil {
		t.Fatal(err)
	}
	model, err := onnxbackend.Open(file, onnxbackend.Options{})
	if err != nil {
		t.Fatal(err)
	}
	right := 0.
	for i := range slides {
		bag, err := stain.Numbered(99, i).Bag("slide")
		if err != nil {
			t.Fatal(err)
		}
		p, err := model.Predict(t.Context(), bag)
		if err != nil {
			t.Fatal(err)
		}
		if slices.Index(p.Scores, slices.Max(p.Scores)) == bag.Class[0] {
			right++
		}
	}
	t.Logf("%.3f of %d slides into the right class", right/slides, slides)
	if right/slides < wanted {
		t.Errorf("the network puts %.3f of the slides into the right class, want %.2f", right/slides, wanted)
	}
}
