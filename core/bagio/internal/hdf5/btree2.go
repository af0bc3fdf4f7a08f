package hdf5

import "math/bits"

// A tree2 is a version 2 B-tree (section "Version 2 B-trees").
type tree2 struct {
	s      *source
	kind   byte // type of the records
	record int  // bytes of a record
	node   int  // bytes of a node
	levels []treeLevel
	visit  func(record *cursor) error
}

// A treeLevel describes the nodes of a level; level 0 holds the leaves.
type treeLevel struct {
	most      int // records that a node may hold
	countSize int // bytes of the number of records below a node of this level
}

// walk2 visits all records of a B-tree.
func (s *source) walk2(addr uint64, kind byte, visit func(record *cursor) error) error {
	c, err := s.signed(addr, int64(22+s.offsetSize+s.lengthSize), "BTHD")
	if err != nil {
		return err
	}
	t := &tree2{s: s, kind: kind, visit: visit}
	c.version("B-tree", 0, 0)
	t.checkKind(c)
	t.node, t.record = int(c.u32()), c.u16()
	depth := c.u16()
	c.bytes(2) // when nodes are split and merged
	root, n := c.offset(), c.u16()
	if c.err != nil {
		return c.err
	}
	if n == 0 {
		return nil
	}
	if t.record == 0 || t.node < 32 || t.node > 1<<24 || depth > 32 {
		c.fail("a B-tree has nodes of %d bytes, records of %d and a depth of %d", t.node, t.record,
			depth)
		return c.err
	}
	t.measure(depth)
	return t.visitNode(root, n, depth)
}

func (t *tree2) checkKind(c *cursor) {
	if kind := c.u8(); c.err == nil && kind != t.kind {
		c.fail("a B-tree has records of type %d instead of %d", kind, t.kind)
	}
}

// measure computes the sizes of all levels, which the file does not state.
func (t *tree2) measure(depth int) {
	leaf := (t.node - 10) / t.record
	t.levels = []treeLevel{{leaf, 0}}
	total := uint64(leaf)
	// A level's nodes hold as many records as fit beside references to their children, and the size
	// of a reference depends on how many records the level below can hold.
	for u := 1; u <= depth; u++ {
		pointer := t.pointer(u)
		most := max(0, (t.node-10-pointer)/(t.record+pointer))
		high, low := bits.Mul64(uint64(most+1), total)
		if total = low + uint64(most); high != 0 || total < low {
			total = ^uint64(0)
		}
		t.levels = append(t.levels, treeLevel{most, byteCount(total)})
	}
}

// pointer returns the bytes of a reference from a node of a level to a child.
func (t *tree2) pointer(level int) int {
	return t.s.offsetSize + t.leafCountSize() + t.levels[level-1].countSize
}

// leafCountSize returns the bytes of the number of records of a child, on every level.
func (t *tree2) leafCountSize() int { return byteCount(uint64(t.levels[0].most)) }

// byteCount returns the bytes that hold the numbers up to most.
func byteCount(most uint64) int { return (bits.Len64(max(most, 1))-1)/8 + 1 }

// visitNode visits the n records of a node and those of its children.
func (t *tree2) visitNode(addr uint64, n, level int) error {
	signature := "BTLF"
	size := n * t.record
	if level > 0 {
		signature = "BTIN"
		size += (n + 1) * t.pointer(level)
	}
	if n > t.levels[level].most {
		return damaged(addr, "a B-tree node has %d records", n)
	}
	c, err := t.s.signed(addr, int64(10+size), signature)
	if err != nil {
		return err
	}
	c.version("B-tree node", 0, 0)
	t.checkKind(c)
	records := c.bytes(n * t.record)
	if c.err != nil {
		return c.err
	}
	// Child i holds what is before record i.
	for i := 0; i <= n; i++ {
		if level > 0 {
			if err := t.child(c, level); err != nil {
				return err
			}
		}
		if i == n {
			break
		}
		record := t.s.cursor(records[i*t.record:(i+1)*t.record], addr+6+uint64(i*t.record))
		if err := t.visit(record); err != nil {
			return err
		}
		if record.err != nil {
			return record.err
		}
	}
	return nil
}

// child visits the next child of an internal node.
func (t *tree2) child(c *cursor, level int) error {
	addr := c.offset()
	n := int(c.uint(t.leafCountSize()))
	c.bytes(t.levels[level-1].countSize)
	if c.err != nil {
		return c.err
	}
	return t.visitNode(addr, n, level-1)
}
