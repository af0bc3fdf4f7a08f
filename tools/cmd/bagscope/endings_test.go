package main

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
)

// TestEndings refuses files under the name of another format before the work, says which names fit,
// and writes these.
func TestEndings(t *testing.T) {
	explain := "explain --method single --model " + featureModel + " --bag " + placedBag
	for _, c := range []struct {
		args, flag, wrong, says, right string
	}{
		{explain, "--geojson", "x.geojson.bz2", "name a file .geojson or .json", "x.geojson"},
		{explain, "--csv", "x.GZ", "name a file .csv", "x.CSV"},
		{explain, "--png", "x.png.gz", "name a file .png", "x.png"},
		{explain, "--csv", "x.tsv", "name a file .csv", "x"},
		{explain, "--png", "x.tif", "name a file .png", "x.png"},
		{"embed --method single --model " + exampleModel + " --bag " + exampleBags, "--out",
			"x.json", "name a file .html or .htm", "x.html"},
		{"tiles --mpp 1 --patch-size 16 " + smallSlide, "--out", "x.npz",
			"name a file .h5 or .hdf5", "x.h5"},
		{"tiles --mpp 1 --patch-size 16 " + smallSlide, "--mask", "x.tiff", "name a file .png",
			"x.png"},
	} {
		t.Run(c.flag+" "+c.wrong, func(t *testing.T) {
			folder := t.TempDir()
			args := append(words(c.args), c.flag, filepath.Join(folder, c.wrong))
			code, _, stderr := bagscope(t, args...)
			must.Equal(t, code, cli.ExitUsage, "exit code")
			must.Contain(t, stderr, c.says)
			if left, err := os.ReadDir(folder); len(left) > 0 || err != nil {
				t.Errorf("it left %v, %v", left, err)
			}
			args[len(args)-1] = filepath.Join(folder, c.right)
			succeed(t, args...)
			must.Get(os.Stat(args[len(args)-1]))(t)
		})
	}
}

// TestCompressed compresses texts whose names say so: unpacked they are those without.
func TestCompressed(t *testing.T) {
	folder := t.TempDir()
	for _, ending := range []string{"", ".GZ"} {
		succeed(t, "explain", "--method", "single", "--model", featureModel, "--bag", placedBag,
			"--geojson", filepath.Join(folder, "x.geojson"+ending), "--csv",
			filepath.Join(folder, "x.csv"+ending))
	}
	for _, name := range []string{"x.geojson", "x.csv"} {
		f := must.Get(os.Open(filepath.Join(folder, name+".GZ")))(t)
		defer f.Close()
		got := must.Get(io.ReadAll(must.Get(gzip.NewReader(f))(t)))(t)
		if want := must.Get(os.ReadFile(filepath.Join(folder, name)))(t); len(want) == 0 ||
			!bytes.Equal(got, want) {
			t.Errorf("%s: %d bytes, want %d", name, len(got), len(want))
		}
	}
}
