package bagio

import (
	"archive/zip"
	"errors"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/bagscope/bagscope/core/dicom"
	"github.com/bagscope/bagscope/internal/msg"
)

// withoutPictures reports whether an error says that a DICOM file holds no pictures.
func withoutPictures(err error) bool {
	return errors.Is(err, dicom.ErrNoPictures)
}

// isSeries reports whether a file is a DICOM file or a zip archive of them.
func isSeries(s *source) bool { return isDICOM(s) || isSeriesZip(s) }

// setFromDICOMs reads a DICOM file, or a zip archive of them.
func setFromDICOMs(s *source, o Options) (*Set, error) {
	if isDICOM(s) {
		return setFromDICOM(s, o)
	}
	return setFromSeriesZip(s, o)
}

// sniffed is the number of bytes that show whether a file is a DICOM file.
const sniffed = 132

// dicomsOf returns the members of files that are DICOM files, in the natural order of their names,
// and how many are not.
func dicomsOf(files []File) (members []seriesFile, others int) {
	for _, f := range files {
		s, err := f.source()
		if err != nil || f.Width > 0 || f.Height > 0 || !isDICOM(s) {
			others++
			continue
		}
		members = append(members, seriesFile{f.Name, func() (*source, func(), error) {
			return s, func() {}, nil // its first bytes are read once
		}})
	}
	sortMembers(members)
	return members, others
}

func sortMembers(members []seriesFile) {
	slices.SortStableFunc(members, func(a, b seriesFile) int {
		return naturalOrder(a.name, b.name)
	})
}

// dicomsIn returns the DICOM files of a folder and of the folders in it, and how many other files
// there are. Hidden files are ignored.
func dicomsIn(fsys fs.FS, l Limits) (members []seriesFile, others int, err error) {
	seen := 0
	err = fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if seen++; seen > mostMembers {
			return bad("the folder", "it holds more than %d files", mostMembers)
		}
		hidden := name != "." && strings.HasPrefix(path.Base(name), ".")
		if d.IsDir() {
			if hidden {
				return fs.SkipDir
			}
			return nil
		}
		if hidden {
			return nil
		}
		if !sniffFile(fsys, name) {
			others++
			return nil
		}
		members = append(members, seriesFile{name, func() (*source, func(), error) {
			return openRegular(fsys, name, l)
		}})
		return nil
	})
	sortMembers(members)
	return members, others, err
}

// sniffFile reports whether a regular file begins as a DICOM file. A file that cannot be read does
// not.
func sniffFile(fsys fs.FS, name string) bool {
	info, err := fs.Stat(fsys, name)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := fsys.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, sniffed)
	n, _ := io.ReadFull(f, head)
	return dicom.Is(head[:n])
}

// openRegular opens a file that is read by ranges if its file system can, else as a whole.
func openRegular(fsys fs.FS, name string, l Limits) (*source, func(), error) {
	info, err := fs.Stat(fsys, name)
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, bad(name, "it is not a regular file")
	}
	f, err := fsys.Open(name)
	if err != nil {
		return nil, nil, err
	}
	if r, ok := f.(io.ReaderAt); ok {
		s, err := newSource(name, r, info.Size())
		if err != nil {
			f.Close()
			return nil, nil, err
		}
		return s, func() { f.Close() }, nil
	}
	f.Close()
	data, err := readRegular(fsys, name, 0, l)
	if err != nil {
		return nil, nil, err
	}
	return inMemory(name, data), func() { l.Memory.Release(int64(cap(data))) }, nil
}

// mostSniffed bounds the members of an archive whose beginnings decide its kind.
const mostSniffed = 64

// isSeriesZip reports whether a file is a zip archive of DICOM files without arrays.
func isSeriesZip(s *source) bool {
	if !begins(s.head, "PK\x03\x04") {
		return false
	}
	r, err := openZip(s, Limits{})
	if err != nil {
		return false
	}
	found := false
	for i, f := range r.File {
		if strings.HasSuffix(f.Name, ".npy") {
			return false
		}
		found = found || i < mostSniffed && sniffMember(f)
	}
	return found
}

// sniffMember reports whether a member of an archive begins as a DICOM file.
func sniffMember(f *zip.File) bool {
	if f.UncompressedSize64 < sniffed {
		return false
	}
	r, err := f.Open()
	if err != nil {
		return false
	}
	defer r.Close()
	head := make([]byte, sniffed)
	n, _ := io.ReadFull(r, head)
	return dicom.Is(head[:n])
}

// setFromSeriesZip reads the series of a zip archive. One member is unpacked at a time.
func setFromSeriesZip(s *source, o Options) (*Set, error) {
	l := o.Limits.withDefaults()
	r, err := openZip(s, l)
	if err != nil {
		return nil, err
	}
	var members []seriesFile
	others := 0
	for _, f := range r.File {
		switch {
		case strings.HasSuffix(f.Name, "/"):
		case sniffMember(f):
			members = append(members, seriesFile{f.Name, func() (*source, func(), error) {
				return openMember(s, f, l)
			}})
		default:
			others++
		}
	}
	sortMembers(members)
	return withOthers(others, "DICOM")(readSeries(members, s.name, o))
}

// openMember unpacks a member of an archive.
func openMember(s *source, f *zip.File, l Limits) (*source, func(), error) {
	a := &archive{file: s.name, packed: s.size, left: l.Bytes, limits: l}
	data, err := a.unpack(s.name+"/"+f.Name, f)
	if err != nil {
		return nil, nil, err
	}
	return inMemory(f.Name, data), func() { l.Memory.Release(int64(len(data))) }, nil
}

// withOthers adds a note about files that are not of a kind. Their names are not shown: folders
// of exports often have the names of patients.
func withOthers(others int, kind string) func(*Set, error) (*Set, error) {
	return func(s *Set, err error) (*Set, error) {
		if err == nil && others > 0 {
			s.notes = append(s.notes, msg.Sprintf("Files that are not %s files, which are left "+
				"out: %d.", kind, others))
		}
		return s, err
	}
}
