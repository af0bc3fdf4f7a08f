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

// maxFile limits the bytes of a file, before and after decompression.
const maxFile = 1 << 28

// A MissingError names a missing file of a data set and its source.
type MissingError struct {
	Set    string
	File   string // path at which the file was expected
	Source string // the place where users can get it
}

// Error implements error.
func (e *MissingError) Error() string {
	return fmt.Sprintf("the data set %s needs the file %s, which does not exist; get it from %s",
		e.Set, e.File, e.Source)
}

// A folder finds the files of a data set.
type folder struct {
	set    string // name of the data set
	dir    string // folder that the user named
	sub    string // subfolder of dir that is searched first
	source string // see MissingError
	hashes []byte // SHA-256 of each file that array has read
}

// at sets the subfolder that is searched first, and the source of the files.
func (f *folder) at(sub, source string) *folder {
	f.sub, f.source = sub, source
	return f
}

// read returns the content and the base name of the first of several files that exists. It searches
// the subfolder before the folder.
//
// Errors: *MissingError, and an error for a file above maxFile.
func (f *folder) read(names ...string) (name string, data []byte, err error) {
	for _, dir := range []string{filepath.Join(f.dir, f.sub), f.dir} {
		for _, name := range names {
			file := filepath.Join(dir, filepath.FromSlash(name))
			info, err := os.Stat(file)
			switch {
			case errors.Is(err, fs.ErrNotExist):
				continue
			case err != nil:
				return "", nil, err
			case info.Size() > maxFile:
				return "", nil, fmt.Errorf("%s has %d bytes, but at most %d are allowed for a "+
					"file of the data set %s", file, info.Size(), maxFile, f.set)
			}
			data, err := os.ReadFile(file)
			return filepath.Base(file), data, err
		}
	}
	return "", nil, &MissingError{f.set, filepath.Join(f.dir, f.sub, filepath.FromSlash(names[0])),
		f.source}
}

// text reads a file like read, and decompresses it if it is in gzip format.
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
		return "", nil, fmt.Errorf("%s has more than %d bytes after decompression, the limit for "+
			"a file of the data set %s", name, maxFile, f.set)
	}
	return name, data, nil
}
