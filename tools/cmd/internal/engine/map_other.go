//go:build !unix && !windows

package engine

import (
	"io"
	"os"
)

// mapFile reads a part of a file, because this system does not map files.
func mapFile(f *os.File, offset int64, length int) ([]byte, func(), error) {
	data := make([]byte, length)
	_, err := io.ReadFull(io.NewSectionReader(f, offset, int64(length)), data)
	return data, func() {}, err
}
