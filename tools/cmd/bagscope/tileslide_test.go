package main

import (
	"archive/zip"
	"fmt"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core/slide"
	"github.com/bagscope/bagscope/internal/advice"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/tools/cmd/internal/clitest"
	"github.com/bagscope/bagscope/tools/service/slidefiles"
)

// cutSlide writes the patches of the small slide as tiles with places in their names, into a folder
// and into a zip archive.
func cutSlide(t *testing.T, side int) (folder, archive string) {
	s, file, err := slidefiles.Open(t.Context(), smallSlide, "")
	must.Do(t, err)
	defer file.Close()
	folder, archive = t.TempDir(), filepath.Join(t.TempDir(), "tiles.zip")
	g := must.Get(s.Grid(nil, slide.GridOptions{PatchSize: side}))(t)
	for i, b := range g.Boxes {
		f := must.Get(os.Create(filepath.Join(folder, fmt.Sprintf("s_x%d_y%d_class%d.png", b.Min.X,
			b.Min.Y, i%2))))(t)
		must.Do(t, png.Encode(f, must.Get(g.Patch(i))(t)))
		must.Do(t, f.Close())
	}
	f := must.Get(os.Create(archive))(t)
	w := zip.NewWriter(f)
	must.Do(t, w.AddFS(os.DirFS(folder)))
	must.Do(t, w.Close())
	must.Do(t, f.Close())
	return folder, archive
}

// noted runs a command that writes notes early, and returns its output.
func noted(t *testing.T, args ...string) string {
	t.Helper()
	var stdout, stderr strings.Builder
	must.Equal(t, program.Run(t.Context(), args, &stdout, &stderr), 0, stderr.String())
	return stdout.String()
}

// TestExplainTiles explains tiles by an encoder: each tile is a patch at its place, with the
// features and the score that the patch of the slide has.
func TestExplainTiles(t *testing.T) {
	head, encoder := writeTemp(t, "head.onnx", slideHead(3)), meanEncoder(t)
	folder, archive := cutSlide(t, 16)
	explain := func(bag string, more ...string) (got explainedSlide) {
		clitest.Decode(t, noted(t, append([]string{"explain", "--model", head, "--method",
			"one_removed", "--json", "--encoder", encoder, "--bag", bag}, more...)...), &got)
		return got
	}
	want := explain(smallSlide, "--mpp", "0", "--whole-slide")
	score := map[[4]int]float64{}
	for i, b := range want.Boxes {
		score[b] = want.Explanations[0].Scores[i]
	}
	for _, bag := range []string{folder, archive} {
		drawn := filepath.Join(t.TempDir(), "map.png")
		got := explain(bag, "--png", drawn)
		must.Equal(t, len(got.Boxes), len(score))
		for i, b := range got.Boxes {
			w, ok := score[b]
			if !ok || !(math.Abs(w-got.Explanations[0].Scores[i]) <= 1e-9) {
				t.Errorf("patch at %v has score %v, want %v", b, got.Explanations[0].Scores[i], w)
			}
		}
		must.Equal(t, strings.Contains(strings.Join(got.Notes, "\n"), "state their places"), true,
			got.Notes)
		must.Do(t, must.Err(os.Stat(drawn)))
	}
	out := filepath.Join(t.TempDir(), "tiles.h5")
	noted(t, "tiles", archive, "--encoder", encoder, "--out", out)
	var got explainedSlide
	clitest.Decode(t, succeed(t, "explain", "--model", head, "--method", "one_removed", "--json",
		"--bag", out), &got)
	must.Equal(t, len(got.Boxes), len(score), got.Slide)
	must.Equal(t, got.Slide["patch_size"], 16., len(got.Boxes), got.Slide)
}

// TestTilesWithoutPlaces: an encoder of slides does not take tiles whose names state no places, nor
// a picture, and the way out works.
func TestTilesWithoutPlaces(t *testing.T) {
	folder, _ := cutSlide(t, 16)
	must.Do(t, os.WriteFile(filepath.Join(folder, "thumbnail.png"),
		must.Get(os.ReadFile(filepath.Join(folder, "s_x0_y0_class0.png")))(t), 0o600))
	args := []string{"predict", "--model", writeTemp(t, "head.onnx", slideHead(3)), "--bag"}
	encoder, picture := meanEncoder(t), filepath.Join(folder, "thumbnail.png")
	for _, bag := range []string{folder, picture} {
		said := refused(t, append(args, bag, "--encoder", encoder)...)
		must.Contain(t, said, "name the encoder", "as via")
		succeed(t, append(args, bag, "--via", encoder)...)
	}
}

// TestTileMicrons notes what the encoder takes and tiles do not state, or state otherwise, and
// follows both notes.
func TestTileMicrons(t *testing.T) {
	folder, _ := cutSlide(t, 32)
	const drawn, other = "tiles of 32 pixels are drawn at the 16 pixels", "its tiles cover 1 µm"
	args := []string{"predict", "--json", "--model", writeTemp(t, "head.onnx", slideHead(3)),
		"--encoder", meanEncoder(t), "--mpp", "0.5", "--bag", folder}
	out := noted(t, args...)
	line := advice.Of(t).Read(t, out, "slide-mpp")
	must.Contain(t, out, drawn)
	must.Equal(t, strings.Contains(out, other), false, out)
	args = append(args, "--slide-mpp", "0.5")
	if out = noted(t, args...); line.In(out) || !strings.Contains(out, other) {
		t.Error(out)
	}
	if out = noted(t, append(args, "--whole-slide")...); strings.Contains(out, other) ||
		strings.Contains(out, drawn) {
		t.Error(out)
	}
}

// TestTileAlone: a tile that is named by itself is one picture, and tiles without places are no
// slide.
func TestTileAlone(t *testing.T) {
	folder := tiles(t)
	must.Contain(t, refused(t, "tiles", filepath.Join(folder, "s_x8_y0.png"), "--mpp", "0",
		"--patch-size", "8", "--mask", filepath.Join(t.TempDir(), "m.png")), "it is one picture")
	must.Contain(t, refused(t, "tiles", zippedTiles(t), "--patch-size", "8", "--tile-names", "none",
		"--mask", filepath.Join(t.TempDir(), "m.png")), "--tile-names", "no slide")
	must.Contain(t, refused(t, "tiles", folder, "--patch-size", "8", "--tile-names", "none",
		"--mask", filepath.Join(t.TempDir(), "m.png")), "no tiles with places in their names")
}
