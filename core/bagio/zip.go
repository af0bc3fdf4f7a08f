package bagio

import (
	"archive/zip"
	"errors"

	"github.com/bagscope/bagscope/core/internal/zipfile"
	"github.com/bagscope/bagscope/internal/msg"
)

// mostMembers bounds the members of a zip archive.
const mostMembers = 1 << 16

// directoryBytes bounds the end of a zip archive in which its directory must be.
const directoryBytes = 8 << 20

// openZip returns a zip archive with its directory. It reserves the directory's memory.
func openZip(s *source, l Limits) (*zip.Reader, error) {
	r, err := zipfile.Open(zipfile.Source{Size: s.size, Fill: s.fill}, zipfile.Bounds{
		Members: mostMembers, Bytes: directoryBytes,
		Reserve: func(n int64) error { return l.reserve(s.name, n) }})
	var format *zipfile.FormatError
	if errors.As(err, &format) {
		return nil, because(format.Err, bad(s.name, "%s", msg.Text(format.Reason)))
	}
	return r, err
}
