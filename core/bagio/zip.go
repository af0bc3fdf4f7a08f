package bagio

import (
	"archive/zip"
	"cmp"
	"errors"
	"io/fs"
	"path"

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

// picturesIn returns the folder of an archive that holds pictures, or nil if none does. Pictures in
// several folders are a *FormatError.
func picturesIn(file string, r *zip.Reader) (fs.FS, error) {
	folder, found := "", false
	for _, f := range r.File {
		if !pictureName(path.Base(f.Name)) {
			continue
		}
		in := path.Dir(f.Name)
		if found && in != folder {
			return nil, bad(file, "it has pictures in several folders, such as %s and %s; put the "+
				"pictures of each bag into an archive of their own", folder, in)
		}
		folder, found = in, true
	}
	if !found {
		return nil, nil
	}
	return fs.Sub(r, folder)
}

// setFromPictureZip returns the bag of the pictures in an archive, as [ReadFolder] does.
func setFromPictureZip(file string, pictures fs.FS, o Options) (*Set, error) {
	o.Name = cmp.Or(o.Name, file)
	return ReadFolder(pictures, o)
}
