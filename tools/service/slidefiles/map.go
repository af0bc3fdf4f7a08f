package slidefiles

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/bagscope/bagscope/core/heatmap"
	"github.com/bagscope/bagscope/internal/msg"
)

// MapForms are the endings of files of heat maps, the default first: an OME-TIFF, a ZIP archive of
// a Deep Zoom picture, and a Deep Zoom picture with its folder of tiles.
var MapForms = []string{".ome.tif", ".zip", ".dzi"}

// A Map is the path of a heat map.
type Map string

// form returns one of MapForms, or "".
func (f Map) form() string {
	name := strings.ToLower(string(f))
	if strings.HasSuffix(name, ".ome.tiff") {
		return ".ome.tif"
	}
	for _, form := range MapForms {
		if strings.HasSuffix(name, form) {
			return form
		}
	}
	return ""
}

// stem returns the path without its ending.
func (f Map) stem() string {
	return strings.TrimSuffix(string(f), filepath.Ext(string(f)))
}

// Check returns an error for a file that cannot be written. It precedes the work.
func (f Map) Check() error {
	switch f.form() {
	case "":
		return msg.Errorf("it is a pyramid: name a file .ome.tif, .dzi or .zip, not %s", f)
	case ".dzi":
		// Tiles of two maps must not mix, and a folder of the user is not removed.
		if err := CheckNew(f.stem() + "_files"); err != nil {
			return err
		}
	}
	return nil
}

// Write writes a map: all classes to an OME-TIFF, otherwise the predicted class or, if that is not
// explained, the first one. put creates a file, which write fills.
func (f Map) Write(ctx context.Context, m *heatmap.Map,
	put func(name string, write func(io.Writer) error) error,
) error {
	switch f.form() {
	case ".dzi":
		return f.writeTiles(ctx, m, put)
	case ".zip":
		return put(string(f), func(w io.Writer) error {
			return m.WriteZIP(ctx, 0, filepath.Base(f.stem()), w)
		})
	}
	return put(string(f), func(w io.Writer) error { return m.WriteOME(ctx, w) })
}

// writeTiles writes a Deep Zoom picture. Its tiles get their place when all are written.
func (f Map) writeTiles(ctx context.Context, m *heatmap.Map,
	put func(name string, write func(io.Writer) error) error,
) error {
	name := filepath.Base(f.stem())
	var description []byte
	err := WriteFolder(f.stem()+"_files", func(folder string) error {
		return m.WriteDZI(ctx, 0, name, func(path string, data []byte) error {
			tile, isTile := strings.CutPrefix(path, name+"_files/")
			if !isTile {
				description = data
				return nil
			}
			to := filepath.Join(folder, filepath.FromSlash(tile))
			err := os.MkdirAll(filepath.Dir(to), 0o755)
			if err == nil {
				err = os.WriteFile(to, data, 0o644)
			}
			if err != nil {
				return msg.Errorf("%s cannot be written: %w", f, err)
			}
			return nil
		})
	})
	if err != nil {
		return err
	}
	return put(string(f), func(w io.Writer) error {
		_, err := w.Write(description)
		return err
	})
}

// CheckNew returns an error for a folder that exists: files of two runs must not mix, and a folder
// of the user is not removed.
func CheckNew(folder string) error {
	if _, err := os.Lstat(folder); !errors.Is(err, fs.ErrNotExist) {
		return msg.Errorf("%s exists; remove it or name another folder", folder)
	}
	return nil
}

// WriteFolder creates a folder, which gets its name when fill has written all files into it.
func WriteFolder(name string, fill func(folder string) error) error {
	folder, err := os.MkdirTemp(filepath.Dir(name), filepath.Base(name)+".*.tmp")
	if err == nil {
		defer os.RemoveAll(folder)
		if err := fill(folder); err != nil {
			return err
		}
		err = errors.Join(os.Chmod(folder, 0o755), os.Rename(folder, name))
	}
	if err != nil {
		return msg.Errorf("%s cannot be written: %w", name, err)
	}
	return nil
}
