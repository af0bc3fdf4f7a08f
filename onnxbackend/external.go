package onnxbackend

import (
	"errors"
	"io"
	"io/fs"
	"math"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/decode"
	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
)

// ExternalData returns length bytes, from offset on, of a file that holds tensors of the model. A
// length of -1 asks for the whole file, an ONNX file that the key "via" of a model card names; its
// bytes are read until the model is open.
// PyTorch writes such a file, model.onnx.data, beside larger models. The location is a
// slash-separated path below the model's folder. Open rejects a path that leads out of the folder,
// and a length that the tensor's shape contradicts, before the call. The bytes are read before the
// next call. For a missing file the function returns fs.ErrNotExist, and Open continues in order to
// list all missing files.
type ExternalData = decode.External

// ExternalFiles finds external data in memory, by location, without a copy.
func ExternalFiles(files map[string][]byte) ExternalData {
	return func(location string, offset, length int64) ([]byte, error) {
		data, ok := files[location]
		if !ok {
			return nil, fs.ErrNotExist
		}
		if length < 0 {
			return data, nil
		}
		if err := within(location, int64(len(data)), offset, length); err != nil {
			return nil, err
		}
		return data[offset : offset+length], nil
	}
}

// ExternalFS finds external data below a folder and reads one tensor's at a time. The FS of an
// os.Root follows no link out of it, as that of os.DirFS does.
func ExternalFS(folder fs.FS) ExternalData {
	return func(location string, offset, length int64) ([]byte, error) {
		// Opening a file that is not regular, such as a pipe, may block forever.
		info, err := fs.Stat(folder, location)
		if err != nil {
			return nil, unread(location, err)
		}
		if !info.Mode().IsRegular() {
			return nil, fault.Formatf(externalFile(location), "it is no regular file")
		}
		if length < 0 {
			if length = info.Size(); length > math.MaxInt32 {
				return nil, fault.Formatf(externalFile(location),
					"it has %d bytes, and no ONNX file has more than 2 GiB", length)
			}
		}
		if err := within(location, info.Size(), offset, length); err != nil {
			return nil, err
		}
		f, err := folder.Open(location)
		if err != nil {
			return nil, unread(location, err)
		}
		defer f.Close()
		at, ok := f.(io.ReaderAt)
		if !ok {
			return nil, unread(location, errors.ErrUnsupported)
		}
		data := make([]byte, length)
		if n, err := at.ReadAt(data, offset); n < len(data) {
			return nil, unread(location, err)
		}
		return data, nil
	}
}

// unread returns the error of a file that cannot be read. It wraps err, so that fs.ErrNotExist
// shows.
func unread(location string, err error) error {
	return msg.Errorf("%s cannot be read (links out of the model's folder are not followed): %w",
		externalFile(location), err)
}

// within checks that a file of some size has length bytes from offset on.
func within(location string, size, offset, length int64) error {
	if offset > size || length > size-offset {
		return fault.Formatf(externalFile(location),
			"it has %d bytes, and a tensor has %d from byte %d on: it is cut short, or belongs to "+
				"another model", size, length, offset)
	}
	return nil
}

func externalFile(location string) string { return "external data file " + msg.Quoted(location) }
