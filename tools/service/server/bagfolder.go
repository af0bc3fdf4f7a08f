package server

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
)

// A sentBag is a file of bags of a request: its bytes, or its path below the folder of bags.
type sentBag struct {
	bagio.File
	Below bool // Name is a path, and Data is read when the bag is needed
}

// maxPath is the number of bytes that a path of a request can have.
const maxPath = 4096

// checkPath returns a problem for a path that cannot name a file below the folder of bags, and for
// every path if the server has no such folder. It does not access the file system.
func (s *Server) checkPath(name string) error {
	switch {
	case s.Bags == nil:
		return problem("request", "a bag has no file name, and this server does not read bags by "+
			"their paths; send the file with its name, or start the server with --bags DIR")
	case len(name) > maxPath:
		return tooLong("bag", maxPath)
	case !filepath.IsLocal(name) || strings.ContainsAny(name, "\\\x00"):
		return problem("request", "the path %q of a bag must be relative to the folder of bags, "+
			"with slashes, and must not lead out of it", name)
	}
	return nil
}

// readBelow reads a file below the folder of bags into m. An os.Root resolves the path, so that
// symbolic links cannot lead out of the folder either. Problems contain no path of the operator.
func (s *Server) readBelow(m *core.Memory, name string) ([]byte, error) {
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
	defer f.Close()
	// The file can have been replaced since.
	if info, err = f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, pathProblem(name, err)
	}
	most := s.limits.Unpacked
	if info.Size() > most {
		return nil, tooLarge(name, most)
	}
	data, err := m.ReadAll(io.LimitReader(f, most+1), info.Size(), "reading "+name)
	if err == nil && int64(len(data)) > most {
		return nil, tooLarge(name, most)
	}
	if err != nil && !isMemory(err) {
		return nil, pathProblem(name, err)
	}
	return data, err
}

// tooLarge returns the problem of a file that exceeds Limits.Unpacked.
func tooLarge(name string, most int64) error {
	return problem("limit", "the file %q exceeds the limit of %d bytes", name, most)
}

// pathProblem returns the problem of a path that cannot be read.
func pathProblem(name string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return problem("unknown", "the folder of bags has no file %q", name)
	}
	return problem("request", "the path %q of a bag cannot be read: it leads out of the folder of "+
		"bags, or the server may not read it", name)
}

// bagsOf returns the files of an upload with their content, in the memory of the request.
func (s *Server) bagsOf(u *upload) ([]bagio.File, error) {
	files := make([]bagio.File, len(u.bags))
	for i, b := range u.bags {
		files[i] = b.File
		if b.Below {
			var err error
			if files[i].Data, err = s.readBelow(u.memory, b.Name); err != nil {
				return nil, err
			}
		}
	}
	return files, nil
}

// hashOf returns the SHA-256 of a file, by which a job recognises it.
func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
