package main

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"image"
	"image/png"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
	"github.com/bagscope/bagscope/tools/train/synthetic"
)

const readers = "../../../core/bagio/testdata/"

// A heldFile is a file of a row of the guide, and the model that it is predicted by: of features of
// a width, or in a file.
type heldFile struct {
	file  func(t *testing.T) string
	width int
	model string // a file, or "" for the mean of the features
}

// at returns a file of the repository.
func at(path string) func(*testing.T) string { return func(*testing.T) string { return path } }

// text writes a table.
func text(name, content string) func(*testing.T) string {
	return func(t *testing.T) string { return writeTemp(t, name, []byte(content)) }
}

// packed unpacks a member of an archive.
func packed(archive, name string) func(*testing.T) string {
	return func(t *testing.T) string {
		data := must.Get(os.ReadFile(archive))(t)
		r := must.Get(zip.NewReader(bytes.NewReader(data), int64(len(data))))(t)
		return writeTemp(t, name, must.Get(io.ReadAll(must.Get(r.Open(name))(t)))(t))
	}
}

// tiles writes four tiles whose names have their places.
func tiles(t *testing.T) string {
	dir := t.TempDir()
	var tile bytes.Buffer
	must.Do(t, png.Encode(&tile, image.NewRGBA(image.Rect(0, 0, 8, 8))))
	for _, name := range []string{"s_x0_y0.png", "s_x8_y0.png", "s_x0_y8.png", "s_x8_y8.png"} {
		must.Do(t, os.WriteFile(filepath.Join(dir, name), tile.Bytes(), 0o600))
	}
	return dir
}

// torchmil writes the folder of a data set of torchmil: an array of each bag under its name.
func torchmil(t *testing.T) string {
	dir := t.TempDir()
	write := func(name, about string, values any) {
		head := "{'fortran_order': False, " + about + "}"
		head += strings.Repeat(" ", 117-len(head)) + "\n"
		data := must.Get(binary.Append([]byte("\x93NUMPY\x01\x00\x76\x00"+head),
			binary.LittleEndian, values))(t)
		path := filepath.Join(dir, name)
		must.Do(t, os.MkdirAll(filepath.Dir(path), 0o700))
		must.Do(t, os.WriteFile(path, data, 0o600))
	}
	write("features/a.npy", "'descr': '<f4', 'shape': (2, 3)", []float32{1, 2, 3, 4, 5, 6})
	write("labels/a.npy", "'descr': '<i8', 'shape': (1,)", int64(1))
	write("patch_labels/a.npy", "'descr': '<i8', 'shape': (2,)", []int64{0, 1})
	return dir
}

const (
	pixelModel = "../../../testdata/corpus/pixels.onnx"
	corpus     = "../../../testdata/corpus/"
	slideAt    = "../../../core/slide/testdata/"
)

// heldFiles are the files of the rows of the guide's tables of files.
var heldFiles = map[string]heldFile{
	"a folder of torchmil: features, labels and patch_labels": {torchmil, 3, ""},

	"`bag,label,f1,f2,...`": {text("a.csv", "bag,label,f1,f2\ns,1,2,3\nt,0,1,1\n"), 2, ""},
	"a data frame of pandas as CSV, with its index": {text("a.csv", ",slide,area,shape\n"+
		"0,s1,0.5,-2.0\n1,s1,1500.0,3.0\n2,s2,7.5,1.0\n"), 2, ""},
	"measurements of QuPath (`.tsv`, `.csv`)": {text("a.tsv", "Image\tObject ID\tObject type\t"+
		"Name\tClassification\tParent\tROI\tCentroid X µm\tCentroid Y µm\tNucleus: Area µm^2\n"+
		"s.svs\tc0ffee\tDetection\t\tTumor\tRoot object (Image)\tPolygon\t32.0\t32.0\t0.5\n"+
		"s.svs\tdecade\tDetection\t\t\tRoot object (Image)\tPolygon\t96.0\t32.0\t15.5\n"), 1, ""},
	"objects of HALO": {text("a.csv", "Image Location,Analysis Region,Algorithm Name,Object Id,"+
		"XMin,XMax,YMin,YMax,Cell Area,Stain OD\n\\\\s\\a.svs,entire image,HighPlex,0,10,20,0,8,"+
		"0.5,-2\n\\\\s\\a.svs,entire image,HighPlex,1,20,30,0,8,1500,3\n"), 2, ""},
	"a spreadsheet with semicolons and decimal commas": {text("a.csv",
		"slide;area;shape\ns;0,5;-2\ns;1500;3\n"), 2, ""},
	"bags in a column of another name": {text("a.csv", "area,donor,shape\n1.5,d,2\n2.5,e,3\n"),
		2, ""},
	"columns with other names": {text("a.csv", "slide,cx,cy,stain_1,stain_2,f1\ns,0,0,1,2,5\n"+
		"s,8,0,1,2,6\n"), 1, ""},
	"Parquet or Feather":      {at(readers + "columnar/zstd.parquet"), 3, ""},
	"relational ARFF of Weka": {text("a.arff", wekaBags), 2, ""},
	"LIBSVM with `qid`": {text("a.svm", "1 qid:1 1:0.5 2:2\n1 qid:1 1:1\n0 qid:2 2:3\n"),
		2, ""},

	"`.npz` of several arrays, one of them the features": {at(corpus + "two.npz"), 4, ""},
	"`.npz` with an array for each bag": {packed(readers+"held/held.zip",
		"slides.npz"), 4, ""},
	"a sparse matrix of SciPy (`.npz`)": {packed(readers+"held/held.zip",
		"csr.npz"), 4, ""},
	"AnnData (`.h5ad`) with sparse features": {packed(readers+"tools/files.zip",
		"anndata-csr.h5ad"), 4, ""},
	"AnnData of many patients in one file": {packed(readers+"tools/files.zip",
		"anndata-obs.h5ad"), 4, ""},
	"a Zarr store":        {at(readers + "zarr/v3_shards.zarr.zip"), 4, ""},
	"SpatialData in Zarr": {packed(readers+"held/held.zip", "spatial.zarr.zip"), 4, ""},
	"HDF5 packed by bitshuffle, zstd or Blosc, of several arrays": {at(
		"../../../core/bagio/internal/hdf5/testdata/registry.h5.gz"), 11, ""},
	"bfloat16 in HDF5 or NumPy": {packed(readers+"held/held.zip", "bfloat16.h5"), 4, ""},
	"MATLAB 5: features, labels and ids of bags": {packed(readers+"tools/files.zip",
		"mat-andrews.mat"), 4, ""},
	"MATLAB 5: pairs of a bag and its label": {packed(readers+"shelf/shelf.zip",
		"pairs.mat"), 4, ""},
	"MATLAB 5: an object of PRTools": {packed(readers+"tools/files.zip",
		"mat-prtools.mat"), 4, ""},
	"MATLAB 5: bags of each category, such as SIVAL": {packed(readers+"shelf/shelf.zip",
		"variables.mat"), 4, ""},
	"MATLAB 7.3 with cells": {packed(readers+"held/held.zip", "cells73.mat"), 4, ""},

	"a picture": {at(readers + "pictures/picture.png"), 0, pixelModel},
	"a folder of tiles with places in their names": {tiles, 0, pixelModel},
	"a zip of such a folder":                       {zippedTiles, 0, pixelModel},
	"a DICOM series":                               {at(corpus + "slices.zip"), 0, pixelModel},
	"a NIfTI volume":                               {at(readers + "nifti/axial.nii"), 0, "slices"},
	"a folder of tiles, and an encoder":            {tiles, 3, ""},
	"pictures without places, and an encoder":      {at(readers + "pictures/picture.png"), 3, ""},
	"a slide of Aperio (`.svs`)":                   {at(slideAt + "aperio_33003.svs"), 3, ""},
	"a slide of Hamamatsu (`.ndpi`)":               {at(slideAt + "hamamatsu.ndpi"), 3, ""},
	"a slide of Philips (`.tiff`)":                 {at(slideAt + "philips.tif"), 3, ""},
	"a slide of Leica (`.scn`)":                    {at(slideAt + "leica.scn"), 3, ""},
	"a slide of Ventana (`.bif`)":                  {at(slideAt + "ventana.bif"), 3, ""},
	"a TIFF file of bands, such as Sentinel-2's":   {at(slideAt + "bands/planes.tif"), 3, ""},
}

// zippedTiles writes an archive of the folder of tiles.
func zippedTiles(t *testing.T) string {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	must.Do(t, w.AddFS(os.DirFS(tiles(t))))
	must.Do(t, w.Close())
	path := filepath.Join(t.TempDir(), "tiles.zip")
	must.Do(t, os.WriteFile(path, out.Bytes(), 0o600))
	return path
}

const wekaBags = `@relation musk
@attribute molecule {m1,m2}
@attribute bag relational
  @attribute f1 numeric
  @attribute f2 numeric
@end bag
@attribute class {MUSK,NON-MUSK}
@data
m1,"0.5,1\n-2,3e0",NON-MUSK
m2,'4,5',MUSK
`

// A heldRow is a row of the guide: what users have, and what they type, "" for nothing.
type heldRow struct{ have, typed string }

// heldRows returns the rows of the tables below a heading of the guide.
func heldRows(t *testing.T, guide, heading string) (rows []heldRow) {
	_, rest, ok := strings.Cut(guide, "\n## "+heading+"\n")
	must.Equal(t, ok, true, heading)
	section, _, _ := strings.Cut(rest, "\n## ")
	for _, m := range regexp.MustCompile(`(?m)^\| (.+?) +\| (.+?) +\|$`).FindAllStringSubmatch(
		section, -1) {
		if m[1] == "you have" || strings.HasPrefix(m[1], "---") {
			continue
		}
		typed, ok := strings.CutPrefix(m[2], "`")
		if ok != strings.HasSuffix(typed, "`") || !ok && m[2] != "nothing" {
			t.Errorf("%s: %s is neither nothing nor a code", m[1], m[2])
		}
		if typed = strings.TrimSuffix(typed, "`"); !ok {
			typed = ""
		}
		rows = append(rows, heldRow{m[1], typed})
	}
	return rows
}

// arguments returns what a user types as arguments, as a shell would.
func arguments(typed string) (args []string) {
	for _, m := range regexp.MustCompile(`'([^']*)'|(\S+)`).FindAllStringSubmatch(typed, -1) {
		args = append(args, m[1]+m[2])
	}
	return args
}

// TestHeldGuide runs what each row of the guide "What you hold, what to type" says, with a file of
// its kind.
func TestHeldGuide(t *testing.T) {
	guide := string(must.Get(os.ReadFile("../../../www/docs/held.md"))(t))
	seen := 0
	for _, heading := range []string{"Tables", "Arrays", "Pictures, series and slides"} {
		for _, row := range heldRows(t, guide, heading) {
			seen++
			t.Run(row.have, func(t *testing.T) {
				held, ok := heldFiles[row.have]
				must.Equal(t, ok, true, "no file of this kind")
				args := append([]string{"predict", "--model", heldModel(t, held), "--bag",
					held.file(t)}, arguments(row.typed)...)
				for i, a := range args {
					switch a {
					case "encoder.onnx":
						args[i] = meanEncoder(t)
					case "bands.json":
						args[i] = writeTemp(t, a, []byte(`{"bands": {"use": [4, 3, 2]}}`))
					}
				}
				if strings.Contains(row.typed, "--encoder") { // the tissue of these is a few pixels
					args = append(args, "--whole-slide")
				}
				succeed(t, args...)
			})
		}
	}
	must.Equal(t, seen, len(heldFiles))
	models := map[string]func(t *testing.T) (model string, width int){
		"a model that takes a bag": func(t *testing.T) (string, int) {
			return writeTemp(t, "m.onnx", ot.MeanHead(2).Bytes()), 2
		},
		"a classifier of patches, which scores each instance": func(*testing.T) (string, int) {
			return "../../../onnxbackend/testdata/instances/logistic.onnx", 4
		},
		"a model that ONNX Runtime optimised": func(*testing.T) (string, int) {
			return "../../../onnxbackend/testdata/onnxruntime/optimised.onnx", 4
		},
	}
	for _, row := range heldRows(t, guide, "Models") {
		t.Run(row.have, func(t *testing.T) {
			model, width := models[row.have](t)
			args := append([]string{"predict", "--model", model, "--bag", table(t, 3, width)},
				arguments(row.typed)...)
			for i, a := range args {
				if a == "pool.json" {
					args[i] = writeTemp(t, a, []byte(`{"pool": "mean"}`))
				}
			}
			succeed(t, args...)
		})
	}
}

// heldModel returns the model of a file.
func heldModel(t *testing.T, held heldFile) string {
	switch held.model {
	case "slices":
		m := ot.Model{Opset: 17, Inputs: []ot.Value{ot.In("x", "n", 1, "h", "w")},
			Outputs: []ot.Value{ot.In("y", 1)}, Nodes: ot.Nodes(`p = GlobalAveragePool(x)
				f = Flatten(p); y = ReduceMean<axes=[0], keepdims=0>(f)`)}
		return writeTemp(t, "m.onnx", m.Bytes())
	case "":
		return writeTemp(t, "m.onnx", ot.MeanHead(held.width).Bytes())
	}
	return held.model
}

// TestHeldCohorts runs what each row of the guide says of folders of laboratories, in a simulated
// cohort of their layout.
func TestHeldCohorts(t *testing.T) {
	guide := string(must.Get(os.ReadFile("../../../www/docs/held.md"))(t))
	layouts := map[string]string{"a job folder of TRIDENT": "trident",
		"features of CLAM (`h5_files`), with a split": "clam",
		"features of STAMP":                           "stamp",
		"CAMELYON16, with the job folder of TRIDENT":  "camelyon",
	}
	rows := heldRows(t, guide, "Folders of laboratories")
	must.Equal(t, len(rows), len(layouts))
	for _, row := range rows {
		t.Run(row.have, func(t *testing.T) {
			t.Chdir(t.TempDir())
			o := synthetic.Options{Layout: layouts[row.have], Slides: synthetic.LeastSlides,
				Features: 16}
			must.Do(t, synthetic.Write(t.Context(), "cohort", o, func(int, int) {}))
			t.Chdir("cohort")
			text := succeed(t, append([]string{"evaluate", "--model", "model.onnx", "--method",
				"single"}, arguments(row.typed)...)...)
			slides := "8 slides"
			if strings.Contains(row.typed, "--split") {
				slides = "2 slides"
			}
			must.Contain(t, text, "FROC of CAMELYON16, "+slides)
		})
	}
}

// TestHeldRefused converts each kind of file that the guide lists as refused by the command of its
// row, which the error names, too.
func TestHeldRefused(t *testing.T) {
	guide := string(must.Get(os.ReadFile("../../../www/docs/held.md"))(t))
	refusedFiles := map[string]struct {
		file    func(*testing.T) string
		width   int
		result  string
		modules string // what the command needs
	}{
		"a table of pandas in HDF5": {packed(readers+"held/held.zip", "table.h5"), 4, "bag.csv",
			"pandas, tables"},
		"Parquet packed by Brotli": {at(readers + "columnar/brotli.parquet"), 3, "bag.parquet",
			"pandas, pyarrow"},
		"a sparse matrix of blocks of SciPy": {packed(readers+"held/held.zip", "bsr.npz"), 4,
			"bag.npz", "scipy.sparse"},
		"numbers without names as text": {text("a.csv", "1,2\n3,5\n"), 2, "bag.npy", "numpy"},
	}
	rows := heldRows(t, guide, "What is refused")
	must.Equal(t, len(rows), len(refusedFiles))
	for _, row := range rows {
		t.Run(row.have, func(t *testing.T) {
			held := refusedFiles[row.have]
			model := writeTemp(t, "m.onnx", ot.MeanHead(held.width).Bytes())
			file := must.Get(filepath.Abs(held.file(t)))(t)
			said := refused(t, "predict", "--model", model, "--bag", file)
			must.Contain(t, said, row.typed)
			dir := t.TempDir()
			imports := exec.CommandContext(t.Context(), "python3", "-c", "import "+held.modules)
			if imports.Run() != nil {
				t.Skip("a package of Python is absent")
			}
			shell(t, dir, strings.ReplaceAll(row.typed, "FILE", file))
			succeed(t, "predict", "--model", model, "--bag", filepath.Join(dir, held.result))
		})
	}
}
