package dataset

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// maxFile bounds the bytes of a file, and of it unpacked.
const maxFile = 1 << 28

// A MissingError names a missing file of a data set and its source.
type MissingError struct {
	Set    string
	File   string // where it was looked for
	Source string
}

func (e *MissingError) Error() string {
	return fmt.Sprintf("the data set %s needs the file %s, which does not exist; get it from %s",
		e.Set, e.File, e.Source)
}

// A folder is where the files of a data set lie.
type folder struct {
	set    string
	dir    string
	sub    string // the subfolder of dir that may hold them
	source string
	hashes []byte // of the arrays that were read
}

// at says in which subfolder files may lie and where they come from.
func (f *folder) at(sub, source string) *folder {
	f.sub, f.source = sub, source
	return f
}

// find returns where the first of several names lies.
func (f *folder) find(names ...string) (string, error) {
	for _, dir := range []string{filepath.Join(f.dir, f.sub), f.dir} {
		for _, name := range names {
			file := filepath.Join(dir, filepath.FromSlash(name))
			switch _, err := os.Stat(file); {
			case err == nil:
				return file, nil
			case !errors.Is(err, fs.ErrNotExist):
				return "", err
			}
		}
	}
	return "", &MissingError{f.set, filepath.Join(f.dir, f.sub, filepath.FromSlash(names[0])),
		f.source}
}

// read returns the first of several files that is there, with its base name.
func (f *folder) read(names ...string) (name string, data []byte, err error) {
	file, err := f.find(names...)
	if err != nil {
		return "", nil, err
	}
	info, err := os.Stat(file)
	if err != nil {
		return "", nil, err
	}
	if info.Size() > maxFile {
		return "", nil, fmt.Errorf(
			"%s has %d bytes, but at most %d are allowed for a file of the data set %s", file,
			info.Size(), maxFile, f.set)
	}
	data, err = os.ReadFile(file)
	return filepath.Base(file), data, err
}

// text reads a file like read, unpacked if it was gzipped.
func (f *folder) text(names ...string) (name string, data []byte, err error) {
	name, data, err = f.read(names...)
	if err != nil || !bytes.HasPrefix(data, []byte("\x1f\x8b")) {
		return name, data, err
	}
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err == nil {
		data, err = io.ReadAll(io.LimitReader(r, maxFile+1))
	}
	switch {
	case err != nil:
		return "", nil, fmt.Errorf("%s cannot be decompressed: %w", name, err)
	case len(data) > maxFile:
		return "", nil, fmt.Errorf(
			"%s has more than %d bytes after decompression, the limit for a file of the data set %s", name, maxFile, f.set)
	}
	return name, data, nil
}
