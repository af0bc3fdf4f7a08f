package heatmap

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"io"
	"slices"
)

// WriteDZI writes the map of a class, by its place in m.Classes, as a Deep Zoom picture: put gets
// the files with their paths, which have slashes: NAME_files/LEVEL/COLUMN_ROW.png and, when all
// tiles are written, NAME.dzi. OpenSeadragon lays it over the slide's picture if it gets the
// slide's x, y and width.
//
// It returns errors of put, and the cause when ctx ends.
func (m *Map) WriteDZI(
	ctx context.Context, class int, name string, put func(path string, data []byte) error,
) error {
	sizes := m.levels(1)
	coder := png.Encoder{CompressionLevel: png.BestSpeed}
	var empty []byte // a whole tile without a patch, which is the same everywhere
	p := pyramid{Map: m, ctx: ctx, sizes: sizes, done: m.counter(1, sizes)}
	p.show(m.Classes[class])
	p.emit = func(at, column, row int, tile *image.NRGBA) error {
		var data bytes.Buffer
		size := p.size(at, column, row)
		full := tile == nil && size == image.Pt(tileSide, tileSide)
		if !full || empty == nil {
			if tile == nil {
				tile = p.empty(at, column, row)
			}
			if err := coder.Encode(&data, tile); err != nil {
				return err
			}
		}
		packed := data.Bytes()
		if full {
			if empty == nil {
				empty = slices.Clone(packed)
			}
			packed = empty
		}
		// Deep Zoom counts levels from the smallest one.
		return put(fmt.Sprintf("%s_files/%d/%d_%d.png", name, len(sizes)-1-at, column, row), packed)
	}
	if err := p.draw(); err != nil {
		return err
	}
	return put(name+".dzi", fmt.Appendf(nil, `<?xml version="1.0" encoding="UTF-8"?>
<Image xmlns="http://schemas.microsoft.com/deepzoom/2008" Format="png" Overlap="0" TileSize="%d">
  <Size Width="%d" Height="%d"/>
</Image>
`, tileSide, m.Width, m.Height))
}

// WriteZIP writes the files of WriteDZI as a ZIP archive. Errors are those of w, and the cause when
// ctx ends.
func (m *Map) WriteZIP(ctx context.Context, class int, name string, w io.Writer) error {
	z := zip.NewWriter(w)
	err := m.WriteDZI(ctx, class, name, func(path string, data []byte) error {
		// Tiles are compressed already.
		part, err := z.CreateHeader(&zip.FileHeader{Name: path, Method: zip.Store})
		if err == nil {
			_, err = part.Write(data)
		}
		return err
	})
	if err != nil {
		return err // an archive without its end; closing it would repeat an error of w
	}
	return z.Close()
}
