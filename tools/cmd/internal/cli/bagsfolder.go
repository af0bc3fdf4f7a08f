package cli

import (
	"iter"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/ask"
)

// WithFolder returns the bags of in's file and those of the files of features in a folder, in the
// order of their names. An empty path is no folder, and in's file is not read twice.
func (f *BagFlags) WithFolder(
	c *cobra.Command, in *ask.Input, flags *ModelFlags, folder string,
) (iter.Seq2[*bagio.Set, error], error) {
	var entries []os.DirEntry
	if folder != "" {
		var err error
		if entries, err = os.ReadDir(folder); err != nil {
			return nil, msg.Errorf("--bags-folder: %w", err)
		}
	}
	first, _ := os.Stat(f.Path) // nil is the same as no file
	return func(yield func(*bagio.Set, error) bool) {
		if !yield(in.Set, nil) {
			return
		}
		for _, e := range entries {
			path := filepath.Join(folder, e.Name())
			info, _ := os.Stat(path)
			if e.IsDir() || strings.HasPrefix(e.Name(), ".") || os.SameFile(info, first) {
				continue
			}
			set, err := f.ReadFeatures(c.Context(), path, flags, in.Engine)
			if err != nil {
				err = msg.Errorf("%w; --bags-folder reads each file of %s, which must only have "+
					"files of features", err, folder)
			}
			if !yield(set, err) {
				return
			}
		}
	}, nil
}
