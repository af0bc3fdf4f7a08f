package bagio

import (
	"archive/zip"
	"flag"
	"fmt"
	"image"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
)

var update = flag.Bool("update", false, "write testdata/tools/tools.md")

// toolFiles returns the files that tools write, see testdata/tools/make.py.
func toolFiles(t testing.TB, names ...string) []File {
	t.Helper()
	archive := must.Get(zip.OpenReader("testdata/tools/files.zip"))(t)
	defer archive.Close()
	var files []File
	for _, name := range names {
		r := must.Get(archive.Open(name))(t)
		files = append(files, File{Name: name, Data: must.Get(io.ReadAll(r))(t)})
	}
	return files
}

// square returns a patch with its upper left corner at a place.
func square(x, y, side int) image.Rectangle { return image.Rect(x, y, x+side, y+side) }

// toolLayouts are the layouts of tools. second and last are the patches 1 and 11 of twelve, whose
// places make.py writes.
var toolLayouts = []struct {
	tool, versions string
	files          []string
	options        Options
	second, last   image.Rectangle
	slide          core.Slide
	notes          []string // parts of all notes, in order
}{
	{"STAMP", "1.0 to 1.1", []string{"stamp-1.1.1.h5"}, Options{},
		square(256, 0, 256), square(768, 512, 256), core.Slide{PatchSize: 256, Unit: core.Microns},
		[]string{"as STAMP 1 writes them, in units of 1.14286um", "micrometres, and so is the map",
			"ignored arrays that are not part of the bag: augmented"}},
	{"STAMP", "1.0 to 1.1, slide-mpp .25", []string{"stamp-1.1.1.h5"}, Options{SlideMPP: .25},
		square(1024, 0, 1024), square(3072, 2048, 1024), core.Slide{PatchSize: 1024, MPP: .25},
		[]string{"as STAMP 1 writes them", "become pixels of level 0, of 0.25", "augmented"}},
	{"STAMP", "2.0", []string{"stamp-2.0.0.h5"}, Options{},
		square(768, 512, 256), square(1280, 1024, 256),
		core.Slide{PatchSize: 256, Unit: core.Microns}, []string{"micrometres, and so is the map"}},
	{"STAMP", "2.1 to 2.5", []string{"stamp-2.5.0.h5"}, Options{},
		square(768, 512, 256), square(1280, 1024, 256),
		core.Slide{PatchSize: 256, Unit: core.Microns}, []string{"micrometres, and so is the map"}},
	{"STAMP", "2.1 to 2.5, slide-mpp .2528", []string{"stamp-2.5.0.h5"}, Options{SlideMPP: .2528},
		image.Rect(3038, 2025, 4051, 3038), image.Rect(5063, 4051, 6076, 5063),
		core.Slide{PatchSize: 1013, MPP: .2528}, []string{"become pixels of level 0, of 0.2528"}},
	{"CLAM", "2021 to 2025, features", []string{"clam-features.h5"}, Options{},
		square(5024, 4000, 1024), square(7109, 6085, 1024), core.Slide{PatchSize: 1024},
		[]string{"how large a patch is, nor in which unit"}},
	{"CLAM", "2021 to 2025, attributes kept", []string{"clam-both.h5"}, Options{},
		square(5024, 4000, 1024), square(7109, 6085, 1024),
		core.Slide{Name: "slide", Width: 20000, Height: 16000, PatchSize: 1024}, nil},
	{"TRIDENT", "0.0 to 0.2.1", []string{"trident-0.0.1.h5"}, Options{},
		square(1512, 1000, 1024), square(2536, 2024, 1024),
		core.Slide{Name: "slide", Magnification: 40, PatchSize: 1024, Overlap: 512}, nil},
	{"TRIDENT", "0.2.2 to 0.3", []string{"trident-0.3.1.h5"}, Options{},
		square(1512, 1000, 1024), square(2536, 2024, 1024), core.Slide{Name: "slide", Width: 46000,
			Height: 32914, Magnification: 40, PatchSize: 1024, Overlap: 512}, nil},
	{"slideflow", "2.0.2 to 3.0", []string{"slideflow-3.0.2/slide.pt",
		"slideflow-3.0.2/slide.index.npz", "slideflow-3.0.2/bags_config.json"},
		Options{SlideMPP: .5}, square(604, 0, 604), square(1812, 1208, 604),
		core.Slide{PatchSize: 604, MPP: .5}, nil},
	{"slideflow", "2.0.2 to 3.0, no mpp", []string{"slideflow-3.0.2/slide.pt",
		"slideflow-3.0.2/slide.index.npz", "slideflow-3.0.2/bags_config.json"}, Options{},
		square(604, 0, 604), square(1812, 1208, 604), core.Slide{PatchSize: 604},
		[]string{"the size of a patch in another unit"}},
	{"TIAToolbox", "0.8 to 1.6", []string{"tiatoolbox-1.6.0/0.features.0.npy",
		"tiatoolbox-1.6.0/0.position.npy"}, Options{},
		square(224, 0, 224), square(672, 448, 224), core.Slide{},
		[]string{"in which unit its coordinates are"}},
	{"TIAToolbox", "2.0, dict", []string{"tiatoolbox-2.0.1.npz"},
		Options{CoordsUnit: "0.5um", SlideMPP: .25},
		square(448, 0, 448), square(1344, 896, 448), core.Slide{MPP: .25},
		[]string{"become pixels of level 0, of 0.25"}},
	{"HistoBistro", "1.0", []string{"histobistro.h5"}, Options{},
		square(512, 0, 512), square(1536, 1024, 512), core.Slide{PatchSize: 512},
		[]string{"how large a patch is, nor in which unit"}},
	{"LazySlide", "wsidata 0.3 to 0.10, h5ad", []string{"lazyslide-0.9.5.h5ad"}, Options{},
		image.Rect(1512, 1000, 2536, 1512), image.Rect(2536, 2024, 3560, 2536),
		core.Slide{Width: 46000, Height: 32914, Magnification: 40, MPP: .25, Overlap: 512},
		[]string{"ignored arrays that are not part of the bag: obs/"}},
	{"WSInfer", "0.5 to 0.6", []string{"wsinfer-0.6.1.csv"}, Options{},
		square(350, 0, 350), square(1050, 700, 350), core.Slide{},
		[]string{"in which unit its coordinates are"}},
}

// TestTools reads places, sizes, overlaps, units and names in the layouts of tools, and compares
// testdata/tools/tools.md with what was read.
func TestTools(t *testing.T) {
	table := toolsHead
	for _, c := range toolLayouts {
		t.Run(c.tool+" "+c.versions, func(t *testing.T) {
			set := must.Get(ReadFiles(toolFiles(t, c.files...), c.options))(t)
			bag := must.Get(set.Bag(0))(t)
			if bag.Len() != 12 || len(bag.Boxes) != 12 || bag.Values[bag.Stride()] != .5 {
				t.Fatalf("%d instances at %d places: %v", bag.Len(), len(bag.Boxes), bag.Values)
			}
			must.Equal(t, bag.Boxes[1], c.second, bag.Boxes[11], c.last)
			must.Equal(t, bag.Boxes[11], c.last, bag.Boxes[1], c.second)
			must.Equal(t, *bag.Slide, c.slide)
			notes := set.Notes()
			must.Equal(t, slices.EqualFunc(notes, c.notes, strings.Contains), true, notes, c.notes)
			table += toolRow(c.tool, c.versions, bag)
		})
	}
	const path = "testdata/tools/tools.md"
	if *update {
		must.Do(t, os.WriteFile(path, []byte(table), 0o644))
	}
	must.Equal(t, string(must.Get(os.ReadFile(path))(t)), table, path)
}

const toolsHead = `# Places that tools write, and what is read

` + "`go test ./core/bagio -run Tools -update`" + ` writes this table from the files of make.py.
Places and sizes are in the unit of their row. Zarr stores of LazySlide and TIAToolbox 2 were not
tried. Coordinates without features are not read.

| tool | versions | place of patch 1 | size | overlap | unit | µm a pixel | slide |
| --- | --- | --- | --- | --- | --- | --- | --- |
`

// toolRow is a row of the table.
func toolRow(tool, versions string, bag *core.Bag) string {
	b, s := bag.Boxes[1], bag.Slide
	unit, mpp, name := s.Unit, "", s.Name
	if unit == "" {
		unit = "px"
	}
	if s.MPP > 0 {
		mpp = fmt.Sprint(s.MPP)
	}
	return fmt.Sprintf("| %s | %s | %d, %d | %d x %d | %d | %s | %s | %s |\n", tool, versions,
		b.Min.X, b.Min.Y, b.Dx(), b.Dy(), s.Overlap, unit, mpp, name)
}

// TestRecords reads coordinates that are records, in every storage and byte order.
func TestRecords(t *testing.T) {
	for _, file := range []string{"records-plain.h5", "records-packed.h5"} {
		set := must.Get(ReadFiles(toolFiles(t, file), Options{CoordsUnit: "px"}))(t)
		bag := must.Get(set.Bag(0))(t)
		must.Equal(t, len(bag.Boxes), 12, file, set.Notes())
		must.Equal(t, bag.Boxes[1], square(1512, 1000, 512), file, bag.Boxes[11])
		must.Equal(t, bag.Boxes[11], square(2536, 2024, 512), file, bag.Boxes[1])
		if notes := set.Notes(); len(notes) > 0 {
			t.Errorf("%s: notes %q", file, notes)
		}
	}
}

// TestToolsRefused checks what cannot be a bag.
func TestToolsRefused(t *testing.T) {
	_, err := ReadFiles(toolFiles(t, "clam-patches.h5"), Options{})
	must.Fail(t, err)
	must.Contain(t, err.Error(), "places of patches and no features")
}
