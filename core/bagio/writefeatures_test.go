package bagio_test

import (
	"bytes"
	"encoding/binary"
	"image"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/internal/must"
)

// threePatches describes three patches of two features.
func threePatches() bagio.FeatureFile {
	return bagio.FeatureFile{
		Name: "slide 1", Features: 2, PatchSize: 256, Overlap: 16, Microns: .5,
		Corners: []image.Point{{0, 0}, {512, 0}, {0, 100_000}},
		Slide: core.Slide{Width: 3000, Height: 120_000, Magnification: 40, MPP: .25,
			PatchSize: 512},
		Settings: []core.Setting{{Name: "encoder", Value: "e.onnx"}, {Name: "share", Value: .5}},
	}
}

// withFeatures returns a complete file.
func withFeatures(t *testing.T, f bagio.FeatureFile, values []float32) []byte {
	t.Helper()
	head := must.Get(f.Head())(t)
	return must.Get(binary.Append(head, binary.LittleEndian, values))(t)
}

// TestFeatureFileIsRead reads a file back with the slide, the places and the features.
func TestFeatureFileIsRead(t *testing.T) {
	f, values := threePatches(), []float32{1, 2, -3, 4.5, 5, 1e-9}
	set := must.Get(bagio.Read("a.h5", withFeatures(t, f, values), bagio.Options{}))(t)
	bag := must.Get(set.Bag(0))(t)
	must.EqualSlices(t, bag.Values, values, bag.Shape)
	must.EqualSlices(t, bag.Shape, []int{2}, bag.Values)
	want := f.Slide
	want.Name, want.Overlap = "slide 1", 32
	must.Equal(t, *bag.Slide, want)
	for i, at := range f.Corners {
		must.Equal(t, bag.Boxes[i], (image.Rectangle{at, at.Add(image.Pt(512, 512))}), i)
	}
	if notes := set.Notes(); len(notes) > 0 {
		t.Errorf("notes %q", notes)
	}
}

// TestFeatureForms reads files under the names of other tools back.
func TestFeatureForms(t *testing.T) {
	for form, want := range map[bagio.FeatureForm]core.Slide{
		bagio.FormCLAM:  {PatchSize: 512},
		bagio.FormSTAMP: {PatchSize: 512, MPP: .25},
	} {
		f, values := threePatches(), []float32{1, 2, -3, 4.5, 5, 1e-9}
		f.Form = form
		o := bagio.Options{SlideMPP: want.MPP} // STAMP states micrometres of patches alone
		set := must.Get(bagio.Read("a.h5", withFeatures(t, f, values), o))(t)
		bag := must.Get(set.Bag(0))(t)
		if !slices.Equal(bag.Values, values) || bag.Boxes[1].Min != f.Corners[1] ||
			bag.Boxes[2].Min != f.Corners[2] || form == bagio.FormSTAMP && *bag.Slide != want {
			t.Errorf("form %d: %v at %v on %+v", form, bag.Values, bag.Boxes, *bag.Slide)
		}
	}
	places := threePatches()
	places.Form, places.Features = bagio.FormCLAM, 0
	head := must.Get(places.Head())(t)
	for _, name := range []string{"patch_size", "patch_level", "slide 1"} {
		must.Equal(t, bytes.Contains(head, []byte(name)), true, name)
	}
}

// TestFeatureFileContinues counts the rows of files that end early.
func TestFeatureFileContinues(t *testing.T) {
	f := threePatches()
	data := withFeatures(t, f, make([]float32, 6))
	head := len(data) - 24
	for _, c := range []struct{ size, rows int }{{0, 0}, {10, 0}, {head, 0}, {head + 7, 0},
		{head + 8, 1}, {head + 23, 2}, {head + 24, 3}, {head + 99, 3}} {
		part := append(slices.Clone(data), make([]byte, 99)...)[:c.size]
		if rows, err := f.Rows(bytes.NewReader(part), int64(c.size)); err != nil || rows != c.rows {
			t.Errorf("%d bytes: %d rows, %v; want %d", c.size, rows, err, c.rows)
		}
	}
}

// TestFeatureFileOfOtherSettings refuses to continue a file that has other settings, and names the
// first.
func TestFeatureFileOfOtherSettings(t *testing.T) {
	data := withFeatures(t, threePatches(), make([]float32, 4)) // the last row is missing
	for _, c := range []struct {
		want   string
		change func(*bagio.FeatureFile)
	}{
		{"patch_size was 256 and is 224 now", func(f *bagio.FeatureFile) { f.PatchSize = 224 }},
		{"name was slide 1 and is slide 2 now", func(f *bagio.FeatureFile) { f.Name = "slide 2" }},
		{"target_magnification was 20 and is 10 now", func(f *bagio.FeatureFile) { f.Microns = 1 }},
		{"encoder was e.onnx and is f.onnx now", func(f *bagio.FeatureFile) {
			f.Settings[0].Value = "f.onnx"
		}},
		{"other settings", func(f *bagio.FeatureFile) { f.Corners[2].X++ }},
		{"other settings", func(f *bagio.FeatureFile) { f.Features++ }},
	} {
		f := threePatches()
		c.change(&f)
		_, err := f.Rows(bytes.NewReader(data), int64(len(data)))
		must.Equal(t, err != nil, true, err, c.want)
		must.Contain(t, err.Error(), c.want)
	}
	must.Do(t, must.Err(threePatches().Rows(bytes.NewReader(data), int64(len(data)))))
	f := threePatches()
	f.Name = strings.Repeat("x", 1<<16)
	must.Fail(t, must.Err(f.Head()))
}
