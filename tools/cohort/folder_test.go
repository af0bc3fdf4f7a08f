package cohort

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/tools/train/synthetic"
)

// jobFolder copies files of features into a folder, by their paths in it, and returns it.
func jobFolder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for to, from := range files {
		data := must.Get(os.ReadFile(repo(t, "core/bagio/testdata/torch/"+from)))(t)
		name := filepath.Join(dir, filepath.FromSlash(to))
		must.Do(t, os.MkdirAll(filepath.Dir(name), 0o755))
		must.Do(t, os.WriteFile(name, data, 0o600))
	}
	return dir
}

// trident returns a job folder with two encoders, and files that are no features.
func trident(t *testing.T) string {
	const grid = "20x_256px_0px_overlap/"
	return jobFolder(t, map[string]string{
		grid + "features_uni_v1/a.1.h5":          slideFeatures,
		grid + "features_uni_v1/b.pt":            "dict.pt",
		grid + "features_uni_v1/_logs.txt":       "make.py",
		grid + "features_uni_v1/._b.pt":          "make.py",
		grid + "features_conch_v15/a.1.pt":       "bf16.pt",
		grid + "slide_features_titan/a.1.pt":     "f32.pt",
		grid + "patches/a.1_patches.safetensors": "clam.safetensors",
		"contours_geojson/a.1.geojson":           "make.py",
	})
}

const slideFeatures = "../../../../testdata/corpus/slide.h5"

const featureModel = "testdata/corpus/features.onnx"

// TestJobFolders explains job folders of TRIDENT and CLAM, with labels and sites.
func TestJobFolders(t *testing.T) {
	labels := filepath.Join(t.TempDir(), "labels.csv")
	must.Do(t, os.WriteFile(labels, []byte("case_id,slide_id,label,site\n1,a.1.svs,tumour,Ulm\n"+
		"2,c.svs,normal,Graz\n"), 0o600))
	clam := jobFolder(t, map[string]string{"pt_files/a.1.pt": "f32.pt", "pt_files/b.pt": "f16.pt"})
	for _, c := range []struct {
		name   string
		folder Folder
		boxes  int
	}{
		{"trident", Folder{Trident: trident(t), Features: "features_uni_v1"}, 5},
		{"clam", Folder{Clam: clam}, 0},
		{"stamp", Folder{Stamp: jobFolder(t, map[string]string{"a.1.h5": slideFeatures,
			"b.h5": slideFeatures, "uni/c.h5": slideFeatures})}, 5},
		{"encoder of stamp", Folder{Stamp: jobFolder(t, map[string]string{"logs/x.txt": "make.py",
			"uni/a.1.h5": slideFeatures, "uni/b.h5": slideFeatures})}, 5},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.folder.Model, c.folder.Labels = repo(t, featureModel), labels
			o := Options{Folder: c.folder, Out: filepath.Join(t.TempDir(), "out"),
				Request: json.RawMessage(`{"methods":["single"]}`)}
			if s := run(t, o); s.Finished != 2 || s.Failed != 0 {
				t.Fatalf("%+v", s)
			}
			list := results(t, outputs(t, o.Out)["results.jsonl"])
			var x struct{ Boxes [][4]int }
			must.Do(t, json.Unmarshal(list[0].Explanation, &x))
			if !strings.HasPrefix(filepath.Base(list[0].Bag), "a.1.") || list[0].Site != "Ulm" ||
				list[0].Label != "tumour" || list[1].Label != "" || len(x.Boxes) != c.boxes {
				t.Errorf("%+v with %d places, %+v", list[0].place, len(x.Boxes), list[1].place)
			}
		})
	}
}

// TestClamPrefersPlaces lists the files with coordinates if a slide has both kinds.
func TestClamPrefersPlaces(t *testing.T) {
	f := Folder{Model: "m.onnx", Clam: jobFolder(t, map[string]string{
		"pt_files/a.pt": "f32.pt", "h5_files/a.safetensors": "clam.safetensors"})}
	lines, err := f.lines()
	if err != nil || len(lines) != 1 || filepath.Ext(lines[0].Bag) != ".safetensors" {
		t.Errorf("%v, %v", lines, err)
	}
	f.Features = "pt_files"
	if lines, err = f.lines(); err != nil || filepath.Ext(lines[0].Bag) != ".pt" {
		t.Errorf("%v, %v", lines, err)
	}
}

// TestFolderErrors checks what a job folder and its options cannot be.
func TestFolderErrors(t *testing.T) {
	job, model := trident(t), repo(t, featureModel)
	two := jobFolder(t, map[string]string{"pt_files/a.pt": "f32.pt", "pt_files/a.pth": "f32.pt"})
	table := func(text string) string {
		name := filepath.Join(t.TempDir(), "labels.csv")
		must.Do(t, os.WriteFile(name, []byte(text), 0o600))
		return name
	}
	for want, o := range map[string]Options{
		"choose one by --features: 20x_256px_0px_overlap/features_conch_v15, " +
			"20x_256px_0px_overlap/features_uni_v1": {Folder: Folder{Trident: job, Model: model}},
		`"features_gone" names 0 folders; use one of`: {Folder: Folder{Trident: job, Model: model,
			Features: "features_gone"}},
		"--model is missing":             {Folder: Folder{Trident: job}},
		"use only one of them":           {Folder: Folder{Trident: job, Clam: job, Model: model}},
		"both name bags":                 {Folder: Folder{Clam: job, Model: model}, Manifest: "m"},
		"--slide-labels needs --trident": {Folder: Folder{Labels: "l.csv"}, Manifest: "m"},
		"gone cannot be read":            {Folder: Folder{Trident: job + "/gone", Model: model}},
		"has no folder of features":      {Folder: Folder{Trident: two, Model: model}},
		"neither a folder h5_files":      {Folder: Folder{Clam: job, Model: model}},
		"has no .h5 files":               {Folder: Folder{Stamp: two, Model: model}},
		"two files of the slide a":       {Folder: Folder{Clam: two, Model: model}},
		"is not a local folder":          {Folder: Folder{Clam: "s3://b/x", Model: model}},
		"dataflow cannot read a local": {Folder: Folder{Clam: job, Model: model},
			Runner: "dataflow"},
		"needs a column slide_id":  {Folder: withLabels(job, model, table("a,b\n1,2\n"))},
		"names none of the slides": {Folder: withLabels(job, model, table("slide,label\nz,1\n"))},
		"two different rows of the slide b": {Folder: withLabels(job, model,
			table("wsi,label\nb,1\nb.svs,2\n"))},
	} {
		t.Run(want, func(t *testing.T) {
			o.Out = filepath.Join(t.TempDir(), "out")
			_, err := Run(t.Context(), o)
			must.Equal(t, err != nil, true, err, want)
			must.Contain(t, err.Error(), want)
			must.Equal(t, errors.As(err, new(*OptionError)), true, err, want)
		})
	}
	lines, err := (&Folder{Trident: job, Features: "features_uni_v1", Model: model}).lines()
	if err != nil || len(lines) != 2 || !slices.IsSortedFunc(lines, func(a, b Line) int {
		return strings.Compare(a.Bag, b.Bag)
	}) {
		t.Errorf("%v, %v", lines, err)
	}
}

func withLabels(job, model, labels string) Folder {
	return Folder{Trident: job, Features: "features_uni_v1", Model: model, Labels: labels}
}

// TestFoldersOfManySlides explains folders as TRIDENT and CLAM write them: many slides, one of them
// cut off, two encoders side by side, and coordinates in files of their own.
func TestFoldersOfManySlides(t *testing.T) {
	const slide = "../../../../testdata/corpus/slide.h5"
	tridentFiles, clamFiles := map[string]string{}, map[string]string{}
	for i := range 12 {
		at := fmt.Sprintf("20x_256px_0px_overlap/%%s/slide%02d.h5", i)
		tridentFiles[fmt.Sprintf(at, "features_uni_v1")] = slide
		tridentFiles[fmt.Sprintf(at, "features_conch_v15")] = slide
		tridentFiles[fmt.Sprintf("20x_256px_0px_overlap/patches/slide%02d_patches.h5", i)] = slide
		clamFiles[fmt.Sprintf("pt_files/slide%02d.pt", i)] = "f32.pt"
		clamFiles[fmt.Sprintf("patches/slide%02d.h5", i)] = slide
	}
	job, clam := jobFolder(t, tridentFiles), jobFolder(t, clamFiles)
	for _, name := range []string{job + "/20x_256px_0px_overlap/features_uni_v1/slide07.h5",
		clam + "/pt_files/slide07.pt"} {
		must.Do(t, os.Truncate(name, 500))
	}
	for _, c := range []struct {
		name   string
		folder Folder
		broken int64
		boxes  int
	}{
		{"trident, one encoder", Folder{Trident: job, Features: "features_uni_v1"}, 1, 5},
		{"trident, the other", Folder{Trident: job, Features: "features_conch_v15"}, 0, 5},
		{"clam", Folder{Clam: clam}, 1, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.folder.Model = repo(t, featureModel)
			o := Options{Folder: c.folder, Out: filepath.Join(t.TempDir(), "out"),
				Request: json.RawMessage(`{"methods":["single"]}`)}
			if s := run(t, o); s.Finished != 12-c.broken || s.Failed != c.broken {
				t.Fatalf("%+v", s)
			}
			files := outputs(t, o.Out)
			for i, r := range results(t, files["results.jsonl"]) {
				var x struct{ Boxes [][4]int }
				must.Equal(t, json.Unmarshal(r.Explanation, &x) == nil, true, r.Bag, len(x.Boxes))
				must.Equal(t, len(x.Boxes), c.boxes, r.Bag)
				number := i
				if c.broken == 1 && i >= 7 {
					number++
				}
				must.Equal(t, strings.Contains(r.Bag, fmt.Sprintf("slide%02d.", number)), true, i,
					r.Bag)
			}
			dead := files["dead-letters.jsonl"]
			if int64(strings.Count(dead, "slide07.")) < c.broken ||
				c.broken == 0 && dead != "" {
				t.Errorf("dead letters: %s", dead)
			}
		})
	}
}

// TestSimulatedClam explains the test slides of a simulated folder of CLAM, whose features have
// places and no attributes, with the labels of its table.
func TestSimulatedClam(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "cohort")
	must.Do(t, synthetic.Write(t.Context(), folder, synthetic.Options{Layout: "clam",
		Slides: synthetic.LeastSlides, Features: 16}, func(int, int) {}))
	at := func(name string) string { return filepath.Join(folder, filepath.FromSlash(name)) }
	o := Options{Folder: Folder{Clam: at("features"), Model: at("model.onnx"),
		Labels: at("labels.csv"), Split: at("splits/splits_0_bool.csv")},
		Out: filepath.Join(t.TempDir(), "out"), Request: json.RawMessage(`{"methods":["single"]}`)}
	if s := run(t, o); s.Finished != 2 || s.Failed != 0 {
		t.Fatalf("%+v", s)
	}
	for i, r := range results(t, outputs(t, o.Out)["results.jsonl"]) {
		var x struct{ Boxes [][4]int }
		must.Do(t, json.Unmarshal(r.Explanation, &x))
		must.Equal(t, r.Label, []string{"tumor_tissue", "normal_tissue"}[i], r.place, len(x.Boxes))
		must.Equal(t, len(x.Boxes) >= 100, true, r.place, len(x.Boxes))
		must.Equal(t, x.Boxes[0][2]-x.Boxes[0][0], 128, r.place, len(x.Boxes))
	}
}
