//go:build unix

package engine

import (
	"os"
	"syscall"
)

// mapFile maps a part of a file, copy on write.
func mapFile(f *os.File, offset int64, length int) ([]byte, func(), error) {
	data, err := syscall.Mmap(int(f.Fd()), offset, length, syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_PRIVATE)
	if err != nil {
		return nil, nil, err
	}
	return data, func() { _ = syscall.Munmap(data) }, nil // it fails only for other addresses
}
