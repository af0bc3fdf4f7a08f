// Package zipfile opens zip archives that may be made to harm: the memory of a directory is
// reserved before it is read, and members that share bytes are an error.
package zipfile

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"io"

	"github.com/klauspost/compress/flate"

	"github.com/bagscope/bagscope/internal/msg"
)

// memberBytes is the memory that a member of a directory takes: an entry of 46 bytes takes several
// hundred.
const memberBytes = 1 << 10

// Bounds are those of a directory.
type Bounds struct {
	Members int                     // most members
	Bytes   int64                   // end of the archive in which the directory must be
	Reserve func(bytes int64) error // reserves memory
}

// A FormatError reports a fault of an archive, without the name of its file.
type FormatError struct {
	Reason string
	Err    error // what package zip returned, or nil
}

// Error returns the reason.
func (e *FormatError) Error() string { return msg.Sprintf("%s", msg.Text(e.Reason)) }

// Unwrap returns e.Err.
func (e *FormatError) Unwrap() error { return e.Err }

func bad(format string, args ...any) error {
	return &FormatError{Reason: msg.Sprintf(format, args...)}
}

// A Source is an archive of Size bytes. Fill fills p with the bytes at a place, which must be in
// the archive.
type Source struct {
	Size int64
	Fill func(p []byte, at int64) error
}

// Open returns an archive with its directory. Errors are a *FormatError and those of s.Fill and
// b.Reserve.
func Open(s Source, b Bounds) (*zip.Reader, error) {
	// The number of entries that an archive states is not what package zip reads, so that the
	// signatures of entries are counted.
	end := max(0, s.Size-b.Bytes)
	n, err := s.count("PK\x01\x02", end)
	if err != nil {
		return nil, err
	}
	if n > b.Members {
		return nil, bad("it has %d members; at most %d are read", n, b.Members)
	}
	if err := b.Reserve(memberBytes * int64(n)); err != nil {
		return nil, err
	}
	tail := &tail{s, end, b.Bytes}
	r, err := zip.NewReader(tail, s.Size)
	if err != nil {
		return nil, &FormatError{msg.Sprintf("the zip archive cannot be read: %v", err), err}
	}
	// The standard library's decompressor leaves a fifth of what it unpacks as garbage.
	r.RegisterDecompressor(zip.Deflate, func(r io.Reader) io.ReadCloser {
		return flate.NewReader(r)
	})
	tail.from = 0 // members may be anywhere
	return r, s.apart(r)
}

// memberHead is the size of what stands before the name of a member.
const memberHead = 30

// apart returns an error if the members of an archive cannot all have bytes of their own. Thousands
// of members that share theirs would unpack to far more than the file.
func (s Source) apart(r *zip.Reader) error {
	left := uint64(s.Size)
	for _, f := range r.File {
		if f.CompressedSize64 > uint64(s.Size) {
			continue // reading it is an error that names it
		}
		if left < memberHead || f.CompressedSize64 > left-memberHead {
			return bad("its members have more bytes than the file: they overlap, as those of a " +
				"zip bomb do")
		}
		left -= memberHead + f.CompressedSize64
	}
	return nil
}

// endBytes is the size of the end of an archive without its comment, which has at most 1<<16 bytes.
const endBytes = 22

// Names reports whether the directory of an archive, which must lie in its last most bytes, has one
// of some texts. It takes little memory, whatever the archive holds.
func (s Source) Names(most int64, texts ...string) (bool, error) {
	from := max(0, s.Size-most)
	end := make([]byte, min(s.Size, 1<<16+endBytes))
	if err := s.Fill(end, s.Size-int64(len(end))); err != nil {
		return false, err
	}
	if at := bytes.LastIndex(end, []byte("PK\x05\x06")); at >= 0 && len(end)-at >= endBytes {
		// Archives above 4 GB state the largest number.
		if start := int64(binary.LittleEndian.Uint32(end[at+16:])); start < s.Size {
			from = max(from, start)
		}
	}
	for _, text := range texts {
		if n, err := s.count(text, from); err != nil || n > 0 {
			return n > 0, err
		}
	}
	return false, nil
}

// count returns how often a signature occurs behind a place.
func (s Source) count(signature string, from int64) (int, error) {
	n, overlap := 0, len(signature)-1
	buffer := make([]byte, min(s.Size-from, 1<<16))
	for at := from; s.Size-at > int64(overlap); {
		part := buffer[:min(s.Size-at, int64(len(buffer)))]
		if err := s.Fill(part, at); err != nil {
			return 0, err
		}
		n += bytes.Count(part, []byte(signature))
		at += int64(len(part) - overlap)
	}
	return n, nil
}

// A tail reads an archive from a place on.
type tail struct {
	Source
	from, most int64
}

// ReadAt implements io.ReaderAt.
func (t *tail) ReadAt(p []byte, at int64) (int, error) {
	if at < t.from {
		return 0, bad("its directory is larger than %d bytes", t.most)
	}
	n := max(0, min(int64(len(p)), t.Size-at))
	if n == 0 && len(p) > 0 {
		return 0, io.EOF
	}
	if err := t.Fill(p[:n], at); err != nil {
		return 0, err
	}
	if n < int64(len(p)) {
		return int(n), io.EOF
	}
	return int(n), nil
}
