package cohort

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/core/quota"
)

// A bagFile holds the bags of a file in the layout of a model's input. They are decoded only if one
// of them is not in the store.
type bagFile struct {
	hash string // hash of its bytes
	set  func() (*bagio.Set, error)
}

// bagFiles caches the files that this process used last. Four are enough, because lines with the
// same file follow each other, and a file can be large.
var bagFiles = lru[*bagFile]{capacity: 4}

// readBags reads a file of bags or a folder of pictures, as the command line does.
func readBags(ctx context.Context, name string, m *model, l Layout) (*bagFile, error) {
	if quota.MemoryOf(ctx) != nil {
		return loadBags(ctx, name, m, l) // the memory of a line ends with the line
	}
	// One file is cached separately for each model and each layout.
	how, err := json.Marshal(l)
	if err != nil {
		return nil, err
	}
	return bagFiles.get(fmt.Sprintf("%s\n%s\n%s", name, m.hash, how), func() (*bagFile, error) {
		// The context of one line must not end the read, because other lines wait for the file.
		return loadBags(context.Background(), name, m, l)
	})
}

// loadBags is readBags without the cache, in the memory of ctx.
func loadBags(ctx context.Context, name string, m *model, l Layout) (*bagFile, error) {
	o := l.Options(m.engine)
	o.Limits = bagio.LimitsIn(quota.MemoryOf(ctx))
	o.Slide = m.slideReader(ctx, name, l)
	if !inBucket(name) {
		switch info, err := os.Stat(name); {
		case err == nil && info.IsDir():
			return readFolder(name, o)
		case err == nil && info.Mode().IsRegular() &&
			(info.Size() <= o.Limits.Bytes || o.Slide != nil): // a slide is read by ranges
			return readLocal(ctx, name, l, o)
		}
	}
	data, err := readFile(ctx, name, o.Limits.Bytes)
	var tooLarge *quota.FileSizeError
	if errors.As(err, &tooLarge) {
		tooLarge.Limit = "bag.bytes"
	}
	if err != nil {
		return nil, err
	}
	return &bagFile{hashOf(data), sync.OnceValues(func() (*bagio.Set, error) {
		return bagio.Read(base(name), data, o)
	})}, nil
}

// readLocal reads a file on a disk in parts, so that its bytes are not in memory beside its arrays,
// and together with the files beside it that hold its places, see bagio.PlacesBeside. The file must
// not change between its hash and the end of decoding.
func readLocal(
	ctx context.Context, name string, l Layout, o bagio.Options,
) (*bagFile, error) {
	testHookRead(name)
	f, err := os.Open(name)
	if err != nil {
		return nil, &FileError{Path: name, Err: err}
	}
	defer f.Close()
	hashed, err := f.Stat()
	if err != nil {
		return nil, &FileError{Path: name, Err: err}
	}
	hash := sha256.New()
	if _, err := io.Copy(hash, f); err != nil {
		return nil, &FileError{Path: name, Err: err}
	}
	if o.Slide != nil {
		if err := hashSlide(hash, name, f, hashed.Size()); err != nil {
			return nil, err
		}
		if err := hashDrawn(hash, name, l); err != nil {
			return nil, err
		}
	}
	places, err := placesBeside(ctx, name, o.Limits.Bytes)
	if err != nil {
		return nil, err
	}
	for _, p := range places {
		fmt.Fprintf(hash, "%q %d\n", p.Name, len(p.Data))
		hash.Write(p.Data)
	}
	return &bagFile{hex.EncodeToString(hash.Sum(nil)), sync.OnceValues(
		func() (*bagio.Set, error) { return decodeLocal(name, places, hashed, o) })}, nil
}

// placesBeside returns the files that hold the places of a file of features, as far as they exist.
// Without the first one, the others say nothing. A file of more than most bytes is an error.
func placesBeside(ctx context.Context, name string, most int64) (files []bagio.File, err error) {
	for i, place := range bagio.PlacesBeside(name) {
		data, err := readFile(ctx, place, most)
		switch {
		case errors.Is(err, fs.ErrNotExist) && i == 0:
			return nil, nil
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return nil, err
		}
		files = append(files, bagio.File{Name: base(place), Data: data})
	}
	return files, nil
}

// decodeLocal decodes a file that was hashed before, with those that hold its places.
func decodeLocal(
	name string, places []bagio.File, hashed os.FileInfo, o bagio.Options,
) (*bagio.Set, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, &FileError{Path: name, Err: err}
	}
	defer f.Close()
	set, err := bagio.ReadPlaced(bagio.File{Name: base(name), Reader: f, Size: hashed.Size()},
		places, o)
	now, statErr := f.Stat()
	if statErr != nil || !os.SameFile(now, hashed) || now.Size() != hashed.Size() ||
		!now.ModTime().Equal(hashed.ModTime()) {
		return nil, &FileError{Path: name, Err: errors.New(
			"it has changed while it was read; run the cohort again when it is complete")}
	}
	return set, err
}

// readFolder reads a folder and hashes all files in it and in its folders. bagio decides which of
// them are read.
func readFolder(name string, o bagio.Options) (*bagFile, error) {
	hash := sha256.New()
	err := filepath.WalkDir(name, func(at string, d fs.DirEntry, err error) error {
		if err != nil {
			return &FileError{Path: at, Err: err}
		}
		kind := d.Type()
		if info, err := os.Stat(at); err == nil {
			kind = info.Mode().Type() // of what a symbolic link refers to
		}
		fmt.Fprintf(hash, "%q %v\n", strings.TrimPrefix(at, name), kind)
		if !kind.IsRegular() { // its name and type are in the hash
			return nil
		}
		r, err := openFile(context.Background(), at)
		if err != nil {
			return err
		}
		defer r.Close()
		n, err := io.Copy(hash, r)
		if err != nil {
			return &FileError{Path: at, Err: err}
		}
		fmt.Fprintf(hash, "%d\n", n)
		return nil
	})
	if err != nil {
		return nil, err
	}
	// A folder is one bag, with the name of the folder.
	o.Name = base(name)
	return &bagFile{hex.EncodeToString(hash.Sum(nil)),
		sync.OnceValues(func() (*bagio.Set, error) {
			return bagio.ReadFolder(os.DirFS(name), o)
		})}, nil
}
