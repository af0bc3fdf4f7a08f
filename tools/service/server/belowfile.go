package server

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/core/slide"
)

// A belowFile is an open file below the folder of bags.
type belowFile struct {
	*os.File
	name string      // its path below the folder
	info fs.FileInfo // what Stat returned when the file was opened
}

// openBelow opens a file below the folder of bags. An os.Root resolves the path, so that symbolic
// links cannot lead out of the folder either. Problems contain no path of the operator.
func (s *Server) openBelow(name string) (*belowFile, error) {
	if err := s.checkPath(name); err != nil {
		return nil, err
	}
	// Opening a pipe waits for its writer, and opening a device can have an effect.
	info, err := s.Bags.Stat(name)
	if err == nil && !info.Mode().IsRegular() {
		return nil, problem("request", "the path %q of a bag is a folder, pipe or device; name a "+
			"regular file", name)
	}
	if err != nil {
		return nil, pathProblem(name, err)
	}
	f, err := s.Bags.OpenFile(name, os.O_RDONLY|openWithoutWaiting, 0)
	if err != nil {
		return nil, pathProblem(name, err)
	}
	// The file can have been replaced since.
	if info, err = f.Stat(); err != nil || !info.Mode().IsRegular() {
		f.Close()
		return nil, pathProblem(name, err)
	}
	if info.Size() > s.limits.Unpacked && !beginsLikeSlide(f) {
		f.Close()
		return nil, tooLarge(name, s.limits.Unpacked)
	}
	return &belowFile{f, name, info}, nil
}

// beginsLikeSlide reports whether a file may be a slide, which is read by ranges, so that its size
// does not matter.
func beginsLikeSlide(f *os.File) bool {
	head := make([]byte, 16)
	n, _ := f.ReadAt(head, 0)
	info, err := f.Stat()
	return slide.IsSlide(head[:n]) || err == nil && (slide.IsDICOM(info.Name(), f, info.Size()) ||
		slide.IsZarr(info.Name(), f, info.Size(), nil))
}

// ReadAt implements io.ReaderAt. Errors have no path of the operator.
func (f *belowFile) ReadAt(p []byte, at int64) (int, error) {
	n, err := f.File.ReadAt(p, at)
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return n, err
}

// hash returns the SHA-256 of the file, by which a job recognises it.
func (f *belowFile) hash() (string, error) {
	sum := sha256.New()
	if _, err := io.Copy(sum, io.NewSectionReader(f, 0, f.info.Size())); err != nil {
		return "", pathProblem(f.name, err)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// changed reports whether the file was written to since it was opened.
func (f *belowFile) changed() bool {
	info, err := f.Stat()
	return err != nil || info.Size() != f.info.Size() || !info.ModTime().Equal(f.info.ModTime())
}

// Close closes the file. f can be nil.
func (f *belowFile) Close() error {
	if f == nil {
		return nil
	}
	return f.File.Close()
}

// fileBelow returns a file below the folder of bags for bagio.ReadFiles. check may refuse it, and
// may be nil. A bag of one file is read in parts, from a file that the caller closes afterwards.
// The pictures of a bag, which are many, are held in m, and open is nil.
func (s *Server) fileBelow(
	m *quota.Memory, name string, alone bool, check func(*belowFile) error,
) (file bagio.File, open *belowFile, err error) {
	f, err := s.openBelow(name)
	if err != nil {
		return file, nil, err
	}
	if check != nil {
		err = check(f)
	}
	if alone && err == nil {
		return bagio.File{Name: name, Reader: f, Size: f.info.Size()}, f, nil
	}
	defer f.Close()
	if err != nil {
		return file, nil, err
	}
	file.Name = name
	file.Data, err = m.ReadAll(io.NewSectionReader(f, 0, f.info.Size()), f.info.Size(),
		"reading "+name)
	if err != nil && !isMemory(err) {
		err = pathProblem(name, err)
	}
	return file, nil, err
}

// bagsOf returns the files of an upload for bagio.ReadFiles, as fileBelow does.
func (s *Server) bagsOf(u *upload) (files []bagio.File, open *belowFile, err error) {
	files = make([]bagio.File, len(u.bags))
	for i, b := range u.bags {
		if files[i] = b.File; b.Below {
			files[i], open, err = s.fileBelow(u.memory, b.Name, len(u.bags) == 1, nil)
		}
		if err != nil {
			return nil, nil, err
		}
	}
	return files, open, nil
}
