package patches_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core/patches"
	"github.com/bagscope/bagscope/core/slide"
	"github.com/bagscope/bagscope/internal/must"
)

// TestNotes says that patches are enlarged by more than a half, and that no slide has such pixels.
func TestNotes(t *testing.T) {
	file := must.Get(os.ReadFile("../slide/testdata/pyramid.ome.tif"))(t)
	for _, c := range []struct {
		name            string
		microns, stated float64
		note            string // part of the only note; "" for none
	}{
		{"half the microns", .25, .5, "enlarged 2 times, because mpp is 0.25 and the slide's " +
			"pixels cover 0.5 µm; its own pixels are those of mpp 0.5"},
		{"slightly enlarged", .4, .5, ""},
		{"enlarged by a half", .5, .75, ""},
		{"the slide's own", .5, .5, ""},
		{"made smaller", 1, .5, ""},
		{"its pixels as they are", 0, .5, ""},
		{"nanometres", 250, 250, "a pixel of level 0 covers 250 micrometres"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := must.Get(slide.Open("s.tif", bytes.NewReader(file), int64(len(file))))(t)
			p := must.Get(patches.Open(t.Context(), "s", s, patches.Options{WholeSlide: true,
				SlideMicrons: c.stated,
				GridOptions:  slide.GridOptions{PatchSize: 32, Microns: c.microns}}))(t)
			notes := p.Notes()
			if c.note == "" && len(notes) > 0 || c.note != "" &&
				(len(notes) != 1 || !strings.Contains(notes[0], c.note)) {
				t.Errorf("notes %q, want %q", notes, c.note)
			}
		})
	}
}
