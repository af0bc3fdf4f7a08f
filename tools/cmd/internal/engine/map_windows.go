package engine

import (
	"os"
	"syscall"
	"unsafe"
)

// mapFile maps a part of a file, copy on write.
func mapFile(f *os.File, offset int64, length int) ([]byte, func(), error) {
	mapping, err := syscall.CreateFileMapping(syscall.Handle(f.Fd()), nil,
		syscall.PAGE_WRITECOPY, 0, 0, nil)
	if err != nil {
		return nil, nil, os.NewSyscallError("CreateFileMapping", err)
	}
	// The view keeps the mapping open.
	defer syscall.CloseHandle(mapping)
	at, err := syscall.MapViewOfFile(mapping, syscall.FILE_MAP_COPY, uint32(offset>>32),
		uint32(offset), uintptr(length))
	if err != nil {
		return nil, nil, os.NewSyscallError("MapViewOfFile", err)
	}
	// The address is not in memory that Go manages, which vet cannot know.
	data := unsafe.Slice((*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&at))), length)
	return data, func() { _ = syscall.UnmapViewOfFile(at) }, nil
}
