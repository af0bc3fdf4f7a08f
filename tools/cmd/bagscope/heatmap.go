package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/bagscope/bagscope/core/draw"
	"github.com/bagscope/bagscope/core/heatmap"
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
)

// A mapFile is the file of --map: an OME-TIFF, a Deep Zoom picture with its folder, or a ZIP
// archive of one.
type mapFile string

// form returns the ending of the file in lower case: ".ome.tif", ".dzi" or ".zip", or "".
func (f mapFile) form() string {
	name := strings.ToLower(string(f))
	for ending, form := range map[string]string{".ome.tif": ".ome.tif", ".ome.tiff": ".ome.tif",
		".dzi": ".dzi", ".zip": ".zip"} {
		if strings.HasSuffix(name, ending) {
			return form
		}
	}
	return ""
}

// stem returns the path without its ending.
func (f mapFile) stem() string {
	return strings.TrimSuffix(string(f), filepath.Ext(string(f)))
}

// check returns an error of usage for a file that cannot be written. It precedes the work.
func (f mapFile) check() error {
	switch f.form() {
	case "":
		return cli.Usagef("--map writes pyramids: name a file .ome.tif, .dzi or .zip, not %s", f)
	case ".dzi":
		// Tiles of two maps must not mix, and a folder of the user is not removed.
		if _, err := os.Lstat(f.stem() + "_files"); !errors.Is(err, fs.ErrNotExist) {
			return cli.Usagef("--map: the folder %s_files exists; remove it or name another file",
				f.stem())
		}
	}
	return nil
}

// write writes the map of the report's first method: all classes to an OME-TIFF, otherwise the
// predicted class or, if that is not explained, the first one.
func (f mapFile) write(ctx context.Context, x explained) error {
	m, err := heatmap.New(x.Bag, x.Report, heatmap.Options{
		Options: x.look.options(draw.Options{ClassNames: x.Classes})})
	if err != nil {
		return err
	}
	switch f.form() {
	case ".dzi":
		return f.writeFolder(ctx, m)
	case ".zip":
		return cli.WriteFile(string(f), func(w io.Writer) error {
			return m.WriteZIP(ctx, 0, filepath.Base(f.stem()), w)
		})
	}
	return cli.WriteFile(string(f), func(w io.Writer) error { return m.WriteOME(ctx, w) })
}

// writeFolder writes a Deep Zoom picture. Its tiles get their place when all are written.
func (f mapFile) writeFolder(ctx context.Context, m *heatmap.Map) (err error) {
	defer func() {
		if err != nil && ctx.Err() == nil {
			err = msg.Errorf("%s cannot be written: %w", f, err)
		}
	}()
	folder, err := os.MkdirTemp(filepath.Dir(string(f)), filepath.Base(f.stem())+"_files.*.tmp")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	name := filepath.Base(f.stem())
	var description []byte
	err = m.WriteDZI(ctx, 0, name, func(path string, data []byte) error {
		tile, isTile := strings.CutPrefix(path, name+"_files/")
		if !isTile {
			description = data
			return nil
		}
		to := filepath.Join(folder, filepath.FromSlash(tile))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		return os.WriteFile(to, data, 0o644)
	})
	if err != nil {
		return err
	}
	err = errors.Join(os.Chmod(folder, 0o755), os.Rename(folder, f.stem()+"_files"))
	if err != nil {
		return err
	}
	return os.WriteFile(string(f), description, 0o644)
}
