package bagio

import (
	"errors"
	"image"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/internal/lattice"
	"github.com/bagscope/bagscope/internal/must"
)

func TestParseUnit(t *testing.T) {
	for text, want := range map[string]unit{
		"px": pixel, " Pixels ": pixel, "level 0": pixel, "um": {1, true}, "µm": {1, true},
		"μm": {1, true}, "Microns": {1, true}, "4": {4, false}, "0.5um": {.5, true},
		"1.5 micrometres": {1.5, true},
	} {
		if u, ok := parseUnit(text); !ok || u != want {
			t.Errorf("%q is %v, %t; want %v", text, u, ok, want)
		}
		if again, ok := parseUnit(want.String()); !ok || again != want {
			t.Errorf("%v is written %q", want, want.String())
		}
	}
	for _, text := range []string{"", "mm", "-1", "0", "inf", "nan", "4px", "umum", "0um"} {
		if u, ok := parseUnit(text); ok {
			t.Errorf("%q is %v", text, u)
		}
	}
}

func TestUnitOfName(t *testing.T) {
	for name, want := range map[string]string{
		"coords_um": "coords um", "X (µm)": "x um", "x [px]": "x px", "x.microns": "x um",
		"Centroid X µm": "centroid x um",
	} {
		if u, rest, ok := unitOfName(name); !ok || rest+" "+u.String() != want {
			t.Errorf("%q is %q in %v, %t; want %s", name, rest, u, ok, want)
		}
	}
	for _, name := range []string{"x", "um", "coords", "x_0", "f_12", "level_4um", "level_0.5um",
		"level_9um"} {
		if u, rest, ok := unitOfName(name); ok || rest != name {
			t.Errorf("%q is %q in %v", name, rest, u)
		}
	}
}

// placedTable returns a table whose rows x, y, ... have two features behind.
func placedTable(header string, rows ...string) []byte {
	lines := []string{header + ",f1,f2"}
	for _, r := range rows {
		lines = append(lines, r+",1,2")
	}
	return []byte(strings.Join(lines, "\n") + "\n")
}

// TestUnits reads one layout in all units that a table or the caller can state.
func TestUnits(t *testing.T) {
	grid := []string{"0,0", "64,0", "0,64"}
	for _, c := range []struct {
		name, header string
		rows         []string
		options      Options
		second       image.Rectangle
		slide        core.Slide
		note         string // part of the only note; "" for none
	}{
		{"nothing stated", "x,y", grid, Options{}, square(64, 0, 64), core.Slide{PatchSize: 64},
			"how large a patch is, nor in which unit"},
		{"pixels and a size by options", "x,y", grid, Options{CoordsUnit: "px", PatchSide: 96},
			square(64, 0, 96), core.Slide{PatchSize: 96}, ""},
		{"a size by an option", "x,y", grid, Options{PatchSide: 96}, square(64, 0, 96),
			core.Slide{PatchSize: 96}, "in which unit its coordinates are"},
		{"pixels by a name", "x_px,y_px", grid, Options{}, square(64, 0, 64),
			core.Slide{PatchSize: 64}, "how large a patch is; patches have"},
		{"micrometres by a name", "x_um,y_um", grid, Options{PatchSide: 64}, square(64, 0, 64),
			core.Slide{PatchSize: 64, Unit: "um"}, "and so is the map"},
		{"micrometres by a name, mpp by an option", "X (µm),Y (µm)", grid,
			Options{PatchSide: 128, SlideMPP: .5}, square(128, 0, 128),
			core.Slide{PatchSize: 128, MPP: .5}, "of 0.5 micrometres"},
		{"a level by an option", "x,y", grid, Options{CoordsUnit: "4", PatchSide: 256},
			square(256, 0, 256), core.Slide{PatchSize: 256}, ""},
		{"the option before the name", "x_um,y_um", grid, Options{CoordsUnit: "px", PatchSide: 64},
			square(64, 0, 64), core.Slide{PatchSize: 64}, ""},
		{"columns", "x,y,unit,mpp,tile_size_um", []string{"0,0,um,.25,80", "64,0,um,.25,80"},
			Options{}, square(256, 0, 320), core.Slide{PatchSize: 320, MPP: .25},
			"of 0.25 micrometres"},
		{"the option before the column", "x,y,unit,mpp,tile_size_um",
			[]string{"0,0,um,.25,80", "64,0,um,.25,80"}, Options{SlideMPP: .5, UsualMPP: 2},
			square(128, 0, 160), core.Slide{PatchSize: 160, MPP: .5}, "of 0.5 micrometres"},
		{"the usual mpp", "x,y,unit,tile_size_um", []string{"0,0,um,80", "64,0,um,80"},
			Options{UsualMPP: .25}, square(256, 0, 320), core.Slide{PatchSize: 320, MPP: .25},
			"of 0.25 micrometres"},
		{"middles", "loc_x,loc_y,patch_size,unit", []string{"32,32,64,px", "96,32,64,px"},
			Options{}, square(64, 0, 64), core.Slide{PatchSize: 64}, ""},
		{"an overlap", "x,y,patch_size,overlap,unit", []string{"0,0,64,32,px", "32,0,64,32,px"},
			Options{}, square(32, 0, 64), core.Slide{PatchSize: 64, Overlap: 32}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			set := must.Get(Read("t.csv", placedTable(c.header, c.rows...), c.options))(t)
			bag := must.Get(set.Bag(0))(t)
			if bag.Stride() != 2 || bag.Boxes[1] != c.second || *bag.Slide != c.slide {
				t.Errorf("%d features at %v of %+v", bag.Stride(), bag.Boxes[1], *bag.Slide)
			}
			notes := set.Notes()
			if c.note == "" && len(notes) > 0 || c.note != "" &&
				(len(notes) != 1 || !strings.Contains(notes[0], c.note)) {
				t.Errorf("notes %q, want %q", notes, c.note)
			}
		})
	}
}

// TestWrongPlacing checks the errors of options, for every file.
func TestWrongPlacing(t *testing.T) {
	for want, o := range map[string]Options{
		"coords unit": {CoordsUnit: "miles"}, "slide mpp": {SlideMPP: -1},
		"patch size": {PatchSide: -2},
	} {
		_, err := Read("t.csv", []byte("bag,f1\na,1\n"), o)
		var setting *core.SettingError
		must.Equal(t, errors.As(err, &setting), true, err, want)
		must.Equal(t, setting.Setting, want, err)
	}
}

// TestUsualStep finds the distance of neighbours, which is not the smallest of all.
func TestUsualStep(t *testing.T) {
	var grids []float64
	for part := range 3 { // parts of tissue, each with its own corner
		for i := range 16 {
			grids = append(grids, float64(i%4*256+part*1001), float64(i/4*256+part*1003))
		}
	}
	for name, c := range map[string]struct {
		corners []float64
		want    float64
	}{
		"one": {[]float64{5, 5}, 1}, "equal": {[]float64{5, 5, 5, 5}, 1},
		"a row": {[]float64{0, 0, 8, 0, 24, 0}, 8}, "a column": {[]float64{3, 0, 3, .5}, .5},
		"no two in a row": {[]float64{0, 0, 7, 9, 30, 40}, 7}, "grids": {grids, 256},
	} {
		must.Equal(t, lattice.Step(c.corners), c.want, name)
	}
}
