package bagio

import (
	"archive/zip"
	"bytes"
	"io"

	"github.com/klauspost/compress/flate"
)

// mostMembers bounds the members of a zip archive, and memberBytes the memory that each takes.
const (
	mostMembers = 1 << 16
	memberBytes = 1 << 10
)

// directoryBytes bounds the end of a zip archive in which its directory must be.
const directoryBytes = 8 << 20

// openZip returns a zip archive with its directory. It reserves the directory's memory: an entry of
// 46 bytes takes several hundred.
func openZip(s *source, l Limits) (*zip.Reader, error) {
	// The number of entries that an archive states is not what package zip reads, so that the
	// signatures of entries are counted.
	end := max(0, s.size-directoryBytes)
	n, err := s.count("PK\x01\x02", end)
	if err != nil {
		return nil, err
	}
	if n > mostMembers {
		return nil, bad(s.name, "it has %d members; at most %d are read", n, mostMembers)
	}
	if err := l.reserve(s.name, memberBytes*int64(n)); err != nil {
		return nil, err
	}
	tail := &tail{s, end}
	r, err := zip.NewReader(tail, s.size)
	if err != nil {
		return nil, because(err, bad(s.name, "the zip archive cannot be read: %v", err))
	}
	// The standard library's decompressor leaves a fifth of what it unpacks as garbage.
	r.RegisterDecompressor(zip.Deflate, func(r io.Reader) io.ReadCloser {
		return flate.NewReader(r)
	})
	tail.from = 0 // members may be anywhere
	return r, apart(s, r)
}

// memberHead is the size of what stands before the name of a member.
const memberHead = 30

// apart returns an error if the members of an archive cannot all have bytes of their own. Thousands
// of members that share theirs would unpack to far more than the file.
func apart(s *source, r *zip.Reader) error {
	left := uint64(s.size)
	for _, f := range r.File {
		if f.CompressedSize64 > uint64(s.size) {
			continue // unpack refuses it by its name
		}
		if left < memberHead || f.CompressedSize64 > left-memberHead {
			return bad(s.name, "its members have more bytes than the file: they overlap, as "+
				"those of a zip bomb do")
		}
		left -= memberHead + f.CompressedSize64
	}
	return nil
}

// A tail reads a source from a place on.
type tail struct {
	*source
	from int64
}

// ReadAt implements io.ReaderAt.
func (t *tail) ReadAt(p []byte, at int64) (int, error) {
	if at < t.from {
		return 0, bad(t.name, "its directory is larger than %d bytes", directoryBytes)
	}
	return t.source.ReadAt(p, at)
}

// count returns how often a signature occurs behind a place.
func (s *source) count(signature string, from int64) (int, error) {
	n, overlap := 0, len(signature)-1
	buffer := make([]byte, min(s.size-from, 1<<16))
	for at := from; s.size-at > int64(overlap); {
		part := buffer[:min(s.size-at, int64(len(buffer)))]
		if err := s.fill(part, at); err != nil {
			return 0, err
		}
		n += bytes.Count(part, []byte(signature))
		at += int64(len(part) - overlap)
	}
	return n, nil
}
