package server

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"

	"github.com/bagscope/bagscope/core/bagio"
)

// spoolFrom is the size from which on a bag of an upload is kept in a temporary file instead of in
// memory. The reader of its format then reads the parts that it needs.
const spoolFrom = 8 << 20

// receiveBag reads a bag of an upload, and keeps a large one in a temporary file until close.
func (u *upload) receiveBag(name string, part io.Reader) (bagio.File, error) {
	most := int64(spoolFrom)
	if u.disk == nil {
		most = math.MaxInt64
	}
	head, err := u.memory.ReadAll(io.LimitReader(part, most), 0, bodyPurpose)
	if err != nil || int64(len(head)) < most {
		return bagio.File{Name: name, Data: head}, err
	}
	defer u.memory.Release(int64(cap(head)))
	f, err := os.CreateTemp("", "bagscope-upload-*")
	if err != nil {
		return bagio.File{}, notStored(err)
	}
	// Without a name the file ends with the process, whatever happens. Windows removes it when it
	// is closed.
	_ = os.Remove(f.Name())
	spooled := &belowFile{File: f, name: name}
	u.files = append(u.files, spooled)
	size, err := io.Copy(&diskWriter{f, u}, io.MultiReader(bytes.NewReader(head), part))
	return bagio.File{Name: name, Reader: spooled, Size: size}, err
}

// close removes the temporary files of the upload, and closes the bag below the folder, whose
// slide may be read until the request is answered. It is called once. u can be nil.
func (u *upload) close() {
	if u == nil {
		return
	}
	u.below.Close()
	for _, f := range u.files {
		f.Close()
		_ = os.Remove(f.File.Name()) // on Windows; elsewhere it has no name any more
	}
	u.disk.Release(u.spooled)
}

// A diskWriter writes to a temporary file of an upload, within the bound of all of them.
type diskWriter struct {
	file *os.File
	*upload
}

func (w *diskWriter) Write(p []byte) (int, error) {
	if err := w.disk.Reserve(int64(len(p)), bodyPurpose); err != nil {
		return 0, problem("busy", "the temporary files of uploads take %d MB, "+
			"which is their limit; try again later", w.disk.Limit()/1e6)
	}
	w.spooled += int64(len(p))
	n, err := w.file.Write(p)
	if err != nil {
		return n, notStored(err)
	}
	return n, nil
}

// notStored returns the problem of a temporary file that cannot be written, without its path.
func notStored(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return problem("busy", "the server cannot store the body (%v); try again later", err)
}
