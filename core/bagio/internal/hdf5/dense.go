package hdf5

// Types of records of version 2 B-trees (section "Version 2 B-trees") that index objects in a
// fractal heap by a hash of their names.
const (
	linkRecords      = 5
	attributeRecords = 8
)

// dense calls read for each object of dense storage: a fractal heap and the B-tree of its objects,
// whose addresses c reads next. It calls nothing if the storage is empty.
func (s *source) dense(c *cursor, records byte, read func(object *cursor) error) error {
	heap, index := c.offset(), c.offset()
	if c.err != nil || heap == undefined {
		return c.err
	}
	h, err := s.fractalHeap(heap)
	if err != nil {
		return err
	}
	return s.walk2(index, records, func(r *cursor) error {
		if records == linkRecords {
			r.bytes(4) // hash of the name
		}
		id := r.bytes(h.idSize)
		if records == attributeRecords && r.u8()&2 != 0 && r.err == nil {
			return unsupported("a table of shared messages")
		}
		if r.err != nil {
			return r.err
		}
		object, err := h.object(id)
		if err != nil {
			return err
		}
		return read(object)
	})
}
