package engine

import (
	"context"
	"fmt"
	"io/fs"
	"math"
	"os"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
)

// files implements host.System by the files of this machine.
type files struct {
	writing chan struct{} // holds a value while the patches of a slide are written
}

// OpenModel opens a model file as the commands do.
func (files) OpenModel(
	ctx context.Context, path string, o onnxbackend.Options,
) (*onnxbackend.Model, error) {
	return cli.OpenModel(ctx, path, o)
}

// ReadBags reads bags as the commands do.
func (files) ReadBags(ctx context.Context, path string, o bagio.Options) (*bagio.Set, error) {
	return cli.ReadBags(ctx, path, o)
}

// Map maps a part of a file, and release ends the mapping. Pages that the caller changes are
// copied, so that the file stays as it is. A part that the file does not have is a
// *core.SettingError.
func (files) Map(path string, offset, length int) (data []byte, release func(), err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	// The mapping remains after its file is closed.
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	if err := contains(info, offset, length); err != nil {
		return nil, nil, err
	}
	if length == 0 {
		return nil, func() {}, nil
	}
	// A mapping begins at a multiple of the size of a page.
	before := offset % pageSize
	whole, release, err := mapFile(f, int64(offset-before), before+length)
	if err != nil {
		return nil, nil, msg.Errorf("%s cannot be mapped into memory: %w", path, err)
	}
	return whole[before : before+length : before+length], release, nil
}

// pageSize is a multiple of the page size and of the allocation granularity of all systems.
const pageSize = 1 << 16

// contains returns an error unless a regular file has length bytes from offset on. Reading a mapped
// page behind the end of its file would end the program.
func contains(info fs.FileInfo, offset, length int) error {
	size := info.Size()
	if info.Mode().IsRegular() && offset >= 0 && length >= 0 && length < math.MaxInt-pageSize &&
		int64(offset) <= size && int64(length) <= size-int64(offset) {
		return nil
	}
	return &core.SettingError{Setting: "values", Reason: fmt.Sprintf("%d bytes from byte %d on "+
		"are not inside a file of %d bytes", length, offset, size)}
}
