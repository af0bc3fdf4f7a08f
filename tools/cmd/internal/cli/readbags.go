package cli

import (
	"cmp"
	"context"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/tools/service/slidefiles"
)

// ReadBags reads a file of bags, or a folder of pictures that are one bag. A file on a disk is read
// in parts, so that its bytes are not in memory beside its arrays, and together with the files
// beside it that hold its places, see bagio.PlacesBeside.
func ReadBags(ctx context.Context, path string, o bagio.Options) (*bagio.Set, error) {
	most := cmp.Or(o.Limits.Bytes, bagio.DefaultBytes)
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		o.Name = filepath.Base(path)
		return bagio.ReadFolder(os.DirFS(path), o)
	// A slide is read by ranges, whatever its size.
	case err == nil && info.Mode().IsRegular() && (info.Size() <= most || o.Slide != nil):
		return readInParts(ctx, path, o)
	}
	data, err := readUntil(ctx, path, &quota.FileSizeError{Most: most, Limit: "bag.bytes"})
	if err != nil {
		return nil, err
	}
	return bagio.Read(filepath.Base(path), data, o)
}

// readInParts reads a regular file of bags.
func readInParts(ctx context.Context, path string, o bagio.Options) (*bagio.Set, error) {
	f, err := os.Open(path)
	var info fs.FileInfo
	if err == nil {
		defer f.Close()
		info, err = f.Stat()
	}
	if err != nil {
		return nil, msg.Errorf("%s cannot be read: %w", path, err)
	}
	files, shut := placesBeside(path)
	defer shut()
	name, r := filepath.Base(path), slidefiles.Until{Context: ctx, File: f}
	set, err := bagio.ReadPlaced(bagio.File{Name: name, Reader: r, Size: info.Size()}, files, o)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return set, err
}

// placesBeside opens the files that hold the places of a file of features, as far as they exist,
// and returns a function that closes them.
func placesBeside(path string) (files []bagio.File, shut func()) {
	var open []*os.File
	for i, name := range bagio.PlacesBeside(path) {
		f, err := os.Open(name)
		if err != nil && i == 0 {
			break // the others say nothing without the first
		}
		if err != nil {
			continue
		}
		open = append(open, f)
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			files = append(files, bagio.File{Name: filepath.Base(name), Reader: f,
				Size: info.Size()})
		}
	}
	return files, func() {
		for _, f := range open {
			f.Close()
		}
	}
}
