package main

import (
	"bytes"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/internal/must"
)

// TestWrite reads the files back: the bags asked for, and the part of the last slide that its bag
// was cut from.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	file, picture := filepath.Join(dir, "bags.npz"), filepath.Join(dir, "slide.png")
	o := options{seed: 5, slides: []int{0, 1, 2, 7}, part: image.Rect(0, 0, 270, 300),
		picture: picture}
	must.Do(t, write(file, o))
	data := must.Get(os.ReadFile(file))(t)
	set := must.Get(bagio.Read("bags.npz", data, bagio.Options{}))(t)
	must.Equal(t, set.Len(), 4)
	must.Equal(t, set.Names()[3], "slide 7", "the last bag is called")
	bag := must.Get(set.Bag(3))(t)
	must.Equal(t, bag.Len() <= 110, true, bag.Len())
	must.Equal(t, bag.Len() >= 50, true, bag.Len())
	raw := must.Get(os.ReadFile(picture))(t)
	img := must.Get(png.Decode(bytes.NewReader(raw)))(t)
	must.Equal(t, img.Bounds(), o.part, "the slide is")
}

func TestRectangle(t *testing.T) {
	must.Equal(t, must.Get(rectangle("10, 20,30,40"))(t), image.Rect(10, 20, 40, 60))
	for _, text := range []string{"1,2,3", "a,b,c,d", "-1,2,3,4", ","} {
		if r, err := rectangle(text); err == nil {
			t.Errorf("%q is read as %v", text, r)
		}
	}
}
