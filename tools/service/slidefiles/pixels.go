package slidefiles

import (
	"context"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/core/slide"
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/ask"
)

// File returns the file of a slide: its path; of a folder of the files of a slide of DICOM the one
// with the largest level; the document of a folder that is an OME-Zarr picture; or the first of a
// folder of tiles. tileNames is ask.Lay.TileNames.
func File(path, tileNames string) (string, error) {
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return path, nil
	}
	name, err := bagio.SlideIn(os.DirFS(path), bagio.Limits{}, tileNames)
	if name == "" && err == nil {
		err = msg.Errorf("%s is a folder that is no OME-Zarr picture and holds no whole slide of "+
			"DICOM and no tiles with places in their names; name the file of a slide",
			filepath.Base(path))
	}
	return filepath.Join(path, filepath.FromSlash(name)), err
}

// Regular returns the name and the size of a file, and an error if it is no regular file.
func Regular(file *os.File, path string) (base string, size int64, err error) {
	info, err := file.Stat()
	if err != nil {
		return "", 0, msg.Errorf("%s cannot be read: %w", path, err)
	}
	base = filepath.Base(path)
	if !info.Mode().IsRegular() {
		return "", 0, msg.Errorf("%s is not a regular file", base)
	}
	return base, info.Size(), nil
}

// Until is a file whose parts can be read until its context ends.
type Until struct {
	Context context.Context
	File    io.ReaderAt
}

// ReadAt implements io.ReaderAt.
func (r Until) ReadAt(p []byte, at int64) (int, error) {
	if r.Context.Err() != nil {
		return 0, context.Cause(r.Context)
	}
	return r.File.ReadAt(p, at)
}

// Beside returns the files beside that of a slide. A tile that the user called by its own name, and
// not by its folder, is one picture.
func Beside(path, called string) fs.FS {
	if slide.IsTile(path) && filepath.Base(path) == called {
		return nil
	}
	return os.DirFS(filepath.Dir(path))
}

// Open opens a slide whose patches are laid already, to read its pixels. tileNames is that of File.
// The caller must close the second result.
func Open(ctx context.Context, path, tileNames string) (*slide.Slide, io.Closer, error) {
	called := filepath.Base(path)
	path, err := File(path, tileNames)
	if err != nil {
		return nil, nil, err
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, nil, msg.Errorf("%s cannot be read: %w", path, err)
	}
	var s *slide.Slide
	base, size, err := Regular(file, path)
	if err == nil {
		s, err = ask.OpenSlide(ctx, base, Until{ctx, file}, size, Beside(path, called),
			tileNames)
	}
	if err != nil {
		file.Close()
		return nil, nil, err
	}
	return s, file, nil
}
