package host

import (
	"io"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/bagscope/bagscope/wasm/wire"
)

// A folder has files that the client keeps, which lie beside each other, by their names.
type folder []keptFile

// A keptFile is a file that the client keeps. It describes itself.
type keptFile struct {
	wire.SlideFile
	io.ReaderAt
}

// folderOf returns the files of a slide.
func (h *Host) folderOf(files []wire.SlideFile) folder {
	var out folder
	for _, f := range files {
		out = append(out, keptFile{f, h.config.Part(f.Part, int64(f.Size), false)})
	}
	slices.SortFunc(out, func(a, b keptFile) int { return strings.Compare(a.Name(), b.Name()) })
	return out
}

// Open implements fs.FS.
func (d folder) Open(name string) (fs.File, error) {
	i, ok := slices.BinarySearchFunc(d, name, func(f keptFile, name string) int {
		return strings.Compare(f.Name(), name)
	})
	if ok {
		return openFile{io.NewSectionReader(d[i], 0, d[i].Size()), d[i]}, nil
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

// ReadDir implements fs.ReadDirFS. There are no folders in the folder.
func (d folder) ReadDir(string) ([]fs.DirEntry, error) {
	var out []fs.DirEntry
	for _, f := range d {
		out = append(out, fs.FileInfoToDirEntry(f))
	}
	return out, nil
}

// An openFile is a file that is open; closing it does nothing.
type openFile struct {
	*io.SectionReader
	info keptFile
}

func (f openFile) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f openFile) Close() error               { return nil }

func (f keptFile) Name() string       { return f.SlideFile.Name }
func (f keptFile) Size() int64        { return int64(f.SlideFile.Size) }
func (f keptFile) Mode() fs.FileMode  { return 0o444 }
func (f keptFile) ModTime() time.Time { return time.Time{} }
func (f keptFile) IsDir() bool        { return false }
func (f keptFile) Sys() any           { return nil }
