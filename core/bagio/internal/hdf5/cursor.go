package hdf5

import (
	"bytes"
	"encoding/binary"
)

// A cursor decodes the fields of a structure. The first fault stays in err; all reads behind it
// return zeros and nil slices.
type cursor struct {
	b    []byte
	pos  int
	addr uint64 // address of b[0] in the file
	s    *source
	err  error
}

func (c *cursor) left() int { return len(c.b) - c.pos }

// fail sets the first fault.
func (c *cursor) fail(format string, args ...any) {
	if c.err == nil {
		c.err = damaged(c.addr+uint64(c.pos), format, args...)
	}
}

// bytes returns the next n bytes, which share the cursor's memory, or nil.
func (c *cursor) bytes(n int) []byte {
	if c.err != nil {
		return nil
	}
	if n < 0 || n > c.left() {
		c.fail("a field of %d bytes does not fit in the %d bytes that are left of its structure", n,
			c.left())
		return nil
	}
	c.pos += n
	return c.b[c.pos-n : c.pos : c.pos]
}

// uint returns a little-endian integer of 0 to 8 bytes.
func (c *cursor) uint(n int) uint64 {
	var v [8]byte
	copy(v[:], c.bytes(n))
	return binary.LittleEndian.Uint64(v[:])
}

func (c *cursor) u8() byte       { return byte(c.uint(1)) }
func (c *cursor) u16() int       { return int(c.uint(2)) }
func (c *cursor) u32() uint32    { return uint32(c.uint(4)) }
func (c *cursor) length() uint64 { return c.uint(c.s.lengthSize) }

// offset returns an address, or undefined.
func (c *cursor) offset() uint64 {
	v := c.uint(c.s.offsetSize)
	if v == undefined>>(64-8*c.s.offsetSize) {
		return undefined
	}
	return v
}

// signature checks four characters.
func (c *cursor) signature(want string) {
	if got := c.bytes(len(want)); c.err == nil && string(got) != want {
		c.pos -= len(want)
		c.fail("it does not begin with %s", want)
	}
}

// version returns a version number, which must be between low and high.
func (c *cursor) version(what string, low, high byte) byte {
	v := c.u8()
	if c.err == nil && (v < low || v > high) {
		c.err = unsupported("version %d of a %s", v, what)
	}
	return v
}

// text returns the characters before the next zero byte, and skips that byte.
func (c *cursor) text() string {
	if c.err != nil {
		return ""
	}
	n := bytes.IndexByte(c.b[c.pos:], 0)
	if n < 0 {
		c.fail("a text does not end")
		return ""
	}
	return string(c.bytes(n + 1)[:n])
}

// checksum compares the last four bytes with the checksum of those before, and removes them.
func (c *cursor) checksum() error {
	if c.err != nil {
		return c.err
	}
	n := len(c.b) - 4
	if n < c.pos {
		c.fail("a structure has no place for its checksum")
		return c.err
	}
	if want := binary.LittleEndian.Uint32(c.b[n:]); !c.s.skipSums && lookup3(c.b[:n]) != want {
		c.fail("a checksum does not match; the file is damaged")
		return c.err
	}
	c.b = c.b[:n]
	return nil
}
