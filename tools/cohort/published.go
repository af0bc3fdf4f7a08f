package cohort

import (
	"context"
	"crypto/sha256"
	"errors"
	"hash"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/onnxbackend"
)

// publishedBeside returns the configurations of other libraries beside a model that has no card of
// its own. model is a path or the address of an object.
func publishedBeside(
	ctx context.Context, model string, card []byte,
) ([]onnxbackend.Published, error) {
	if card != nil {
		return nil, nil
	}
	find := func(name string) ([]byte, error) {
		name = fromFolder(model, name)
		if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
			return nil, fs.ErrNotExist
		}
		data, err := readFile(ctx, name, onnxbackend.MaxCard)
		if err != nil && (notThere(err) || errors.As(err, new(*quota.FileSizeError))) {
			return nil, fs.ErrNotExist
		}
		return data, err
	}
	return onnxbackend.FindPublished(filepath.ToSlash(model), find)
}

// fromFolder returns the path of a file by its path from the folder of a model.
func fromFolder(model, name string) string {
	if store, at, ok := strings.Cut(model, "://"); ok {
		return store + "://" + path.Join(path.Dir(at), name)
	}
	return filepath.Join(filepath.Dir(model), filepath.FromSlash(name))
}

// hashPublished adds configurations to the hash of a model: results depend on them.
func hashPublished(h hash.Hash, list []onnxbackend.Published) {
	for _, p := range list {
		sum := sha256.Sum256(p.Data)
		h.Write(sum[:])
	}
}
