package hdf5

import "slices"

// Types of header messages (section "Data Object Header Messages").
const (
	msgDataspace     = 0x01
	msgLinkInfo      = 0x02
	msgDatatype      = 0x03
	msgOldFill       = 0x04
	msgFill          = 0x05
	msgLink          = 0x06
	msgExternal      = 0x07
	msgLayout        = 0x08
	msgGroupInfo     = 0x0a
	msgFilters       = 0x0b
	msgAttribute     = 0x0c
	msgContinuation  = 0x10
	msgSymbolTable   = 0x11
	msgAttributeInfo = 0x15
)

// A message is a property of an object: its shape, its type, a link, an attribute.
type message struct {
	kind   uint16
	shared bool // body refers to a message of another header
	body   []byte
	addr   uint64 // address of body
}

// messageBytes is the memory of a message beside its body, which can be empty.
const messageBytes = 40

// A header holds the messages of an object, which is a group, a dataset or a committed type.
type header struct {
	addr     uint64
	messages []message
}

// find returns the first message of a kind, or nil.
func (h *header) find(kind uint16) *message {
	for i := range h.messages {
		if h.messages[i].kind == kind {
			return &h.messages[i]
		}
	}
	return nil
}

// A span is a block of a header.
type span struct{ from, to uint64 }

// A headerReader reads the blocks of one header.
type headerReader struct {
	*header
	s       *source
	v2      bool
	ordered bool   // messages have a creation order (version 2)
	spans   []span // blocks found so far, by address
	next    []span // blocks that are not read yet
}

// header reads the object header at an address with all its continuation blocks.
func (s *source) header(addr uint64) (*header, error) {
	r := &headerReader{header: &header{addr: addr}, s: s}
	c, err := s.block(addr, min(4, max(0, s.size-int64(min(addr, uint64(s.size))))))
	if err != nil {
		return nil, err
	}
	if string(c.b) == "OHDR" {
		err = r.version2()
	} else {
		err = r.version1()
	}
	// Continuation blocks may refer to others. That each is read once bounds the loop.
	for err == nil && len(r.next) > 0 {
		block := r.next[0]
		r.next = r.next[1:]
		err = r.continuation(block)
	}
	return r.header, err
}

// version1 reads the first block of a header of HDF5 before 1.8: a prefix of 16 bytes, then
// messages of the stated size.
func (r *headerReader) version1() error {
	c, err := r.s.block(r.addr, 16)
	if err != nil {
		return err
	}
	c.version("object header", 1, 1)
	c.bytes(1 + 2 + 4) // reserved, number of messages, number of references to the object
	n := c.u32()
	if c.err != nil {
		return c.err
	}
	from := r.addr + 16
	if c, err = r.s.block(from, int64(n)); err != nil {
		return err
	}
	if err := r.claim(from, from+uint64(n)); err != nil {
		return err
	}
	return r.parse(c)
}

// version2 reads the first block of a header with a signature and a checksum. The size of its
// prefix depends on flags, so that it is read in three steps: flags, prefix, whole block.
func (r *headerReader) version2() error {
	r.v2 = true
	c, err := r.s.block(r.addr, 6)
	if err != nil {
		return err
	}
	c.signature("OHDR")
	c.version("object header", 2, 2)
	flags := c.u8()
	if c.err != nil {
		return c.err
	}
	prefix := int64(6)
	if flags&0x20 != 0 {
		prefix += 16 // times
	}
	if flags&0x10 != 0 {
		prefix += 4 // when attributes become dense
	}
	width := 1 << (flags & 3) // bytes of the size of the first block
	r.ordered = flags&4 != 0
	if c, err = r.s.block(r.addr, prefix+int64(width)); err != nil {
		return err
	}
	c.bytes(int(prefix))
	n := c.uint(width)
	// The size is checked before it is added to others, so that no sum overflows.
	if err := r.s.holds(r.addr, int64(min(n, 1<<62))); err != nil {
		return err
	}
	total := prefix + int64(width) + int64(n) + 4 // the checksum has 4 bytes
	if c, err = r.s.signed(r.addr, total, "OHDR"); err != nil {
		return err
	}
	c.bytes(int(prefix) - 4 + width)
	if err := r.claim(r.addr, r.addr+uint64(total)); err != nil {
		return err
	}
	return r.parse(c)
}

// claim records a block of the header, which must not overlap another one. Without this rule,
// blocks that refer to each other would be read for ever.
func (r *headerReader) claim(from, to uint64) error {
	i, _ := slices.BinarySearchFunc(r.spans, from, func(b span, from uint64) int {
		if b.from < from {
			return -1
		}
		return 1
	})
	if i > 0 && r.spans[i-1].to > from || i < len(r.spans) && r.spans[i].from < to {
		return damaged(from, "two blocks of an object header overlap")
	}
	// The place of a block takes memory, and those behind it are moved.
	if err := r.s.reserve(messageBytes + int64(len(r.spans)-i)); err != nil {
		return err
	}
	r.spans = slices.Insert(r.spans, i, span{from, to})
	return nil
}

// continuation reads a further block. Those of version 2 have a signature and a checksum too.
func (r *headerReader) continuation(b span) error {
	if !r.v2 {
		c, err := r.s.block(b.from, int64(b.to-b.from))
		if err != nil {
			return err
		}
		return r.parse(c)
	}
	c, err := r.s.signed(b.from, int64(b.to-b.from), "OCHK")
	if err != nil {
		return err
	}
	return r.parse(c)
}

// parse reads the messages of a block.
func (r *headerReader) parse(c *cursor) error {
	prefix := 8
	if r.v2 {
		prefix = 4
		if r.ordered {
			prefix = 6
		}
	}
	// A block of version 2 may end with a gap that is smaller than the prefix of a message.
	for c.err == nil && c.left() >= prefix {
		var m message
		var n int
		var flags byte
		if r.v2 {
			m.kind, n, flags = uint16(c.u8()), c.u16(), c.u8()
			c.bytes(prefix - 4)
		} else {
			m.kind, n, flags = uint16(c.u16()), c.u16(), c.u8()
			c.bytes(3)
		}
		m.shared, m.addr = flags&2 != 0, c.addr+uint64(c.pos)
		m.body = c.bytes(n)
		if c.err != nil {
			break
		}
		if m.kind == msgContinuation {
			r.follow(r.s.cursor(m.body, m.addr), c)
			continue
		}
		if m.kind != 0 { // 0 is a gap
			c.err = r.s.reserve(messageBytes)
			r.messages = append(r.messages, m)
		}
	}
	return c.err
}

// follow adds the block of a continuation message. A fault becomes that of the cursor outer.
func (r *headerReader) follow(c, outer *cursor) {
	from, n := c.offset(), c.length()
	if c.err == nil {
		c.err = r.s.holds(from, int64(min(n, 1<<62)))
	}
	if c.err == nil {
		c.err = r.claim(from, from+n)
	}
	if outer.err = c.err; c.err == nil {
		r.next = append(r.next, span{from, from + n})
	}
}

// body returns a cursor over the body of a message. If the message is shared, that is the body of
// the message of the same kind in the header of a committed type.
func (s *source) body(m *message) (*cursor, error) {
	c := s.cursor(m.body, m.addr)
	if !m.shared {
		return c, nil
	}
	return s.shared(c, m.kind)
}

// shared follows a reference to a message in another header (section "Shared Message").
func (s *source) shared(c *cursor, kind uint16) (*cursor, error) {
	version := c.version("shared message", 1, 3)
	from := c.u8()
	if version == 1 {
		c.bytes(6)
	}
	if version == 3 && from == 1 && c.err == nil {
		return nil, unsupported("a table of shared messages")
	}
	h, err := s.header(c.offset())
	if c.err != nil {
		return nil, c.err
	}
	if err != nil {
		return nil, err
	}
	m := h.find(kind)
	// A shared message that refers to a further one is not valid and could form a circle.
	if m == nil || m.shared {
		return nil, damaged(h.addr, "a shared message is missing")
	}
	return s.cursor(m.body, m.addr), nil
}
