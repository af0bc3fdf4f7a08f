package main

import (
	"cmp"
	"context"
	"image"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/draw"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
	"github.com/bagscope/bagscope/tools/service/slidefiles"
)

// A tilesFolder holds the flags that write the strongest patches as pictures.
type tilesFolder struct {
	path   string // the folder, or "" for none
	number int    // patches of each class and side
	slide  string // the file of the slide that a bag of features is from, or ""
}

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
	case f.number < 1 || f.number > draw.MostTiles:
		return cli.Usagef("--tiles-number must be from 1 to 200; it is %d", f.number)
	}
	if err := slidefiles.CheckNew(f.path); err != nil {
		return cli.Usagef("--tiles-out: %v", err)
	}
	return nil
}

// needPixels returns an error of usage for a bag whose patches cannot be shown. It precedes the
// work.
func (f *tilesFolder) needPixels(in *ask.Input) error {
	b := in.Bag
	switch {
	case f.slide == "" && !draw.IsPicture(b) && (in.Picture == nil || b.Boxes == nil):
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

// A pixelSource returns the pixels of a tile at full resolution.
type pixelSource func(t draw.Tile) (image.Image, error)

// source returns where the pixels of instances are from: the instances themselves, or else a slide.
// The caller must call done.
func (f *tilesFolder) source(
	ctx context.Context, x explained, bags *cli.BagFlags,
) (get pixelSource, done func(), err error) {
	if f.slide == "" && draw.IsPicture(x.Bag) {
		get = func(t draw.Tile) (image.Image, error) {
			return draw.PictureOf(x.Bag, t.Instance), nil
		}
		return get, func() {}, nil
	}
	// The picture of features is a small one of the slide that they were encoded from.
	s, file, err := slidefiles.Open(ctx, cmp.Or(f.slide, bags.Path), bags.TileNames())
	if err != nil {
		return nil, nil, err
	}
	get = func(t draw.Tile) (image.Image, error) {
		return s.Region(0, x.Bag.Boxes[t.Instance])
	}
	return get, func() { file.Close() }, nil
}

// write writes the folder, which gets its name when all files are written. bags are the
// flags that the bag was read by.
func (f *tilesFolder) write(
	ctx context.Context, x explained, bags *cli.BagFlags,
) error {
	get, done, err := f.source(ctx, x, bags)
	if err != nil {
		return err
	}
	defer done()
	list, err := draw.Tiles(x.Report, "", f.number)
	if err != nil {
		return err
	}
	of := func(t draw.Tile) draw.Patch {
		p := draw.Patch{Index: x.Position(t.Instance)}
		if x.Bag.Boxes != nil {
			p.Box = &x.Bag.Boxes[t.Instance]
		}
		return p
	}
	tiles := draw.TileFiles{Tiles: list, Classes: x.Classes, Of: of, Pixels: get,
		Look: x.look.options(draw.Options{ClassNames: x.Classes})}
	return slidefiles.WriteFolder(f.path, func(folder string) error {
		return tiles.Write(ctx, func(name string, write func(io.Writer) error) error {
			return cli.WriteFile(filepath.Join(folder, name), write)
		})
	})
}
