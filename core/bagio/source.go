package bagio

import (
	"errors"
	"io"
	"io/fs"

	"github.com/bagscope/bagscope/internal/msg"
)

// A source is the content of a file: bytes in memory, or a reader of parts, so that the bytes of an
// array never stand in memory beside the array.
type source struct {
	name string
	size int64
	head []byte      // the first headBytes bytes, or all of a shorter file
	data []byte      // the whole content if it is in memory
	r    io.ReaderAt // if data is nil
	near []byte      // the first nearBytes bytes, if data is nil: headers are read from it
	// beside has the files of the folder that an OME-Zarr picture is; nil for other files.
	beside fs.FS
}

// headBytes is the number of bytes that formats are distinguished by.
const headBytes = 4096

// nearBytes is what is read of a file at first. Readers of DICOM take a header in 25 small reads;
// each would be a call of the browser.
const nearBytes = 16 << 10

// inMemory returns a source of bytes, which parts of it share.
func inMemory(name string, data []byte) *source {
	return &source{name: name, size: int64(len(data)), head: data[:min(len(data), headBytes)],
		data: data}
}

// newSource returns a source of size bytes that r reads.
func newSource(name string, r io.ReaderAt, size int64) (*source, error) {
	if size < 0 {
		return nil, bad(name, "its size of %d bytes is negative", size)
	}
	s := &source{name: name, size: size, r: r}
	near := make([]byte, min(size, nearBytes))
	if err := s.fill(near, 0); err != nil {
		return nil, err
	}
	s.near, s.head = near, near[:min(len(near), headBytes)]
	return s, nil
}

// held reports whether the content is in memory.
func (s *source) held() bool { return s.r == nil }

// ReadAt implements io.ReaderAt.
func (s *source) ReadAt(p []byte, at int64) (int, error) {
	if !s.held() {
		if at >= 0 && at <= int64(len(s.near)-len(p)) {
			return copy(p, s.near[at:]), nil
		}
		return s.r.ReadAt(p, at)
	}
	if at < 0 || at > s.size {
		return 0, io.EOF
	}
	n := copy(p, s.data[at:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// fill fills p with the bytes at a place, which must be in the file. A file that became shorter
// since its size was taken is a *FormatError that wraps io.ErrUnexpectedEOF.
func (s *source) fill(p []byte, at int64) error {
	n, err := s.ReadAt(p, at)
	if n == len(p) {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return changed(s.name, at+int64(n), err)
}

// changed returns the error for a file whose bytes cannot be read.
func changed(file string, at int64, err error) *FormatError {
	reason := msg.Sprintf("it cannot be read (%v); it may have changed since it was opened: "+
		"open it again", err)
	return &FormatError{File: file, Offset: at, Reason: reason, Err: err}
}

// take returns n bytes at a place: those of the file itself if it is in memory, else a copy, which
// is reserved before it is allocated. The bytes must be in the file.
func (s *source) take(at, n int64, l Limits) ([]byte, error) {
	if s.held() {
		return s.data[at:][:n:n], nil
	}
	if err := l.reserve(s.name, n); err != nil {
		return nil, err
	}
	p := make([]byte, n)
	return p, s.fill(p, at)
}

// begins reports whether the bytes at a place are those of a magic number.
func (s *source) begins(at int64, magic string) bool {
	p := make([]byte, len(magic))
	return at <= s.size-int64(len(p)) && s.fill(p, at) == nil && string(p) == magic
}

// headed returns a test of a file by its first bytes.
func headed(begins func([]byte) bool) func(*source) bool {
	return func(s *source) bool { return begins(s.head) }
}

// whole returns a function that reads a file from all its bytes.
func whole(read func(string, []byte, Options) (*Set, error)) func(*source, Options) (*Set, error) {
	return func(s *source, o Options) (*Set, error) {
		data, err := s.take(0, s.size, o.Limits)
		if err != nil {
			return nil, err
		}
		return read(s.name, data, o)
	}
}
