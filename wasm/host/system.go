package host

import (
	"context"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/internal/kind"
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/wasm/wire"
)

// A System is what programs with files offer beside those in browsers.
type System interface {
	// OpenModel opens a model file with the external tensors beside it. Without a card in o it uses
	// the card beside the file.
	OpenModel(ctx context.Context, path string, o onnxbackend.Options) (*onnxbackend.Model, error)
	// ReadBags reads a file of bags, or a folder of pictures that are one bag.
	ReadBags(ctx context.Context, path string, o bagio.Options) (*bagio.Set, error)
	// ReadSlide reads a file as ReadBags does, and encodes the patches of a whole slide for a
	// model, as r.Encoding states. progress counts encoded patches; it may be nil.
	ReadSlide(ctx context.Context, r wire.ReadBagFile, m ask.Engine, o bagio.Options,
		progress func(done, total int)) (*bagio.Set, error)
	// WriteTiles writes the patches of a slide to a file. noted gets what may be wrong with the
	// features before patches are encoded. progress counts patches; it may be nil.
	WriteTiles(ctx context.Context, r wire.WriteTiles, noted func(notes []string),
		progress func(done, total int)) (
		wire.TilesWritten, error)
	// ReadArray makes a bag of an array, whose bytes are in the request or in a file. release
	// returns memory that the bag shares; it is nil if there is none.
	ReadArray(r wire.ReadArray, o bagio.Options) (set *bagio.Set, release func(), err error)
	// WriteCSV returns cells as a CSV file.
	WriteCSV(rows [][]string) ([]byte, error)
	// Answer answers a question in JSON.
	Answer(ctx context.Context, q Question) ([]byte, error)
	// Inspect describes a model with a bag, which may be nil. plain is the same model without
	// passes, or nil.
	Inspect(ctx context.Context, m, plain *onnxbackend.Model, bag *core.Bag, stage string) (
		[]byte, error)
}

// A noFilesError reports a request that needs files, in a program without a System.
type noFilesError struct{ what string }

// Error says what to do.
func (e *noFilesError) Error() string {
	return msg.Sprintf("this program has no files and cannot open %s; send the bytes of a file",
		e.what)
}

// Kind returns "unavailable".
func (e *noFilesError) Kind() string { return kind.Unavailable }

// readArray makes a bag of an array.
func (h *Host) readArray(r wire.ReadArray) (any, error) {
	if h.config.System == nil {
		return nil, &noFilesError{"an array in memory"}
	}
	o, err := h.bagOptions(r.Read, r.Model, r.InstanceShape, r.Limits)
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

// writeTiles writes the patches of a slide to a file.
func (h *Host) writeTiles(ctx context.Context, id uint32, r wire.WriteTiles) (any, error) {
	if h.config.System == nil {
		return nil, &noFilesError{"a slide by its path"}
	}
	if r.Memory > 0 {
		ctx = quota.WithMemory(ctx, quota.NewMemory(int64(r.Memory)))
	}
	noted := func(notes []string) { h.send(id, wire.Noted{Notes: notes}) }
	return h.config.System.WriteTiles(ctx, r, noted, h.encoding(id, r.Watch))
}

// writeCSV writes cells as a CSV file.
func (h *Host) writeCSV(r wire.WriteCSV) (any, error) {
	if h.config.System == nil {
		return nil, &noFilesError{"a table"}
	}
	data, err := h.config.System.WriteCSV(r.Rows)
	return wire.Document{Bytes: data}, err
}

// inspect describes a model file.
func (h *Host) inspect(ctx context.Context, r wire.Inspect) (any, error) {
	if h.config.System == nil {
		return nil, &noFilesError{"a description of a model"}
	}
	m, err := h.file(r.Model)
	if err != nil {
		return nil, err
	}
	var plain *onnxbackend.Model
	if r.Plain != 0 {
		if plain, err = h.file(r.Plain); err != nil {
			return nil, err
		}
	}
	var bag *core.Bag
	if r.Bag != 0 {
		held, err := h.bag(r.Bag)
		if err != nil {
			return nil, err
		}
		bag = held.bag
	}
	data, err := h.config.System.Inspect(ctx, m, plain, bag, r.Stage)
	return wire.Document{Bytes: data}, err
}

// file returns the open model file with a handle. A function has no graph: the error is a
// *core.UnavailableError.
func (h *Host) file(handle int) (*onnxbackend.Model, error) {
	m, err := find[servedModel](&h.handles, handle, "model")
	if err != nil {
		return nil, err
	}
	return fileOf(m)
}

// fileOf returns a model as a file, or a *core.UnavailableError if it is a function or several.
func fileOf(m servedModel) (*onnxbackend.Model, error) {
	if file, ok := m.(*onnxbackend.Model); ok {
		return file, nil
	}
	if _, ok := m.(ask.Ensemble); ok {
		return nil, &core.UnavailableError{
			Reason: "several models have no graph of their own; open one of them"}
	}
	return nil, &core.UnavailableError{Reason: "the model is a function, which has no graph"}
}
