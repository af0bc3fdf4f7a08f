package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A file is one of an archive. Its bytes are data or, if data is nil, those of the file from.
type file struct {
	name string // path with slashes; a folder ends with a slash
	mode fs.FileMode
	from string
	data []byte
}

// read returns the bytes of the file.
func (f file) read() ([]byte, error) {
	if f.data != nil || strings.HasSuffix(f.name, "/") {
		return f.data, nil
	}
	return os.ReadFile(f.from)
}

// folderFiles returns the files below a folder, named below the prefix.
func folderFiles(prefix, dir string) ([]file, error) {
	var files []file
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if !d.Type().IsRegular() {
			return fmt.Errorf("%s is not a regular file", name)
		}
		within, err := filepath.Rel(dir, name)
		files = append(files, file{name: path.Join(prefix, filepath.ToSlash(within)), mode: 0o644,
			from: name})
		return err
	})
	return files, err
}

// withFolders adds the folders of all files and sorts by name, so that folders precede their
// contents.
func withFolders(files []file) []file {
	all := slices.Clone(files)
	have := map[string]bool{}
	for _, f := range files {
		have[f.name] = true
	}
	for _, f := range files {
		for dir := path.Dir(strings.TrimSuffix(f.name, "/")); dir != "."; dir = path.Dir(dir) {
			if name := dir + "/"; !have[name] {
				have[name] = true
				all = append(all, file{name: name, mode: 0o755})
			}
		}
	}
	slices.SortFunc(all, func(a, b file) int { return strings.Compare(a.name, b.name) })
	return all
}

// writeTar writes files as a tar archive of user 0, with one time for all.
func writeTar(w io.Writer, files []file, date time.Time) error {
	t := tar.NewWriter(w)
	for _, f := range withFolders(files) {
		data, err := f.read()
		if err != nil {
			return err
		}
		h := &tar.Header{Name: f.name, Size: int64(len(data)), ModTime: date, Typeflag: tar.TypeReg,
			Format: tar.FormatPAX, Mode: int64(f.mode.Perm())}
		if strings.HasSuffix(f.name, "/") {
			h.Typeflag = tar.TypeDir
		}
		if f.mode&fs.ModeSticky != 0 {
			h.Mode |= 0o1000
		}
		if err := t.WriteHeader(h); err != nil {
			return err
		}
		if _, err := t.Write(data); err != nil {
			return err
		}
	}
	return t.Close()
}

// writeTarGz writes files as a compressed tar archive.
func writeTarGz(w io.Writer, files []file, date time.Time) error {
	z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	if err := writeTar(z, files, date); err != nil {
		return err
	}
	return z.Close()
}

// writeZip writes files as a zip archive, the form that Windows opens.
func writeZip(w io.Writer, files []file, date time.Time) error {
	z := zip.NewWriter(w)
	for _, f := range withFolders(files) {
		data, err := f.read()
		if err != nil {
			return err
		}
		h := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: date}
		h.SetMode(f.mode)
		part, err := z.CreateHeader(h)
		if err != nil {
			return err
		}
		if _, err := part.Write(data); err != nil {
			return err
		}
	}
	return z.Close()
}

// create writes a file by a function, and removes it if that fails.
func create(name string, write func(io.Writer) error) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	err = write(f)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		os.Remove(name)
	}
	return err
}
