package draw

import (
	"bytes"
	"image"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
)

// ranked returns a report of one method with the scores of each class.
func ranked(scores ...[]float64) *core.Report {
	r := &core.Report{}
	for class, list := range scores {
		r.Explanations = append(r.Explanations, core.Explanation{Method: "m", Class: class,
			Scores: list, Evident: make([]bool, len(list)), Unit: core.UnitProbability})
	}
	return r
}

// TestTiles lists the extremes of each class: no patch is on both sides, and equal scores are in
// the order of instances.
func TestTiles(t *testing.T) {
	nan := math.NaN()
	for name, c := range map[string]struct {
		scores    []float64
		n         int
		high, low []int
	}{
		"two of each": {[]float64{.1, .5, -.3, .2, -.1}, 2, []int{1, 3}, []int{2, 4}},
		"few":         {[]float64{.1, .5, -.3}, 5, []int{1, 0}, []int{2}},
		"one":         {[]float64{-1}, 3, []int{0}, nil},
		"equal":       {[]float64{1, 1, 1, 1}, 1, []int{0}, []int{3}},
		"unknown":     {[]float64{nan, 2, nan, 1}, 2, []int{1}, []int{3}},
	} {
		t.Run(name, func(t *testing.T) {
			var high, low []int
			for _, tile := range must.Get(Tiles(ranked(c.scores), "", c.n))(t) {
				list := &high
				if tile.Lowest {
					list = &low
				}
				if *list = append(*list, tile.Instance); tile.Rank != len(*list) ||
					tile.Score != c.scores[tile.Instance] {
					t.Errorf("%+v", tile)
				}
			}
			must.EqualSlices(t, high, c.high)
			must.EqualSlices(t, low, c.low)
		})
	}
	two := must.Get(Tiles(ranked([]float64{1, 2}, []float64{3, 1}), "m", 1))(t)
	var order [][2]any
	for _, tile := range two {
		order = append(order, [2]any{tile.Class, tile.Lowest})
	}
	must.Equal(t, reflect.DeepEqual(order, [][2]any{{0, false}, {0, true}, {1, false}, {1, true}}),
		true, order)
	for _, wrong := range []struct {
		method string
		n      int
	}{{"m", 0}, {"other", 1}} {
		must.Equal(t, must.Err(Tiles(ranked([]float64{1}), wrong.method, wrong.n)) != nil, true,
			wrong)
	}
}

// TestSheetLays lays tiles in rows of the width, below a line for each class and side.
func TestSheetLays(t *testing.T) {
	tiles := must.Get(Tiles(ranked([]float64{3, 2, 1, -1, -2, -3}), "", 3))(t)
	places, heads, height := laidTiles(tiles, 2, 10)
	if len(heads) != 2 || heads[1].tile != 3 || heads[1].y <= places[2].Y {
		t.Errorf("lines %v", heads)
	}
	for i, a := range places {
		must.Equal(t, a.Y+10 <= height, true, i, a, height)
		for _, b := range places[:i] {
			size := image.Pt(10, 10+2*LineHeight)
			if (image.Rectangle{a, a.Add(size)}).Overlaps(image.Rectangle{b, b.Add(size)}) {
				t.Errorf("tiles at %v and %v overlap", a, b)
			}
		}
	}
	pictures := make([]image.Image, len(tiles))
	for i := range pictures {
		pictures[i] = image.NewRGBA(image.Rect(0, 0, 4, 4))
	}
	must.Fail(t, must.Err(Sheet(tiles, pictures, make([]string, len(tiles)), Options{Width: 1})))
}

// TestStrongest finds the strongest tiles of many bags one bag at a time, and among all of them at
// once.
func TestStrongest(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for round := range 200 {
		n := 1 + rng.IntN(4)
		var all, kept []Tile
		for bag := range 1 + rng.IntN(6) {
			var tiles []Tile
			for i := range 1 + rng.IntN(9) {
				score := float64(rng.IntN(7) - 3) // many are equal
				if rng.IntN(9) == 0 {
					score = math.NaN()
				}
				tiles = append(tiles, Tile{Bag: bag, Instance: i, Score: score})
			}
			all = append(all, tiles...)
			kept = Strongest(append(kept, Strongest(tiles, n)...), n)
		}
		must.EqualSlices(t, kept, Strongest(all, n), round)
	}
}

// TestTileFilesNumber: files and the table have the index of an instance, and sheets its number
// from 1, as all pictures.
func TestTileFilesNumber(t *testing.T) {
	tiles := must.Get(Tiles(ranked([]float64{.1, .5}), "", 1))(t)
	pixels := image.NewRGBA(image.Rect(0, 0, 8, 8))
	files := TileFiles{Tiles: tiles, Classes: []string{"a"},
		Of:     func(tile Tile) Patch { return Patch{Index: 6 + tile.Instance} },
		Pixels: func(Tile) (image.Image, error) { return pixels, nil }}
	got := map[string][]byte{}
	must.Do(t, files.Write(t.Context(), func(name string, write func(io.Writer) error) error {
		var out bytes.Buffer
		err := write(&out)
		got[name] = out.Bytes()
		return err
	}))
	sheet := must.Get(Sheet(tiles, []image.Image{pixels, pixels}, []string{"8", "7"}, Options{}))(t)
	var want bytes.Buffer
	must.Do(t, sheet.EncodePNG(&want))
	must.Equal(t, bytes.Equal(got["class0.png"], want.Bytes()), true, "numbers of the sheet")
	must.Equal(t, got["class0-highest-001-instance7.png"] != nil, true, len(got))
	must.Contain(t, string(got["tiles.csv"]), "highest,1,7,")
}
