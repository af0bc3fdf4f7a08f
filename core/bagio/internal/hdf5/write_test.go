package hdf5

import (
	"bytes"
	"encoding/binary"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// TestHeader reads what Header describes.
func TestHeader(t *testing.T) {
	features := []float32{1, -2.5, 3e-9, 4, 5, 6}
	places := []int64{1 << 40, -2, 3, 4}
	file := Header([]Output{
		{"features", Float32, []int{2, 3}, []OutputAttribute{{"name", "a slide"}}},
		{"coords", Int64, []int{2, 2}, []OutputAttribute{{"patch_size", 256}, {"mpp", .25}}},
	})
	for _, values := range []any{features, places} {
		var err error
		if file, err = binary.Append(file, le, values); err != nil {
			t.Fatal(err)
		}
	}
	f := must.Get(Open(bytes.NewReader(file), int64(len(file)), Limits{}))(t)
	for _, d := range f.Datasets() {
		got := make([]float32, 6)
		switch d.Path {
		case "/features":
			if text, _ := d.Attributes[0].Text(); d.Attributes[0].Name != "name" ||
				text != "a slide" {
				t.Errorf("%+v", d.Attributes)
			}
			must.Equal(t, d.ReadFloat32(got, 0, 2) == nil, true, got)
			must.EqualSlices(t, got, features)
		case "/coords":
			for i, want := range []float64{256, .25} {
				if v, _ := d.Attributes[i].Numbers(); !slices.Equal(v, []float64{want}) {
					t.Errorf("attribute %d: %v", i, v)
				}
			}
			must.Equal(t, d.ReadFloat32(got[:4], 0, 2) == nil, true, got)
			must.EqualSlices(t, got[:4], []float32{1 << 40, -2, 3, 4}, got)
		default:
			t.Errorf("dataset %q", d.Path)
		}
	}
	must.Equal(t, len(f.Datasets()), 2)
}
