package cohort

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"

	"github.com/bagscope/bagscope/core/quota"
)

// inBucket reports whether a path is an object in a bucket, such as gs://bucket/bag.npz.
func inBucket(name string) bool { return strings.Contains(name, "://") }

// beside resolves a path of a manifest. A relative path starts at the manifest's folder.
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

// base returns the last part of a path.
func base(name string) string {
	if inBucket(name) {
		return path.Base(name)
	}
	return filepath.Base(name)
}

// openFile opens a file. The context of an object must live until the object is closed, because the
// stores read while they are read from.
func openFile(ctx context.Context, name string) (io.ReadCloser, error) {
	store, err := storeOf(name)
	if err != nil {
		return nil, &FileError{Path: name, Err: err}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	o := &object{cancel: cancel}
	if err := limited(ctx, cancel, func() (err error) {
		o.ReadCloser, err = store.OpenRead(ctx, name)
		return err
	}); err != nil {
		cancel(nil)
		return nil, &FileError{Path: name, Err: err}
	}
	return o, nil
}

// An object is an open file or an object of a bucket.
type object struct {
	io.ReadCloser
	cancel context.CancelCauseFunc
}

// Close also ends the request of an object.
func (o *object) Close() error {
	defer o.cancel(nil)
	return o.ReadCloser.Close()
}

// maxFile bounds the bytes of a file other than bags. An ONNX file, a protobuf, has at most 2 GiB.
const maxFile = 1 << 31

// testHookRead is called before a file is read. Tests replace it.
var testHookRead = func(name string) {}

// readFile returns the content of a file of at most most bytes. Errors are *FileError. A manifest
// can name any path: opening a pipe would wait forever, and a device can have no end.
func readFile(ctx context.Context, name string, most int64) ([]byte, error) {
	size := int64(0)
	if info, err := os.Stat(name); err == nil && !inBucket(name) {
		if size = info.Size(); !info.Mode().IsRegular() {
			return nil, &FileError{Path: name, Err: errors.New("it is a folder, pipe or device")}
		}
	}
	tooLarge := &FileError{Path: name, Err: &quota.FileSizeError{Most: most}}
	if size > most {
		return nil, tooLarge
	}
	testHookRead(name)
	r, err := openFile(ctx, name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	data, err := quota.MemoryOf(ctx).ReadAll(io.LimitReader(r, most+1), size, "reading "+name)
	if errors.As(err, new(*quota.MemoryError)) || isBusy(err) {
		return nil, err
	}
	if err != nil {
		return nil, &FileError{Path: name, Err: err}
	}
	if int64(len(data)) > most {
		return nil, tooLarge
	}
	return data, nil
}

// writeFile writes a file atomically with write. An object appears in a bucket when it is closed,
// and a local file gets its name when it is complete.
func writeFile(ctx context.Context, name string, write func(io.Writer) error) error {
	if err := writeWhole(ctx, name, write); err != nil {
		return &FileError{Path: name, Writing: true, Err: err}
	}
	return nil
}

// writeWhole is writeFile without the path in errors.
func writeWhole(ctx context.Context, name string, write func(io.Writer) error) error {
	if !inBucket(name) {
		return writeLocal(name, write)
	}
	store, err := storeOf(name)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // discards an incomplete object
	// Closing the writer makes the object visible. An error before that leaves the old object.
	w, err := store.OpenWrite(ctx, name)
	if err != nil {
		return err
	}
	if err := write(w); err != nil {
		return err
	}
	return w.Close()
}

// writeLocal writes a temporary file in the same folder and renames it. It removes the temporary
// file after an error.
func writeLocal(name string, write func(io.Writer) error) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	// A rename within one folder is atomic. clear removes the temporary files of killed runs.
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
	var names []string
	if err := withStore(ctx, pattern,
		func(ctx context.Context, store filesystem.Interface) (err error) {
			names, err = store.List(ctx, pattern)
			return err
		}); err != nil {
		return &FileError{Path: pattern, Writing: true, Err: err}
	}
	for _, name := range names {
		if err := removeFile(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

// removeFile removes a local file or an object of a bucket.
func removeFile(ctx context.Context, name string) (err error) {
	if inBucket(name) {
		err = withStore(ctx, name, func(ctx context.Context, store filesystem.Interface) error {
			remover, ok := store.(filesystem.Remover)
			if !ok {
				return errors.New("files of an earlier run cannot be removed there")
			}
			return remover.Remove(ctx, name)
		})
	} else {
		err = os.Remove(name)
	}
	if err != nil {
		return &FileError{Path: name, Writing: true, Err: err}
	}
	return nil
}

// withStore calls use with the store of a file and a context that ends if the store does not
// respond in time.
func withStore(
	ctx context.Context, name string,
	use func(ctx context.Context, store filesystem.Interface) error,
) error {
	store, err := storeOf(name)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	return limited(ctx, cancel, func() error { return use(ctx, store) })
}
