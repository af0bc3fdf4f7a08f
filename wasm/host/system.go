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
	// ReadArray makes a bag of an array, whose bytes are in the request or in a file. release
	// returns memory that the bag shares; it is nil if there is none.
	ReadArray(r wire.ReadArray, o bagio.Options) (set *bagio.Set, release func(), err error)
	// WriteReport writes an explanation as a file of the command line.
	WriteReport(r wire.WriteReport) ([]byte, error)
}

// A noFilesError reports a request that needs files, in a program without a System.
type noFilesError struct{ what string }

// Error says what to do.
func (e *noFilesError) Error() string {
	return fmt.Sprintf("this program has no files and cannot open %s; send the bytes of a file", e.what)
}

// readArray makes a bag of an array.
func (h *Host) readArray(r wire.ReadArray) (any, error) {
	if h.config.System == nil {
		return nil, &noFilesError{"an array in memory"}
	}
	o, err := h.bagOptions(wire.ReadBags{InstanceShape: r.InstanceShape, Model: r.Model,
		Limits: r.Limits})
	if err != nil {
		return nil, err
	}
	set, release, err := h.config.System.ReadArray(r, o)
	if err != nil {
		return nil, err
	}
	var b *block
	if release != nil {
		b = &block{users: 1, release: release}
	}
	return h.bagsRead(set, b), nil
}

// writeReport writes an explanation as a file of the command line.
func (h *Host) writeReport(r wire.WriteReport) (any, error) {
	if h.config.System == nil {
		return nil, &noFilesError{"a report"}
	}
	data, err := h.config.System.WriteReport(r)
	return wire.Report{Bytes: data}, err
}
