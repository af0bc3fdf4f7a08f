package slide

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// TestGridOfTRIDENT compares places with those that TRIDENT's code gives for the same tissue, see
// testdata/trident.py.
func TestGridOfTRIDENT(t *testing.T) {
	var cases []struct {
		Slide         string
		Width, Height int
		Microns       float64 // microns that a pixel of level 0 covers
		PatchSize     int     `json:"patch_size"`
		MPP           float64
		Overlap       int
		MinTissue     float64 `json:"min_tissue"`
		Scale         float64
		Mask          []string // # is tissue
		Side          int
		Patches       int
		SHA256        string
	}
	must.Do(t, json.Unmarshal(file(t, "trident.json"), &cases))
	const bundled = "CMU-1-Small-Region.svs"
	real := open(t, "../../../examples/slide/"+bundled)
	for _, c := range cases {
		name := fmt.Sprintf("%s/%d_%v_%d_%v", c.Slide, c.PatchSize, c.MPP, c.Overlap, c.MinTissue)
		t.Run(name, func(t *testing.T) {
			s := blank(c.Width, c.Height, c.Microns)
			if c.Slide == bundled {
				s = real
			}
			m := &Mask{Width: len(c.Mask[0]), Height: len(c.Mask), Scale: c.Scale}
			for _, row := range c.Mask {
				for _, pixel := range row {
					m.Tissue = append(m.Tissue, pixel == '#')
				}
			}
			g := must.Get(s.Grid(m, GridOptions{PatchSize: c.PatchSize, Microns: c.MPP,
				Overlap: c.Overlap, MinTissue: c.MinTissue}))(t)
			digest := sha256.New()
			for _, b := range g.Boxes {
				fmt.Fprintf(digest, "%d %d\n", b.Min.X, b.Min.Y)
			}
			got := fmt.Sprintf("%x", digest.Sum(nil))
			must.Equal(t, g.Side, c.Side, len(g.Boxes), c.Patches)
			must.Equal(t, len(g.Boxes), c.Patches, g.Side, c.Side)
			must.Equal(t, got, c.SHA256, len(g.Boxes), g.Side, c.Patches, c.Side)
		})
	}
}
