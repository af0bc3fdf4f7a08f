package dicomout

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"reflect"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// A reading is what highdicom and pydicom found in the files of a bag.
type reading struct {
	Seg struct {
		Frames []struct {
			Source, Segment string
			Position        []float64
		}
		Volume  [][2]byte // (slice, segment)
		Size    []int     // rows, columns and segments of the map of a slide
		Corners [][4]int  // row, column, segment and level of the upper left pixel of a patch
		Pixels  int       // pixels of a slide's map that are not 0
		Picture [][][]int // (segment, row, column)
	}
	Sr struct {
		Evidence []string
		Groups   []struct {
			Instance, Finding string
			Measurements      [][3]any
			Sources           []string
			Region            [][2]float64
		}
	}
	Identifiers []string
}

// TestHighdicom compares what highdicom reads from the golden files with the scores: levels are in
// parts of the largest distance, 0.5, that is 255.
func TestHighdicom(t *testing.T) {
	var all map[string]reading
	must.Do(t, json.Unmarshal(must.Get(os.ReadFile("testdata/highdicom.json"))(t), &all))
	levels := []int{153, 77, 0, 255, 51} // 255 * 0.3, 0.15, 0.5 and 0.1 / 0.5, rounded
	segment := []int{0, 1, 0, 1, 0}
	labels := []string{"supports tumour β", "refutes tumour β"}
	t.Run("volume", func(t *testing.T) {
		r := all["volume"].Seg
		for i, level := range levels {
			want := [2]byte{}
			want[segment[i]] = byte(level)
			must.Equal(t, r.Volume[i], want, i)
		}
		for n, i := range []int{0, 4, 1, 3} {
			f := r.Frames[n]
			at := volume().Slices[i].Place.Position
			must.Equal(t, f.Source, fmt.Sprintf("2.25.10%d", i), n, f, i)
			must.Equal(t, f.Segment, labels[segment[i]], n, f, i)
			must.EqualSlices(t, f.Position, at[:], n, f, i)
		}
	})
	t.Run("glass", func(t *testing.T) {
		r := all["glass"].Seg
		// Patches of 64 pixels are 8 on the map; the slide of 3000 x 700 pixels is 375 x 88.
		must.EqualSlices(t, r.Size, []int{88, 375, 2})
		must.Equal(t, r.Pixels, 4*8*8)
		want := [][4]int{{0, 0, 0, 153}, {0, 8, 1, 77}, {0, 288, 1, 255}, {79, 367, 0, 51}}
		must.Equal(t, reflect.DeepEqual(r.Corners, want), true, r.Corners)
	})
	t.Run("radiograph", func(t *testing.T) {
		for y := range 4 {
			for x := range 6 {
				i := y/2*3 + x/2
				want := [2]int{}
				if i < len(levels) {
					want[segment[i]] = levels[i]
				}
				p := all["radiograph"].Seg.Picture
				must.Equal(t, [2]int{p[0][y][x], p[1][y][x]}, want, x, y)
			}
		}
	})
	for name, r := range all {
		t.Run(name+" report", func(t *testing.T) {
			e := scores().Explanations[0]
			for n, i := range []int{3, 0, 1, 4} { // the largest distance first
				g := r.Sr.Groups[n]
				want := [][3]any{{"Attribution score", e.Scores[i], "{probability}"},
					{"Standard error of the attribution score", e.StdErr[i], "{probability}"}}
				must.Equal(t, g.Instance, fmt.Sprintf("instance %d", i), g, i)
				must.Equal(t, g.Finding, labels[segment[i]], g, i)
				must.Equal(t, reflect.DeepEqual(g.Measurements, want), true, g, i)
				switch b := bags[name](); {
				case b.Slices != nil:
					must.EqualSlices(t, g.Sources, []string{fmt.Sprintf("2.25.10%d", i)})
				default:
					box := b.Boxes[i]
					if g.Region[0] != [2]float64{float64(box.Min.X), float64(box.Min.Y)} ||
						g.Region[2] != [2]float64{float64(box.Max.X), float64(box.Max.Y)} {
						t.Errorf("%v, want %v", g.Region, box)
					}
				}
			}
			// Without identifiers, the files state the study's UID alone.
			must.EqualSlices(t, r.Identifiers, []string{"StudyInstanceUID"})
		})
	}
	if got := all["volume"].Sr.Evidence; len(got) != 4 || slices.Contains(got, "2.25.102") {
		t.Errorf("evidence: %v, want the slices with a group", got)
	}
	must.Equal(t, math.Round(255*0.15/0.5), 77, "the level of 0.15")
}
