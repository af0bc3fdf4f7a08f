package host

import (
	"archive/zip"
	"context"
	"image"
	"io"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/draw"
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/wasm/wire"
)

// writeStrongest writes the patches with the highest and the lowest scores into an archive.
func (h *Host) writeStrongest(ctx context.Context, r wire.WriteStrongest) (any, error) {
	b, report, look, err := h.drawing(r.Draw, h.bag)
	if err != nil {
		return nil, err
	}
	if r.Number > draw.MostTiles {
		return nil, &core.SettingError{Setting: "number", Reason: msg.Sprintf("it is %d, but at "+
			"most %d patches of a side are written", r.Number, draw.MostTiles)}
	}
	if report == nil {
		return nil, &core.SettingError{Setting: "report", Reason: "it is missing: its scores " +
			"say which patches are written"}
	}
	for _, e := range report.Explanations {
		if e.Class >= len(report.Prediction) {
			return nil, &core.SettingError{Setting: "class", Reason: msg.Sprintf("it is %d, but "+
				"the prediction has %d classes", e.Class, len(report.Prediction))}
		}
	}
	instances := r.Draw.Report.Instances
	at := func(i int) int { return instances[i] }
	list, err := draw.Tiles(report, "", r.Number)
	if err != nil {
		return nil, err
	}
	of := func(t draw.Tile) draw.Patch {
		p := draw.Patch{Index: at(t.Instance)}
		if b.bag.Boxes != nil {
			p.Box = &b.bag.Boxes[p.Index]
		}
		return p
	}
	tiles := draw.TileFiles{Tiles: list, Look: look, Of: of,
		Classes: ask.ClassNames(look.ClassNames, len(report.Prediction))}
	if tiles.Pixels, err = h.pixelsOf(r.Slide, b.bag, at); err != nil {
		return nil, err
	}
	var file boundedFile
	archive := zip.NewWriter(&file)
	err = tiles.Write(ctx, func(name string, write func(io.Writer) error) error {
		// A PNG does not become smaller.
		w, err := archive.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
		if err != nil {
			return err
		}
		return write(w)
	})
	if err == nil {
		err = archive.Close()
	}
	return wire.Archive{Bytes: file.Bytes()}, err
}

// pixelsOf returns where the pixels of explained instances are from: the bag, or else a slide.
func (h *Host) pixelsOf(handle int, bag *core.Bag, at func(i int) int) (
	func(t draw.Tile) (image.Image, error), error,
) {
	if handle == 0 && draw.IsPicture(bag) {
		return func(t draw.Tile) (image.Image, error) {
			return draw.PictureOf(bag, at(t.Instance)), nil
		}, nil
	}
	if handle == 0 || bag.Boxes == nil {
		return nil, &core.BagError{Bag: bag.Name, Reason: "it holds features without a slide " +
			"that they lie in, and so no pixels; open the slide, and use a file with coordinates"}
	}
	s, err := h.slide(handle)
	if err != nil {
		return nil, err
	}
	return func(t draw.Tile) (image.Image, error) {
		return s.Region(0, bag.Boxes[at(t.Instance)])
	}, nil
}
