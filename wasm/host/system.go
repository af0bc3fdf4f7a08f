package host

import (
	"context"
	"fmt"

	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/wasm/wire"
)

// A System is what programs with files offer beside those in browsers.
type System interface {
	// OpenModel opens a model file with the external tensors beside it. Without a card in o it uses
	// the card beside the file.
	OpenModel(ctx context.Context, path string, o onnxbackend.Options) (*onnxbackend.Model, error)
	// ReadBags reads a file of bags, or a folder of pictures that are one bag.
	ReadBags(ctx context.Context, path string, o bagio.Options) (*bagio.Set, error)
	// Map returns length bytes of a file from offset on, which the caller may change without effect
	// on the file. release returns the memory.
	Map(path string, offset, length int) (data []byte, release func(), err error)
	// WriteReport writes an explanation as a file of the command line.
	WriteReport(r wire.WriteReport) ([]byte, error)
}

// A noFilesError reports a request that needs files, in a program without a System.
type noFilesError struct{ what string }

// Error says what to do.
func (e *noFilesError) Error() string {
	return fmt.Sprintf("this program has no files and cannot open %s; send the bytes", e.what)
}

// writeReport writes an explanation as a file of the command line.
func (h *Host) writeReport(r wire.WriteReport) (any, error) {
	if h.config.System == nil {
		return nil, &noFilesError{"a report"}
	}
	data, err := h.config.System.WriteReport(r)
	return wire.Report{Bytes: data}, err
}
