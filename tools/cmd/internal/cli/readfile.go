package cli

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/internal/kind"
	"github.com/bagscope/bagscope/internal/msg"
)

// maxFile bounds the bytes of a file other than bags. An ONNX file, a protobuf, has at most 2 GiB.
const maxFile = 1 << 31

// ReadFile reads a file whose name the user gave, of at most 2 GiB, into the Memory of ctx. A file
// that does not exist is an fs.ErrNotExist.
func ReadFile(ctx context.Context, name string) ([]byte, error) {
	return readUntil(ctx, name, &quota.FileSizeError{Most: maxFile})
}

// readUntil is ReadFile for a file of at most tooLarge.Most bytes, with this error for others. It
// returns early if ctx ends: opening or reading a pipe can wait forever, and a device can have no
// end.
func readUntil(
	ctx context.Context, name string, tooLarge *quota.FileSizeError,
) ([]byte, error) {
	type result struct {
		data []byte
		err  error
	}
	read := make(chan result, 1) // so that the goroutine ends without a receiver
	go func() {
		data, err := readBounded(quota.MemoryOf(ctx), name, tooLarge)
		read <- result{data, err}
	}()
	var r result
	select {
	case r = <-read:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	switch {
	// The text of the system repeats the name and differs between systems.
	case errors.Is(r.err, fs.ErrNotExist):
		return nil, missingFile(name)
	case r.err != nil:
		return nil, msg.Errorf("%s cannot be read: %w", name, r.err)
	}
	return r.data, nil
}

// A missingFile is the name of a file that does not exist.
type missingFile string

// Error returns the same text on every system.
func (f missingFile) Error() string { return msg.Sprintf("the file %s does not exist", string(f)) }

// Kind returns "missing".
func (missingFile) Kind() string { return kind.Missing }

// Unwrap returns fs.ErrNotExist.
func (missingFile) Unwrap() error { return fs.ErrNotExist }

var errFolder = errors.New("it is a folder; name a file in it")

// readBounded reads a file of at most tooLarge.Most bytes into m. The size of a regular file is
// checked before it is read, and its memory is allocated once.
func readBounded(m *quota.Memory, name string, tooLarge *quota.FileSizeError) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	size, most := int64(0), tooLarge.Most
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, errFolder
	case info.Mode().IsRegular():
		if size = info.Size(); size > most {
			return nil, tooLarge
		}
	}
	data, err := m.ReadAll(io.LimitReader(f, most+1), size, "reading "+name)
	if err == nil && int64(len(data)) > most {
		return nil, tooLarge
	}
	return data, err
}
