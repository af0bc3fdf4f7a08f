package hdf5

import (
	"errors"
	"io"
)

// undefined is the address of an object that is not stored.
const undefined = ^uint64(0)

// A source reads the metadata of a file. Addresses count from the end of the user block.
type source struct {
	r           io.ReaderAt
	base        int64 // bytes of the user block
	size        int64 // bytes behind the user block
	offsetSize  int   // bytes of an address in the file
	lengthSize  int   // bytes of a length in the file
	budget      int64 // bytes of metadata that may still be read
	limits      Limits
	skipSums    bool // tests of damaged files reach the code behind the checksums
	collections map[uint64]map[uint16][]byte
}

// reserve deducts n bytes from the budget and reserves their memory.
func (s *source) reserve(n int64) error {
	if n > s.budget {
		return &LimitError{What: "its metadata is too large, or refers to itself",
			Setting: "metadata", Limit: s.limits.metadata(s.base + s.size)}
	}
	s.budget -= n
	if s.limits.Reserve == nil {
		return nil
	}
	return s.limits.Reserve(n)
}

// holds returns an error unless the file has n bytes at an address.
func (s *source) holds(addr uint64, n int64) error {
	if n < 0 || n > s.size || addr > uint64(s.size-n) {
		return damaged(addr, "it refers to %d bytes at this place, and the file ends at byte %d", n,
			s.size)
	}
	return nil
}

// readAt fills dst from an address.
func (s *source) readAt(dst []byte, addr uint64) error {
	if err := s.holds(addr, int64(len(dst))); err != nil {
		return err
	}
	n, err := s.r.ReadAt(dst, s.base+int64(addr))
	if n == len(dst) {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return &FormatError{Offset: s.base + int64(addr), Reason: "it cannot be read", Err: err}
}

// block returns a cursor over n bytes of metadata at an address.
func (s *source) block(addr uint64, n int64) (*cursor, error) {
	if err := s.holds(addr, n); err != nil {
		return nil, err
	}
	if err := s.reserve(n); err != nil {
		return nil, err
	}
	b := make([]byte, n)
	if err := s.readAt(b, addr); err != nil {
		return nil, err
	}
	return s.cursor(b, addr), nil
}

// signed returns a cursor over a structure that begins with a signature and ends with a checksum
// of all bytes before, both of four bytes. The cursor stands behind the signature and ends before
// the checksum.
func (s *source) signed(addr uint64, n int64, signature string) (*cursor, error) {
	c, err := s.block(addr, n)
	if err != nil {
		return nil, err
	}
	c.signature(signature)
	if err := c.checksum(); err != nil {
		return nil, err
	}
	return c, nil
}

func (s *source) cursor(b []byte, addr uint64) *cursor {
	return &cursor{b: b, addr: addr, s: s}
}
