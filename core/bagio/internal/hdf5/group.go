package hdf5

import (
	"sort"
	"strings"
)

// A link is an entry of a group.
type link struct {
	name  string
	addr  uint64 // address of the object header, or undefined
	soft  string // the path that a soft link refers to
	other string // describes a link that leads out of the file, or ""; it is not followed
}

// links returns the entries of a group, ordered by name. A group stores them as messages, in a heap
// with an index (many entries), or in a symbol table (files before HDF5 1.8).
func (s *source) links(h *header) ([]link, error) {
	var all []link
	for i := range h.messages {
		m := &h.messages[i]
		var some []link
		var err error
		switch m.kind {
		case msgLink:
			var l link
			l, err = s.link(s.cursor(m.body, m.addr))
			some = []link{l}
		case msgLinkInfo:
			some, err = s.denseLinks(m)
		case msgSymbolTable:
			some, err = s.symbolTable(m)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	// Paths are joined from names, so that a name with a slash would refer to another object.
	for _, l := range all {
		if l.name == "" || strings.Contains(l.name, "/") {
			return nil, damaged(h.addr, "a group has a link with the name %q", l.name)
		}
	}
	sort.Slice(all, func(i, k int) bool { return all[i].name < all[k].name })
	return all, nil
}

// link reads a link message (section "Link Message").
func (s *source) link(c *cursor) (link, error) {
	c.version("link", 1, 1)
	flags := c.u8()
	kind := byte(0)
	if flags&8 != 0 {
		kind = c.u8()
	}
	if flags&4 != 0 {
		c.bytes(8) // creation order
	}
	if flags&16 != 0 {
		c.bytes(1) // character set: ASCII is a part of UTF-8
	}
	n := c.uint(1 << (flags & 3)) // bytes of the name
	l := link{name: string(c.bytes(int(min(n, 1<<40)))), addr: undefined}
	switch kind {
	case 0:
		l.addr = c.offset()
	case 1:
		l.soft = string(c.bytes(c.u16()))
	case 64:
		c.u16() // bytes of the rest
		c.u8()  // version and flags
		l.other = "an external link to the file " + c.text()
	default:
		l.other = "a link of a program's own type"
	}
	return l, c.err
}

// linkWay says how h5py copies the array behind a link that leads out of the file.
const linkWay = "open the file that it refers to, or write its array with h5py: python3 -c " +
	"\"import h5py; h5py.File('bag.h5', 'w')['features']=h5py.File('FILE')['NAME'][()]\""

// denseLinks reads the links that a link info message refers to: a heap of link messages and an
// index of their places.
func (s *source) denseLinks(m *message) ([]link, error) {
	c := s.cursor(m.body, m.addr)
	c.version("link info message", 0, 0)
	if flags := c.u8(); flags&1 != 0 {
		c.bytes(8) // maximum creation index
	}
	var all []link
	err := s.dense(c, linkRecords, func(object *cursor) error {
		l, err := s.link(object)
		all = append(all, l)
		return err
	})
	return all, err
}

// symbolTable reads the links of an old group (section "Group Symbol Table Nodes"): a tree whose
// leaves are symbol table nodes, and a heap with the names.
func (s *source) symbolTable(m *message) ([]link, error) {
	c := s.cursor(m.body, m.addr)
	tree, heap := c.offset(), c.offset()
	if c.err != nil {
		return nil, c.err
	}
	names, err := s.localHeap(heap)
	if err != nil {
		return nil, err
	}
	var all []link
	t := tree1{s: s, kind: 0, keySize: s.lengthSize, visit: func(_ []byte, addr uint64) error {
		some, err := s.symbols(addr, names)
		all = append(all, some...)
		return err
	}}
	return all, t.walk(tree)
}

// symbols reads a symbol table node. names is the heap that its entries refer to.
func (s *source) symbols(addr uint64, names *cursor) ([]link, error) {
	c, err := s.block(addr, 8)
	if err != nil {
		return nil, err
	}
	c.signature("SNOD")
	c.version("symbol table", 1, 1)
	c.bytes(1) // reserved
	n := c.u16()
	if c.err != nil {
		return nil, c.err
	}
	if c, err = s.block(addr+8, int64(n*(2*s.offsetSize+24))); err != nil {
		return nil, err
	}
	var all []link
	for range n {
		name := names.textAt(c.offset())
		l := link{name: name, addr: c.offset()}
		kind := c.u32()
		c.bytes(4) // reserved
		scratch := s.cursor(c.bytes(16), addr)
		if kind == 2 {
			l.addr, l.soft = undefined, names.textAt(uint64(scratch.u32()))
		}
		// A heap may be shared by many entries, so that names take more memory than the file.
		err := firstError(c.err, names.err, s.reserve(int64(len(l.name)+len(l.soft))))
		if err != nil {
			return nil, err
		}
		all = append(all, l)
	}
	return all, nil
}
