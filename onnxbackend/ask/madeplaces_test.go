package ask

import (
	"fmt"
	"image"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/internal/must"
)

// A placement is how a made file states the places of its patches.
type placement struct {
	side, step int  // sides of patches, and steps from one to the next, as stated
	columns    int  // patches in a row
	lapped     bool // whether the file states that they overlap
	header     string
	row        func(x, y int) string
}

// placed returns features with places on a grid: a table or an HDF5 file, or a table alone if the
// placement has columns of its own. The places are those of the second patch.
func placed(t *testing.T, r *rand.Rand, p placement) madeFile {
	k, d := sizes(r)
	k = max(k, 16)
	p.columns = 4 + r.IntN(4)
	values := normal(r, k*d)
	var corners []image.Point
	for i := range k {
		corners = append(corners, image.Pt(i%p.columns*p.step, i/p.columns*p.step))
	}
	f := madeFile{instances: k, width: d,
		second: image.Rect(p.step, 0, p.step+p.side, p.side)}
	if p.row == nil && r.IntN(2) == 0 {
		h5 := bagio.FeatureFile{Name: "made", Corners: corners, Features: d, PatchSize: p.side,
			Slide: core.Slide{PatchSize: p.side}}
		if p.lapped {
			h5.Overlap = p.side - p.step
		}
		head := must.Get(h5.Head())(t)
		f.name, f.data = "bag.h5", append(head, bagio.Float32Bytes(values)...)
		return f
	}
	if p.row == nil {
		p.header = "x,y,patch_size"
		p.row = func(x, y int) string { return fmt.Sprintf("%d,%d,%d", x, y, p.side) }
	}
	var text strings.Builder
	text.WriteString(p.header)
	for j := range d {
		fmt.Fprintf(&text, ",f%d", j)
	}
	for i, c := range corners {
		text.WriteString("\n" + p.row(c.X, c.Y))
		for _, v := range values[i*d : (i+1)*d] {
			fmt.Fprintf(&text, ",%.5f", v)
		}
	}
	f.name, f.data = "bag.csv", []byte(text.String()+"\n")
	return f
}

// anySide returns a usual side of a patch.
func anySide(r *rand.Rand) int { return []int{224, 256, 512}[r.IntN(3)] }

// placedKinds makes bags with places.
var placedKinds = map[string]func(t *testing.T, r *rand.Rand) madeFile{
	"a grid": func(t *testing.T, r *rand.Rand) madeFile {
		side := anySide(r)
		return placed(t, r, placement{side: side, step: side})
	},
	"half overlapped": func(t *testing.T, r *rand.Rand) madeFile {
		side := anySide(r)
		return placed(t, r, placement{side: side, step: side / 2, lapped: true})
	},
	"rows and columns": func(t *testing.T, r *rand.Rand) madeFile {
		f := placed(t, r, placement{side: anySide(r), step: 1})
		f.instances, f.truth, f.says = 0, []string{"unit"}, "rows and columns of a grid"
		return f
	},
	"pixels of a far level": func(t *testing.T, r *rand.Rand) madeFile {
		times := 16 << r.IntN(2)
		side := 16 * times
		f := placed(t, r, placement{side: side, step: side / times})
		f.instances, f.truth = 0, []string{"unit"}
		f.says = fmt.Sprintf("pixels of a level that is %d times smaller", times)
		return f
	},
	"pixels of a near level": func(t *testing.T, r *rand.Rand) madeFile {
		times := 4 << r.IntN(2)
		f := placed(t, r, placement{side: 256, step: 256 / times, header: "x,y,patch_size",
			row: func(x, y int) string { return fmt.Sprintf("%d,%d,256", x, y) }})
		f.truth, f.says = []string{"level"}, fmt.Sprintf("coords-unit %d", times)
		return f
	},
	"one place": func(t *testing.T, r *rand.Rand) madeFile {
		f := placed(t, r, placement{side: anySide(r)})
		f.truth, f.second = []string{"one place"}, image.Rectangle{}
		return f
	},
	"micrometres": func(t *testing.T, r *rand.Rand) madeFile {
		return placed(t, r, placement{side: 128, step: 128, header: "x_um,y_um,tile_size_um",
			row: func(x, y int) string { return fmt.Sprintf("%d,%d,128", x, y) }})
	},
	"width and height": func(t *testing.T, r *rand.Rand) madeFile {
		side := anySide(r)
		return placed(t, r, placement{side: side, step: side, header: "x,y,w,h",
			row: func(x, y int) string { return fmt.Sprintf("%d,%d,%d,%d", x, y, side, side) }})
	},
	"fractions": func(t *testing.T, r *rand.Rand) madeFile {
		f := placed(t, r, placement{side: 256, step: 1, header: "x,y,patch_size",
			row: func(x, y int) string {
				return fmt.Sprintf("%.4f,%.4f,256", float64(x)/40,
					float64(y)/40)
			}})
		f.truth, f.second = []string{"fractions"}, image.Rectangle{}
		return f
	},
	"negative": func(t *testing.T, r *rand.Rand) madeFile {
		side := anySide(r)
		f := placed(t, r, placement{side: side, step: side, header: "x,y,patch_size",
			row: func(x, y int) string { return fmt.Sprintf("%d,%d,%d", x-side, y, side) }})
		f.truth, f.second = []string{"negative"}, image.Rect(0, 0, side, side)
		return f
	},
	"HDF5 cut off": func(t *testing.T, r *rand.Rand) madeFile {
		f := placed(t, r, placement{side: 256, step: 256})
		for f.name != "bag.h5" {
			f = placed(t, r, placement{side: 256, step: 256})
		}
		f.data = f.data[:len(f.data)-1-r.IntN(4*f.width)]
		f.instances, f.truth = 0, []string{"damage"}
		return f
	},
	"coordinates alone": func(t *testing.T, r *rand.Rand) madeFile {
		var corners []image.Point
		for i := range 4 + r.IntN(20) {
			corners = append(corners, image.Pt(256*i, 0))
		}
		head := must.Get(bagio.FeatureFile{Name: "made", Corners: corners, PatchSize: 256,
			Slide: core.Slide{PatchSize: 256}}.Head())(t)
		return madeFile{name: "bag.h5", data: head, truth: []string{"no features"}}
	},
	"Zarr": func(t *testing.T, r *rand.Rand) madeFile {
		return other(r, archive(t, map[string]string{"made.zarr/.zarray": `{"zarr_format": 2}`,
			"made.zarr/0.0": noise(r, r.IntN(99))}), "Zarr", "zip", "zarr.zip", "npz")
	},
}
