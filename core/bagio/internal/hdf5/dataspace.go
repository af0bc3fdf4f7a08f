package hdf5

import "math"

// unlimited is the maximal length of an axis that may grow.
const unlimited = ^uint64(0)

// A space is the shape of a dataset or an attribute.
type space struct {
	shape []int
	most  []uint64 // maximal lengths of the axes
	null  bool     // it has no entries
}

// count returns the number of entries. Dataspace has checked that it does not overflow.
func (p space) count() int {
	if p.null {
		return 0
	}
	n := 1
	for _, d := range p.shape {
		n *= d
	}
	return n
}

// dataspace reads a dataspace message (section "Dataspace Message") with at most limit entries.
func dataspace(c *cursor, limit int64) (space, error) {
	version := c.version("dataspace", 1, 2)
	rank, flags := int(c.u8()), c.u8()
	var p space
	if version == 1 {
		c.bytes(5)
	} else {
		p.null = c.u8() == 2
	}
	if c.err == nil && rank > 32 {
		c.fail("a dataspace has %d axes", rank)
	}
	count, empty, tooMany := int64(1), false, false
	for i := 0; i < rank && c.err == nil; i++ {
		d := c.length()
		switch {
		case d == 0:
			empty = true
		case d > math.MaxInt64 || int64(d) > limit/count:
			tooMany = true
		default:
			count *= int64(d)
		}
		p.shape = append(p.shape, int(d))
		p.most = append(p.most, d)
	}
	if flags&1 != 0 {
		for i := range p.most {
			p.most[i] = c.unlimitedLength()
			if c.err == nil && p.most[i] < uint64(p.shape[i]) {
				c.fail("axis %d of a dataspace is longer than its maximum", i)
			}
		}
	}
	if c.err == nil && tooMany && !empty {
		return p, &LimitError{What: "an array has too many entries", Setting: "elements",
			Limit: limit}
	}
	if c.err == nil && tooMany {
		c.fail("the shape of an empty array is too large")
	}
	return p, c.err
}

// unlimitedLength reads a length that may be unlimited.
func (c *cursor) unlimitedLength() uint64 {
	v := c.length()
	if v == unlimited>>(64-8*c.s.lengthSize) {
		return unlimited
	}
	return v
}
