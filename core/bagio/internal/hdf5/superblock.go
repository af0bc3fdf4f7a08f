package hdf5

import "io"

const fileSignature = "\x89HDF\r\n\x1a\n"

// A superblock refers to the objects from which all others are found. Old files also cache the
// addresses of the root group's links there, which are read from its object header instead.
type superblock struct {
	root      uint64 // address of the root group's object header
	extension uint64 // address of an object header, or undefined
}

// open finds the superblock (section "Superblock") and sets the source's sizes.
func (s *source) open() (superblock, error) {
	var sb superblock
	at, err := s.find()
	if err != nil {
		return sb, err
	}
	s.base, s.size = at, s.size-at
	c, err := s.block(0, min(s.size, 128))
	if err != nil {
		return sb, err
	}
	c.bytes(len(fileSignature))
	var end uint64 // end of the file, user block included
	if version := c.version("superblock", 0, 3); version < 2 {
		sb, end = s.version01(c, version)
	} else {
		sb, end = s.version23(c, version)
	}
	// A file that was cut off may still have a superblock, so that its absence would show late.
	if c.err == nil && end > uint64(s.size+s.base) {
		c.fail("the file has %d bytes of %d; it was cut off", s.size+s.base, end)
	}
	return sb, c.err
}

// version01 reads a superblock of version 0 or 1 behind the version, and the end of the file.
func (s *source) version01(c *cursor, version byte) (superblock, uint64) {
	c.bytes(4) // versions of other structures, which state them themselves
	s.sizes(c)
	c.bytes(1 + 2 + 2 + 4) // sizes of nodes, which state them themselves
	if version == 1 {
		c.bytes(4)
	}
	c.offset() // the base address; the place of the signature is used instead
	c.offset() // free space
	end := c.offset()
	if c.offset() != undefined && c.err == nil {
		c.err = unsupported("a file in several parts (driver information)")
	}
	// The entry of the root group: its name, then its header.
	c.offset()
	return superblock{c.offset(), undefined}, end
}

// version23 reads a superblock of version 2 or 3 behind the version, and the end of the file.
func (s *source) version23(c *cursor, version byte) (superblock, uint64) {
	s.sizes(c)
	flags := c.u8()
	c.offset() // the base address
	var sb superblock
	sb.extension = c.offset()
	end := c.offset()
	sb.root = c.offset()
	// The block was read beyond the superblock, whose size depends on that of addresses.
	c.b = c.b[:min(c.pos+4, len(c.b))]
	if c.checksum() == nil && version == 3 && flags&1 != 0 {
		c.fail("the program that wrote the file did not close it; HDF5 can mend it: " +
			"h5clear -s FILE")
	}
	return sb, end
}

// find returns the place of the signature: byte 0, or 512, 1024, 2048 and so on behind a user
// block.
func (s *source) find() (int64, error) {
	var head [len(fileSignature)]byte
	for at := int64(0); at+int64(len(head)) <= s.size; at = max(512, 2*at) {
		n, err := s.r.ReadAt(head[:], at)
		if n < len(head) {
			return 0, &FormatError{Offset: at, Reason: "it cannot be read", Err: err}
		}
		if string(head[:]) == fileSignature {
			return at, nil
		}
	}
	return 0, damaged(0, "it is not an HDF5 file")
}

// sizes reads the numbers of bytes of addresses and lengths.
func (s *source) sizes(c *cursor) {
	s.offsetSize, s.lengthSize = int(c.u8()), int(c.u8())
	for _, n := range []int{s.offsetSize, s.lengthSize} {
		if n != 2 && n != 4 && n != 8 {
			c.fail("its addresses and lengths have %d and %d bytes", s.offsetSize, s.lengthSize)
			s.offsetSize, s.lengthSize = 8, 8
			return
		}
	}
}

// extended checks the superblock extension for features that change the meaning of the file.
func (s *source) extended(sb superblock) error {
	if sb.extension == undefined {
		return nil
	}
	h, err := s.header(sb.extension)
	if err != nil {
		return err
	}
	// Metadata in a cache image replace those at their own place.
	for kind, what := range map[uint16]string{
		0x14: "a file in several parts (driver information)",
		0x18: "metadata in a cache image; a file rewritten by h5repack",
	} {
		if h.find(kind) != nil {
			return unsupported("%s", what)
		}
	}
	return nil
}

// newSource returns a source of a file of size bytes, which has to be opened.
func newSource(r io.ReaderAt, size int64, l Limits) *source {
	return &source{r: r, size: size, budget: l.metadata(size), limits: l, offsetSize: 8,
		lengthSize: 8, collections: map[uint64]map[uint16][]byte{}}
}
