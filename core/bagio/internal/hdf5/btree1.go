package hdf5

// A tree1 is a version 1 B-tree (section "Version 1 B-trees").
type tree1 struct {
	s       *source
	kind    byte // 0 for links, 1 for chunks
	keySize int
	visit   func(key []byte, child uint64) error // runs for each child of a leaf
}

// walk visits the children of all leaves below the node at an address, in order.
func (t *tree1) walk(addr uint64) error { return t.node(addr, -1) }

// node visits a node of a level; -1 permits any level. Levels descend, so that a cycle ends.
func (t *tree1) node(addr uint64, level int) error {
	prefix := int64(8 + 2*t.s.offsetSize)
	c, err := t.s.block(addr, prefix)
	if err != nil {
		return err
	}
	c.signature("TREE")
	if kind := c.u8(); c.err == nil && kind != t.kind {
		c.fail("a B-tree has type %d instead of %d", kind, t.kind)
	}
	own := int(c.u8())
	if c.err == nil && level >= 0 && own != level {
		c.fail("a B-tree node has level %d instead of %d", own, level)
	}
	n := c.u16()
	if c.err != nil {
		return c.err
	}
	entry := int64(t.keySize + t.s.offsetSize)
	if c, err = t.s.block(addr+uint64(prefix), int64(n)*entry); err != nil {
		return err
	}
	// Keys and children alternate. The key behind the last child is not needed.
	for range n {
		key := c.bytes(t.keySize)
		child := c.offset()
		if c.err != nil {
			return c.err
		}
		if own > 0 {
			err = t.node(child, own-1)
		} else {
			err = t.visit(key, child)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
