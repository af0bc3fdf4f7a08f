package server

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

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
