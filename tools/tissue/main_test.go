package main

import (
	"bytes"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/tools/tissue/stain"
)

// TestWrite reads the files back: bags whose classes take turns, and the last slide, from which its bag was cut.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	file, picture := filepath.Join(dir, "bags.npz"), filepath.Join(dir, "slide.png")
	if err := write(file, picture, 5, 4); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	set, err := bagio.Read("bags.npz", data, bagio.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if set.Len() != 4 {
		t.Fatalf("%d bags", set.Len())
	}
	for i := range 4 {
		bag, err := set.Bag(i)
		if err != nil {
			t.Fatal(err)
		}
		if bag.Class[0] != i%2 {
			t.Errorf("bag %d is of class %d", i, bag.Class[0])
		}
	}
	raw, err := os.ReadFile(picture)
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	if img.Bounds().Dx() != stain.Side || img.Bounds().Dy() != stain.Side {
		t.Errorf("the slide is %v", img.Bounds())
	}
}
