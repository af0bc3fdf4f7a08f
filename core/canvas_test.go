package core_test

import (
	"image"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
)

// TestOrigin states what places in files count from, for slides whose bounds are known, are all, or
// are unknown.
func TestOrigin(t *testing.T) {
	cropped := core.Slide{Width: 900, BoundsX: 30, BoundsY: 40, BoundsWidth: 500, BoundsHeight: 90}
	whole := core.Slide{Width: 900, Height: 80, BoundsWidth: 900, BoundsHeight: 80}
	for _, c := range []struct {
		name          string
		slide         core.Slide
		stated        string
		qupath, other string
		at            image.Point
	}{
		{"cropped", cropped, "", core.Bounds, core.Canvas, image.Pt(30, 40)},
		{"cropped, canvas", cropped, "canvas", core.Canvas, core.Canvas, image.Point{}},
		{"cropped, bounds", cropped, "bounds", core.Bounds, core.Bounds, image.Pt(30, 40)},
		{"cropped, another corner", cropped, "7, 8", core.Bounds, core.Bounds, image.Pt(7, 8)},
		{"whole", whole, "", core.Bounds, core.Canvas, image.Point{}},
		{"whole, bounds", whole, "bounds", core.Bounds, core.Bounds, image.Point{}},
		{"unknown", core.Slide{}, "", core.Canvas, core.Canvas, image.Point{}},
		{"unknown, stated", core.Slide{}, "7,8", core.Bounds, core.Bounds, image.Pt(7, 8)},
		{"unknown, stated as none", core.Slide{}, "0,0", core.Bounds, core.Bounds, image.Point{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			must.Do(t, c.slide.StateOrigin(c.stated))
			name, at := c.slide.CountsFrom(core.Bounds)
			must.Equal(t, name, c.qupath)
			must.Equal(t, at, c.at)
			name, at = c.slide.CountsFrom(core.Canvas)
			must.Equal(t, name, c.other)
			if name == core.Canvas {
				must.Equal(t, at, image.Point{})
			}
		})
	}
	var none *core.Slide
	name, at := none.CountsFrom(core.Bounds)
	must.Equal(t, name, core.Canvas)
	must.Equal(t, at, image.Point{})
	for text, want := range map[string]string{"bounds": "such as 1024,2048", "left": "unknown",
		"-1,2": "unknown", "1": "unknown", "1,2,3": "unknown", "1,4294967296": "unknown"} {
		must.Fail(t, (&core.Slide{}).StateOrigin(text), want)
	}
	must.Fail(t, (&core.Slide{Unit: core.Microns}).StateOrigin("1,2"), "slide-mpp")
}
