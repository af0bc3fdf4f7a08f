package main

import (
	"bytes"
	"encoding/csv"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/advice"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
	"github.com/bagscope/bagscope/tools/service/slidefiles"
)

// tilesIn returns the rows of tiles.csv below the heading, and the pixels of each tile.
func tilesIn(t *testing.T, folder string) (rows [][]string, pictures []image.Image) {
	t.Helper()
	data := must.Get(os.ReadFile(filepath.Join(folder, "tiles.csv")))(t)
	rows = must.Get(csv.NewReader(bytes.NewReader(data)).ReadAll())(t)[1:]
	for _, row := range rows {
		f := must.Get(os.Open(filepath.Join(folder, row[0])))(t)
		pictures = append(pictures, must.Get(png.Decode(f))(t))
		f.Close()
	}
	sheets := map[string]bool{}
	for _, row := range rows {
		sheets["class"+row[1]+".png"] = true
	}
	for sheet := range sheets {
		data := must.Get(os.ReadFile(filepath.Join(folder, sheet)))(t)
		must.Get(png.Decode(bytes.NewReader(data)))(t)
	}
	must.Equal(t, len(must.Get(os.ReadDir(folder))(t)), len(rows)+1+len(sheets), len(rows))
	return rows, pictures
}

// samePixels reports whether two pictures have the same colours.
func samePixels(a, b image.Image) bool {
	if a.Bounds().Size() != b.Bounds().Size() {
		return false
	}
	for y := range a.Bounds().Dy() {
		for x := range a.Bounds().Dx() {
			p := a.At(a.Bounds().Min.X+x, a.Bounds().Min.Y+y)
			q := b.At(b.Bounds().Min.X+x, b.Bounds().Min.Y+y)
			r1, g1, b1, _ := p.RGBA()
			r2, g2, b2, _ := q.RGBA()
			if r1 != r2 || g1 != g2 || b1 != b2 {
				return false
			}
		}
	}
	return true
}

// TestTilesOutOfSlide writes the strongest patches of a slide, with the pixels of level 0 at their
// places. Features of the same slide write the same files.
func TestTilesOutOfSlide(t *testing.T) {
	head := headWithEncoder(t)
	folder := filepath.Join(t.TempDir(), "tiles")
	explain := []string{"explain", "--method", "one_removed", "--tiles-number", "3", "--model",
		head}
	succeed(t, append(explain, "--bag", smallSlide, "--tiles-out", folder)...)
	rows, pictures := tilesIn(t, folder)
	must.Equal(t, len(rows), 6)
	s, file, err := slidefiles.Open(t.Context(), smallSlide, "")
	must.Do(t, err)
	defer file.Close()
	last := 0.
	for i, row := range rows {
		var at [4]int // x, y, width and height
		for j, cell := range row[9:13] {
			at[j] = must.Get(strconv.Atoi(cell))(t)
		}
		must.Equal(t, row[13], "canvas")
		box := image.Rect(at[0], at[1], at[0]+at[2], at[1]+at[3])
		must.Equal(t, samePixels(pictures[i], must.Get(s.Region(0, box))(t)), true, row[0], box)
		score := must.Get(strconv.ParseFloat(row[6], 64))(t)
		if rank := row[4]; rank != "1" && (row[3] == "highest") != (score <= last) &&
			score != last {
			t.Errorf("row %q after a score of %v", row, last)
		}
		last = score
	}
	features, again := filepath.Join(t.TempDir(), "bag.h5"), filepath.Join(t.TempDir(), "again")
	succeed(t, "tiles", smallSlide, "--mpp", "1", "--encoder",
		filepath.Join(filepath.Dir(head), "means.onnx"), "--out", features)
	succeed(t, append(explain, "--bag", features, "--tiles-out", again, "--tiles-slide",
		smallSlide)...)
	other, shown := tilesIn(t, again)
	for i := range other {
		must.Equal(t, other[i][0], rows[i][0], other[i], rows[i])
		must.Equal(t, samePixels(shown[i], pictures[i]), true, other[i], rows[i])
	}
	for name, args := range map[string][]string{
		"exists; remove it": {"--bag", smallSlide, "--tiles-out", folder},
		"by --tiles-slide":  {"--bag", features, "--tiles-out", folder + "2"},
		"must be from 1 to": {"--bag", smallSlide, "--tiles-out", "x", "--tiles-number", "0"},
		"needs --tiles-out": {"--bag", smallSlide, "--tiles-slide", smallSlide},
		"select one": {"--bag", smallSlide, "--tiles-out", "x", "--method",
			"single,one_removed"},
		"cannot be read: open ": {"--bag", features, "--tiles-out", "x", "--tiles-slide",
			"none.tif"},
	} {
		code, _, problem := bagscope(t, append(explain, args...)...)
		must.Equal(t, code != cli.ExitDone, true, args, code, problem)
		must.Equal(t, strings.Contains(problem, name), true, args, code, problem)
	}
}

// TestFollowedTiles follows advice on bags of features: their slide, and its microns.
func TestFollowedTiles(t *testing.T) {
	book := advice.Of(t)
	bag := writeTemp(t, "bag.csv", []byte("bag,x,y,f1,f2,f3\na,0,0,1,2,3\na,16,0,3,2,1\n"))
	folder := filepath.Join(t.TempDir(), "tiles")
	args := []string{"explain", "--method", "single", "--model", writeTemp(t, "head.onnx",
		slideHead(3)), "--bag", bag, "--tiles-out", folder}
	_, _, problem := bagscope(t, args...)
	book.Read(t, problem, "by --tiles-slide")
	args = append(args, "--tiles-slide", smallSlide, "--coords-unit", "um")
	_, _, problem = bagscope(t, args...)
	book.Read(t, problem, "--slide-mpp")
	succeed(t, append(args, "--slide-mpp", "0.5")...)
	if rows, _ := tilesIn(t, folder); len(rows) != 2 || rows[0][9] != "0" && rows[0][9] != "32" {
		t.Errorf("%q", rows)
	}
}

// TestTilesOutOfPictures writes the instances of a bag of pictures, without places.
func TestTilesOutOfPictures(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "tiles")
	succeed(t, "explain", "--method", "single", "--model", exampleModel, "--bag", exampleBags,
		"--tiles-out", folder, "--tiles-number", "1")
	rows, pictures := tilesIn(t, folder)
	if len(rows) == 0 || rows[0][9] != "" || pictures[0].Bounds().Dx() != 28 {
		t.Errorf("%q, %v", rows, pictures[0].Bounds())
	}
}
