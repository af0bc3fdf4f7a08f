package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/draw"
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
)

// A tilesFolder holds the flags that write the strongest patches as pictures.
type tilesFolder struct {
	path   string // the folder, or "" for none
	number int    // patches of each class and side
	slide  string // the file of the slide that a bag of features is from, or ""
}

// mostTiles bounds the tiles of a side, so that those of a class fit on one sheet.
const mostTiles = 200

// register adds the flags to a command.
func (f *tilesFolder) register(c *cobra.Command) {
	c.Flags().StringVar(&f.path, "tiles-out", "", "write the patches with the highest and the "+
		"lowest scores of each class into a new folder: a PNG of each at full resolution, "+
		"tiles.csv with scores and places, and those of a class together on classN.png")
	c.Flags().IntVar(&f.number, "tiles-number", 8, "--tiles-out: patches with the highest and "+
		"with the lowest scores of each class")
	c.Flags().StringVar(&f.slide, "tiles-slide", "", "--tiles-out: the slide whose patches a bag "+
		"of features holds (default: the bag's own file, if it is a slide or a picture)")
}

// check returns an error of usage for flags that cannot hold. It precedes the work.
func (f *tilesFolder) check() error {
	switch {
	case f.path == "" && f.slide != "":
		return cli.Usagef("--tiles-slide needs --tiles-out, the folder for the patches")
	case f.path == "":
		return nil
	case f.number < 1 || f.number > mostTiles:
		return cli.Usagef("--tiles-number must be from 1 to 200; it is %d", f.number)
	}
	// Tiles of two explanations must not mix, and a folder of the user is not removed.
	if _, err := os.Lstat(f.path); !errors.Is(err, fs.ErrNotExist) {
		return cli.Usagef("--tiles-out: %s exists; remove it or name another folder", f.path)
	}
	return nil
}

// needPixels returns an error of usage for a bag whose patches cannot be shown. It precedes the
// work.
func (f *tilesFolder) needPixels(in *ask.Input) error {
	b := in.Bag
	switch {
	case f.slide == "" && !isPicture(b) && (in.Picture == nil || b.Boxes == nil):
		return cli.Usagef("--tiles-out needs pixels, and the bag holds features; name the slide " +
			"that they are from by --tiles-slide")
	case f.slide == "":
		return nil
	case b.Boxes == nil:
		return cli.Usagef("--tiles-slide needs places, and the instances of the bag have none; " +
			"use a file with coordinates")
	case b.Slide != nil && b.Slide.Unit == core.Microns:
		return cli.Usagef("--tiles-slide needs places in pixels, and those of the bag are in " +
			"micrometres; state --slide-mpp")
	}
	return nil
}

// isPicture reports whether instances are pictures of raw pixels, (channels, height, width) with
// one or three channels.
func isPicture(b *core.Bag) bool {
	return b.Raw && len(b.Shape) == 3 && (b.Shape[0] == 1 || b.Shape[0] == 3)
}

// A pixelSource returns the pixels of an instance at full resolution.
type pixelSource func(instance int) (image.Image, error)

// source returns where the pixels of instances are from: the instances themselves, or else a slide.
// The caller must call done.
func (f *tilesFolder) source(
	ctx context.Context, x explained, bag string,
) (get pixelSource, done func(), err error) {
	if f.slide == "" && isPicture(x.Bag) {
		get = func(i int) (image.Image, error) { return pixelsOf(x.Bag, i), nil }
		return get, func() {}, nil
	}
	// The picture of features is a small one of the slide that they were encoded from.
	s, file, err := cli.OpenPixels(ctx, cmp.Or(f.slide, bag))
	if err != nil {
		return nil, nil, err
	}
	get = func(i int) (image.Image, error) { return s.Region(0, x.Bag.Boxes[i]) }
	return get, func() { file.Close() }, nil
}

// pixelsOf returns an instance that is a picture of raw pixels.
func pixelsOf(b *core.Bag, i int) image.Image {
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

// write writes the folder, which gets its name when all files are written. bag is the path of the
// bag's file.
func (f *tilesFolder) write(ctx context.Context, x explained, bag string) (err error) {
	tiles, err := draw.Tiles(x.Report, "", f.number)
	if err != nil {
		return err
	}
	get, done, err := f.source(ctx, x, bag)
	if err != nil {
		return err
	}
	defer done()
	folder, err := os.MkdirTemp(filepath.Dir(f.path), filepath.Base(f.path)+".*.tmp")
	if err != nil {
		return msg.Errorf("%s cannot be written: %w", f.path, err)
	}
	defer os.RemoveAll(folder)
	pictures, numbers := make([]image.Image, len(tiles)), make([]int, len(tiles))
	rows := [][]string{{"file", "class", "name", "side", "rank", "instance", "score", "unit",
		"evidence", "x", "y", "width", "height"}}
	for i, t := range tiles {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		if pictures[i], err = get(t.Instance); err != nil {
			return err
		}
		numbers[i] = x.Position(t.Instance)
		name := tileName(t, numbers[i])
		rows = append(rows, x.tileRow(name, t, numbers[i]))
		err := cli.WriteFile(filepath.Join(folder, name), func(w io.Writer) error {
			return png.Encode(w, pictures[i])
		})
		if err != nil {
			return err
		}
	}
	if err := cli.WriteCSV(filepath.Join(folder, "tiles.csv"), rows); err != nil {
		return err
	}
	for from, to := 0, 0; from < len(tiles); from = to {
		for to < len(tiles) && tiles[to].Class == tiles[from].Class {
			to++
		}
		sheet, err := draw.Sheet(tiles[from:to], pictures[from:to], numbers[from:to],
			x.look.options(draw.Options{ClassNames: x.Classes}))
		if err == nil {
			name := fmt.Sprintf("class%d.png", tiles[from].Class)
			err = cli.WriteFile(filepath.Join(folder, name), sheet.EncodePNG)
		}
		if err != nil {
			return err
		}
	}
	if err := errors.Join(os.Chmod(folder, 0o755), os.Rename(folder, f.path)); err != nil {
		return msg.Errorf("%s cannot be written: %w", f.path, err)
	}
	return nil
}

// side returns the word for the side of a tile.
func side(t draw.Tile) string {
	if t.Lowest {
		return "lowest"
	}
	return "highest"
}

// tileName returns the name of a tile's file, which sorts by class, side and rank.
func tileName(t draw.Tile, number int) string {
	if t.Lowest {
		return fmt.Sprintf("class%d-lowest-%03d-instance%d.png", t.Class, t.Rank, number)
	}
	return fmt.Sprintf("class%d-highest-%03d-instance%d.png", t.Class, t.Rank, number)
}

// tileRow returns a tile's row of the table. Without places, cells are empty.
func (x explained) tileRow(name string, t draw.Tile, number int) []string {
	row := []string{name, strconv.Itoa(t.Class), x.Classes[t.Class], side(t), strconv.Itoa(t.Rank),
		strconv.Itoa(number), strconv.FormatFloat(t.Score, 'g', -1, 64), string(t.Unit),
		strconv.FormatBool(t.Evident), "", "", "", ""}
	if b := x.Bag.Boxes; b != nil {
		at := b[t.Instance]
		for i, v := range []int{at.Min.X, at.Min.Y, at.Dx(), at.Dy()} {
			row[len(row)-4+i] = strconv.Itoa(v)
		}
	}
	return row
}
