package bagio

import (
	"image"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// TestPictureForFeatures: the errors about a picture for a model of features name the encoder.
func TestPictureForFeatures(t *testing.T) {
	data := pngFile(t, noise(image.Point{}, 12, 8))
	_, err := Read("x.png", data, Options{InstanceShape: []int{32}})
	want := "patch size: x.png is a picture, but the model takes features; " +
		"name the encoder of its patches as via, or state their size if the features are their " +
		"pixels"
	must.Equal(t, err != nil, true, err, want)
	must.Equal(t, err.Error(), want, err)
	_, err = Read("x.png", data, Options{InstanceShape: []int{32}, Patch: PatchOptions{Size: 4}})
	wantError(t, err, "x.png: an instance has shape (3, 4, 4), but the model takes (32,); "+
		"name the encoder as via, which computes features of pictures that are no slide")
	// Features may be the pixels of a patch.
	set, err := Read("x.png", data, Options{InstanceShape: []int{48}, Patch: PatchOptions{Size: 4}})
	must.Do(t, err)
	must.Equal(t, set.Len(), 1)
}
