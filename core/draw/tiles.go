package draw

import (
	"cmp"
	"image"
	"math"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/msg"
)

// A Tile is a patch with one of the highest or lowest scores of a class.
type Tile struct {
	Class    int
	Lowest   bool // one of the lowest scores, else of the highest
	Rank     int  // 1 is the strongest of its side
	Bag      int  // number of the bag among several, see Strongest
	Instance int  // index in the bag
	Score    float64
	Evident  bool // the score is evidence
	Unit     core.Unit
}

// Tiles returns the n patches with the highest and the n with the lowest scores of each class of
// one method, "" for the report's first: classes in the report's order, each as Strongest returns
// it. It returns a *core.SettingError if the report lacks the method or n is below 1.
func Tiles(report *core.Report, method string, n int) ([]Tile, error) {
	if n < 1 {
		return nil, &core.SettingError{Setting: "tiles", Reason: msg.Sprintf("%d patches of a "+
			"side are none; use 1 or more", n)}
	}
	if method == "" && len(report.Explanations) > 0 {
		method = report.Explanations[0].Method
	}
	var tiles []Tile
	for _, e := range report.Explanations {
		if e.Method != method {
			continue
		}
		all := make([]Tile, len(e.Scores))
		for i, score := range e.Scores {
			all[i] = Tile{Class: e.Class, Instance: i, Score: score, Evident: e.Evident[i],
				Unit: e.Unit}
		}
		tiles = append(tiles, Strongest(all, n)...)
	}
	if tiles == nil {
		return nil, &core.SettingError{Setting: "method", Reason: msg.Sprintf("the report has no "+
			"scores of %q", method)}
	}
	return tiles, nil
}

// Strongest returns, of the tiles of one class, the n with the highest and the n with the lowest
// scores: the highest before the lowest, the strongest first. Equal scores are in the order of bags
// and instances. A patch is on one side alone: of fewer than 2n, the highest half, rounded up, is
// among the highest. Scores that are not a number are on neither. The strongest of several bags are
// those of their strongest together, so that they can be found bag by bag.
func Strongest(tiles []Tile, n int) []Tile {
	tiles = slices.DeleteFunc(slices.Clone(tiles),
		func(t Tile) bool { return math.IsNaN(t.Score) })
	inOrder := func(a, b Tile) int {
		return cmp.Or(cmp.Compare(a.Bag, b.Bag), cmp.Compare(a.Instance, b.Instance))
	}
	slices.SortFunc(tiles, func(a, b Tile) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), inOrder(a, b))
	})
	high := min(n, (len(tiles)+1)/2)
	low := min(n, len(tiles)-high)
	lowest := slices.Clone(tiles[len(tiles)-low:])
	slices.SortFunc(lowest, func(a, b Tile) int {
		return cmp.Or(cmp.Compare(a.Score, b.Score), inOrder(a, b))
	})
	out := append(tiles[:high:high], lowest...)
	for i := range out {
		out[i].Lowest, out[i].Rank = i >= high, i+1
		if i >= high {
			out[i].Rank -= high
		}
	}
	return out
}

// Sizes of a sheet, in layout pixels.
const (
	sheetCell = 112
	sheetGap  = 8
)

// Sheet draws tiles on one picture: a line for each class and side, the picture of each tile, and
// below it its name and its score. A score that is not evidence is grey. pictures and names have
// one for each tile. Of the options, Width, Cell, Scale, Dark and ClassNames are used. It returns a
// *core.SettingError for an invalid one, and a *LimitError for a sheet that is too large.
func Sheet(tiles []Tile, pictures []image.Image, names []string, o Options) (*Scene, error) {
	o.Cell = cmp.Or(o.Cell, sheetCell)
	o, err := o.checked(len(tiles))
	if err != nil {
		return nil, err
	}
	across := max(1, (o.Width-2*margin+sheetGap)/(o.Cell+sheetGap))
	places, heads, height := laidTiles(tiles, across, o.Cell)
	c, err := newCanvas(o.Width, height, o)
	if err != nil {
		return nil, err
	}
	for _, h := range heads {
		t := tiles[h.tile]
		side := "highest scores"
		if t.Lowest {
			side = "lowest scores"
		}
		title := msg.Sprintf("%s: %s, %s", o.className(t.Class), side, string(t.Unit))
		c.text(margin, h.y, shorten(title, o.Width-2*margin), c.ink)
	}
	for i, t := range tiles {
		at := places[i]
		frame := image.Rect(at.X, at.Y, at.X+o.Cell, at.Y+o.Cell)
		size := pictures[i].Bounds().Size()
		inside := centred(frame, size.X, size.Y)
		c.paint(c.box(inside.Min.X, inside.Min.Y, inside.Dx(), inside.Dy()), ofAny(pictures[i]))
		ink := c.ink
		if !t.Evident {
			ink = c.faint
		}
		c.text(at.X, at.Y+o.Cell, shorten(names[i], o.Cell), c.ink)
		c.text(at.X, at.Y+o.Cell+LineHeight, shorten(signed(t.Score), o.Cell), ink)
	}
	return &c.Scene, nil
}

// A sheetHead is the line above the tiles of a class and side, from number tile on.
type sheetHead struct{ tile, y int }

// laidTiles returns the corner of each tile, the lines above them and the height of the sheet, in
// layout pixels.
func laidTiles(
	tiles []Tile, across, cell int,
) (places []image.Point, heads []sheetHead, height int) {
	y, column := margin, 0
	row := cell + 2*LineHeight + sheetGap
	for i, t := range tiles {
		begins := i == 0 || t.Class != tiles[i-1].Class || t.Lowest != tiles[i-1].Lowest
		if i > 0 && (begins || column == across) {
			y, column = y+row, 0
		}
		if begins {
			heads = append(heads, sheetHead{i, y})
			y += LineHeight + sheetGap/2
		}
		places = append(places, image.Pt(margin+column*(cell+sheetGap), y))
		column++
	}
	return places, heads, y + row + margin - sheetGap
}
