package hdf5

// localHeap reads the names of an old group (section "Local Heaps").
func (s *source) localHeap(addr uint64) (*cursor, error) {
	c, err := s.block(addr, int64(8+2*s.lengthSize+s.offsetSize))
	if err != nil {
		return nil, err
	}
	c.signature("HEAP")
	c.version("local heap", 0, 0)
	c.bytes(3)
	n := c.length()
	c.length() // free space
	data := c.offset()
	if c.err != nil {
		return nil, c.err
	}
	return s.block(data, int64(min(n, 1<<62)))
}

// textAt returns the text at an offset of a local heap.
func (c *cursor) textAt(offset uint64) string {
	if offset > uint64(len(c.b)) {
		c.fail("a name lies outside of its heap")
		return ""
	}
	c.pos = int(offset)
	return c.text()
}

// globalObject returns an object of a global heap (section "Global Heap"), which holds texts of
// variable length. Its length is deducted from the budget, because entries may share it.
func (s *source) globalObject(collection uint64, index uint16) ([]byte, error) {
	objects := s.collections[collection]
	if objects == nil {
		var err error
		if objects, err = s.globalHeap(collection); err != nil {
			return nil, err
		}
		s.collections[collection] = objects
	}
	object, ok := objects[index]
	if !ok {
		return nil, damaged(collection, "a heap has no object %d", index)
	}
	return object, s.reserve(int64(len(object)))
}

// globalHeap reads a collection of the global heap.
func (s *source) globalHeap(addr uint64) (map[uint16][]byte, error) {
	prefix := int64(aligned(8 + s.lengthSize))
	c, err := s.block(addr, prefix)
	if err != nil {
		return nil, err
	}
	c.signature("GCOL")
	c.version("global heap", 1, 1)
	c.bytes(3)
	n := c.length()
	if c.err == nil && n < uint64(prefix) {
		c.fail("a heap has %d bytes", n)
	}
	if c.err != nil {
		return nil, c.err
	}
	if c, err = s.block(addr+uint64(prefix), int64(min(n, 1<<62))-prefix); err != nil {
		return nil, err
	}
	objects := map[uint16][]byte{}
	for c.left() >= int(prefix) {
		index := uint16(c.u16())
		c.bytes(6)
		size := c.length()
		c.bytes(int(prefix) - 8 - s.lengthSize)
		if index == 0 {
			break // free space up to the end
		}
		objects[index] = c.bytes(int(min(size, 1<<40)))
		c.bytes(min(int(-size&7), c.left()))
		if c.err != nil {
			return nil, c.err
		}
	}
	return objects, nil
}

// aligned returns n rounded up to a multiple of 8.
func aligned(n int) int { return (n + 7) &^ 7 }
