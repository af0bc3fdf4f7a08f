package cohort

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
)

// A FileError says which file cannot be read or written.
type FileError struct {
	Path    string
	Writing bool
	Err     error
}

func (e *FileError) Error() string {
	switch {
	case e.Writing:
		return fmt.Sprintf("%s cannot be written: %v", e.Path, e.Err)
	case errors.Is(e.Err, fs.ErrNotExist):
		return "there is no file " + e.Path
	}
	return fmt.Sprintf("%s cannot be read: %v", e.Path, e.Err)
}

func (e *FileError) Unwrap() error { return e.Err }

// inBucket reports whether a path names an object of a store, such as gs://bucket/bag.npz.
func inBucket(name string) bool { return strings.Contains(name, "://") }

// beside returns a path as one reads it in a manifest: from the manifest's folder, unless it says where it begins itself.
func beside(manifest, name string) string {
	switch {
	case inBucket(name) || filepath.IsAbs(name):
		return name
	case inBucket(manifest):
		return manifest[:strings.LastIndex(manifest, "/")+1] + name
	}
	return filepath.Join(filepath.Dir(manifest), filepath.FromSlash(name))
}

// join returns the path of a file in a folder.
func join(folder string, names ...string) string {
	if inBucket(folder) {
		return strings.TrimSuffix(folder, "/") + "/" + path.Join(names...)
	}
	return filepath.Join(folder, filepath.Join(names...))
}

// base is the last part of a path.
func base(name string) string {
	if inBucket(name) {
		return path.Base(name)
	}
	return filepath.Base(name)
}

// stores are the file systems in use, one a scheme: a bucket's holds connections.
var stores sync.Map

func storeOf(name string) (store filesystem.Interface, err error) {
	scheme, _, found := strings.Cut(name, "://")
	if !found {
		scheme = ""
	}
	if known, ok := stores.Load(scheme); ok {
		return known.(filesystem.Interface), nil
	}
	defer func() {
		// Beam's file systems panic where credentials cannot be read.
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	// The file system outlives the call that first needs it, and so must not end with its context.
	if store, err = filesystem.New(context.Background(), name); err != nil {
		return nil, err
	}
	known, _ := stores.LoadOrStore(scheme, store)
	return known.(filesystem.Interface), nil
}

func openFile(ctx context.Context, name string) (io.ReadCloser, error) {
	store, err := storeOf(name)
	if err == nil {
		var r io.ReadCloser
		if r, err = store.OpenRead(ctx, name); err == nil {
			return r, nil
		}
	}
	return nil, &FileError{Path: name, Err: err}
}

func readFile(ctx context.Context, name string) ([]byte, error) {
	r, err := openFile(ctx, name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, &FileError{Path: name, Err: err}
	}
	return data, nil
}

// writeFile lets write fill a file that is there whole or not at all: a bucket shows an object once it is closed, and a
// local file gets its name when it is complete.
func writeFile(ctx context.Context, name string, write func(io.Writer) error) error {
	if err := writeWhole(ctx, name, write); err != nil {
		return &FileError{Path: name, Writing: true, Err: err}
	}
	return nil
}

func writeWhole(ctx context.Context, name string, write func(io.Writer) error) error {
	if !inBucket(name) {
		return writeLocal(name, write)
	}
	store, err := storeOf(name)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // an object that was begun and is not to be
	w, err := store.OpenWrite(ctx, name)
	if err != nil {
		return err
	}
	if err := write(w); err != nil {
		return err
	}
	return w.Close()
}

func writeLocal(name string, write func(io.Writer) error) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(name), ".writing-*")
	if err != nil {
		return err
	}
	err = write(f)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Chmod(f.Name(), 0o644)
	}
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// removeFiles removes the files of a folder that match a pattern.
func removeFiles(ctx context.Context, folder, pattern string) error {
	if !inBucket(folder) {
		names, err := fs.Glob(os.DirFS(folder), pattern)
		for _, name := range names {
			err = errors.Join(err, os.Remove(join(folder, name)))
		}
		return err
	}
	pattern = join(folder, pattern)
	store, err := storeOf(pattern)
	if err != nil {
		return &FileError{Path: pattern, Writing: true, Err: err}
	}
	names, err := store.List(ctx, pattern)
	if err != nil {
		return &FileError{Path: pattern, Writing: true, Err: err}
	}
	for _, name := range names {
		if err := removeFile(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

func removeFile(ctx context.Context, name string) error {
	err := func() error {
		if !inBucket(name) {
			return os.Remove(name)
		}
		store, err := storeOf(name)
		if err != nil {
			return err
		}
		remover, ok := store.(filesystem.Remover)
		if !ok {
			return errors.New("what an earlier run left cannot be removed there")
		}
		return remover.Remove(ctx, name)
	}()
	if err != nil {
		return &FileError{Path: name, Writing: true, Err: err}
	}
	return nil
}
