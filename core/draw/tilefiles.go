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
	"github.com/bagscope/bagscope/internal/msg"
)

// MostTiles bounds the tiles of a side, so that those of a class fit on one sheet.
const MostTiles = 200

// TileFiles are the patches with the highest and the lowest scores of each class, as files.
type TileFiles struct {
	Tiles   []Tile   // see Tiles and Strongest
	Classes []string // names of all classes
	Look    Options  // how sheets are drawn
	// Of returns where a tile is from.
	Of func(t Tile) Patch
	// Pixels returns a tile at full resolution.
	Pixels func(t Tile) (image.Image, error)
}

// A Patch is where a tile is from.
type Patch struct {
	Index int              // of the instance in its bag
	Box   *image.Rectangle // its place, from the corner of level 0, or nil
	Bag   string           // name of its bag, in names of files; "" if all are of one bag
}

// Write writes a PNG of each tile, tiles.csv with their scores and places, and the tiles of a class
// together as classN.png, with numbers from 1 as in all pictures. put creates a file with a name,
// which write fills. Errors are those of Sheet, Pixels and put; ctx ends it.
func (t TileFiles) Write(
	ctx context.Context, put func(name string, write func(io.Writer) error) error,
) error {
	rows := [][]string{{"file", "class", "name", "side", "rank", "instance", "score", "unit",
		"evidence", "x", "y", "width", "height", "origin"}}
	if len(t.Tiles) > 0 && t.Of(t.Tiles[0]).Bag != "" {
		rows[0] = append(rows[0], "bag")
	}
	for from, to := 0, 0; from < len(t.Tiles); from = to {
		for to < len(t.Tiles) && t.Tiles[to].Class == t.Tiles[from].Class {
			to++
		}
		written, err := t.writeClass(ctx, t.Tiles[from:to], put)
		if err != nil {
			return err
		}
		rows = append(rows, written...)
	}
	return put("tiles.csv", func(w io.Writer) error { return csvfile.Write(w, rows) })
}

// writeClass writes the tiles of a class and their sheet, and returns their rows of the table.
func (t TileFiles) writeClass(
	ctx context.Context, tiles []Tile, put func(name string, write func(io.Writer) error) error,
) (rows [][]string, err error) {
	pictures, names := make([]image.Image, len(tiles)), make([]string, len(tiles))
	for i, tile := range tiles {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		if pictures[i], err = t.Pixels(tile); err != nil {
			return nil, err
		}
		of := t.Of(tile)
		row := t.row(tile, of)
		rows = append(rows, row)
		names[i] = numberText(of.Index)
		if of.Bag != "" {
			names[i] += " " + msg.Line(of.Bag)
		}
		err := put(row[0], func(w io.Writer) error { return png.Encode(w, pictures[i]) })
		if err != nil {
			return nil, err
		}
	}
	sheet, err := Sheet(tiles, pictures, names, t.Look)
	if err != nil {
		return nil, err
	}
	return rows, put(fmt.Sprintf("class%d.png", tiles[0].Class), sheet.EncodePNG)
}

// row returns a tile's row of the table, which begins with its file. Without a place, cells are
// empty.
func (t TileFiles) row(tile Tile, of Patch) []string {
	side, bag := "highest", ""
	if tile.Lowest {
		side = "lowest"
	}
	if of.Bag != "" {
		bag = of.Bag + "-"
	}
	name := fmt.Sprintf("class%d-%s-%03d-%sinstance%d.png", tile.Class, side, tile.Rank, bag,
		of.Index)
	row := []string{name, strconv.Itoa(tile.Class), t.Classes[tile.Class], side,
		strconv.Itoa(tile.Rank), strconv.Itoa(of.Index),
		strconv.FormatFloat(tile.Score, 'g', -1, 64), string(tile.Unit),
		strconv.FormatBool(tile.Evident)}
	if at := of.Box; at != nil {
		for _, v := range []int{at.Min.X, at.Min.Y, at.Dx(), at.Dy()} {
			row = append(row, strconv.Itoa(v))
		}
		row = append(row, core.Canvas)
	} else {
		row = append(row, "", "", "", "", "")
	}
	if of.Bag != "" {
		row = append(row, of.Bag)
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
