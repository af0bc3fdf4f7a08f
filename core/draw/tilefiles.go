package draw

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"strconv"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/csvfile"
)

// MostTiles bounds the tiles of a side, so that those of a class fit on one sheet.
const MostTiles = 200

// TileFiles are the patches with the highest and the lowest scores of each class, as files.
type TileFiles struct {
	Report  *core.Report      // explanations; the first method counts
	Classes []string          // names of all classes
	Boxes   []image.Rectangle // places of the explained instances; nil for none
	Number  int               // patches of each class and side, at most MostTiles
	Look    Options           // how sheets are drawn
	// Position returns the number that an explained instance is called by.
	Position func(instance int) int
	// Pixels returns an explained instance at full resolution.
	Pixels func(instance int) (image.Image, error)
}

// Write writes a PNG of each tile, tiles.csv with their scores and places, and the tiles of a class
// together as classN.png. put creates a file with a name, which write fills. Errors are those of
// Tiles, Sheet, Pixels and put; ctx ends it.
func (t TileFiles) Write(
	ctx context.Context, put func(name string, write func(io.Writer) error) error,
) error {
	tiles, err := Tiles(t.Report, "", t.Number)
	if err != nil {
		return err
	}
	pictures, numbers := make([]image.Image, len(tiles)), make([]int, len(tiles))
	rows := [][]string{{"file", "class", "name", "side", "rank", "instance", "score", "unit",
		"evidence", "x", "y", "width", "height"}}
	for i, tile := range tiles {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		if pictures[i], err = t.Pixels(tile.Instance); err != nil {
			return err
		}
		numbers[i] = t.Position(tile.Instance)
		name := fmt.Sprintf("class%d-", tile.Class) + side(tile) +
			fmt.Sprintf("-%03d-instance%d.png", tile.Rank, numbers[i])
		rows = append(rows, t.row(name, tile, numbers[i]))
		err := put(name, func(w io.Writer) error { return png.Encode(w, pictures[i]) })
		if err != nil {
			return err
		}
	}
	err = put("tiles.csv", func(w io.Writer) error { return csvfile.Write(w, rows) })
	for from, to := 0, 0; from < len(tiles) && err == nil; from = to {
		for to < len(tiles) && tiles[to].Class == tiles[from].Class {
			to++
		}
		var sheet *Scene
		sheet, err = Sheet(tiles[from:to], pictures[from:to], numbers[from:to], t.Look)
		if err == nil {
			err = put(fmt.Sprintf("class%d.png", tiles[from].Class), sheet.EncodePNG)
		}
	}
	return err
}

// side returns the word for the side of a tile.
func side(t Tile) string {
	if t.Lowest {
		return "lowest"
	}
	return "highest"
}

// row returns a tile's row of the table. Without places, cells are empty.
func (t TileFiles) row(name string, tile Tile, number int) []string {
	row := []string{name, strconv.Itoa(tile.Class), t.Classes[tile.Class], side(tile),
		strconv.Itoa(tile.Rank), strconv.Itoa(number),
		strconv.FormatFloat(tile.Score, 'g', -1, 64), string(tile.Unit),
		strconv.FormatBool(tile.Evident), "", "", "", ""}
	if t.Boxes != nil {
		at := t.Boxes[tile.Instance]
		for i, v := range []int{at.Min.X, at.Min.Y, at.Dx(), at.Dy()} {
			row[len(row)-4+i] = strconv.Itoa(v)
		}
	}
	return row
}

// IsPicture reports whether instances are pictures of raw pixels, (channels, height, width) with
// one or three channels.
func IsPicture(b *core.Bag) bool {
	return b.Raw && len(b.Shape) == 3 && (b.Shape[0] == 1 || b.Shape[0] == 3)
}

// PictureOf returns an instance of a bag for which IsPicture holds.
func PictureOf(b *core.Bag, i int) image.Image {
	channels, height, width := b.Shape[0], b.Shape[1], b.Shape[2]
	values := b.Values[i*b.Stride():][:b.Stride()]
	m := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			var px [3]uint8
			for c := range px {
				px[c] = uint8(values[(min(c, channels-1)*height+y)*width+x])
			}
			m.SetRGBA(x, y, color.RGBA{px[0], px[1], px[2], 255})
		}
	}
	return m
}
