package parquet

import (
	"slices"

	"github.com/bagscope/bagscope/core/bagio/internal/frame"
	"github.com/bagscope/bagscope/internal/msg"
)

// assemble makes rows of the n levels of a page and of the values that are present.
func (c *column) assemble(n, present int) error {
	if c.leaf.maxRep > 0 {
		return c.lists(n, present)
	}
	if int64(n) > c.rows {
		return msg.Errorf("it has more rows than its row group")
	}
	c.rows -= int64(n)
	c.out = frame.Values{Rows: n}
	v := &c.out
	if present == n {
		v.Wholes, v.Reals, v.Texts = c.kept.wholes, c.kept.reals, c.kept.texts
		return nil
	}
	at := 0
	for _, level := range c.levels[1] {
		c.add(v, &at, level)
	}
	return nil
}

// lists makes rows of lists. The last one may go on in the next page, so that it is kept until a
// row begins or the chunk ends.
func (c *column) lists(n, present int) error {
	v := &c.out
	*v = frame.Values{}
	if c.open {
		*v = c.openRow
	}
	at := 0
	for i, level := range c.levels[0] {
		if level == 0 {
			if c.rows == 0 {
				return msg.Errorf("it has more rows than its row group")
			}
			c.rows--
			v.Lengths = append(v.Lengths, 0)
		}
		if len(v.Lengths) == 0 {
			return msg.Errorf("it begins within a row")
		}
		if there := c.levels[1][i]; there >= uint32(c.leaf.entryDef) {
			v.Lengths[len(v.Lengths)-1]++
			if present < n {
				c.add(v, &at, there)
			}
		}
	}
	if present == n { // the usual case: no list is empty, and no entry is missing
		v.Wholes = append(v.Wholes, c.kept.wholes...)
		v.Reals = append(v.Reals, c.kept.reals...)
		v.Texts = append(v.Texts, c.kept.texts...)
		if v.Missing != nil {
			v.Missing = append(v.Missing, make([]bool, n)...)
		}
	}
	if len(v.Lengths) == 0 {
		return nil
	}
	v.Rows = len(v.Lengths) - 1
	c.open = true
	if v.Rows == 0 {
		c.openRow = *v // not copied: thousands of pages can hold one row
		return nil
	}
	last := int(v.Lengths[v.Rows])
	c.openRow = frame.Values{Lengths: []int32{int32(last)}, Wholes: cutTail(&v.Wholes, last),
		Reals: cutTail(&v.Reals, last), Texts: cutTail(&v.Texts, last),
		Missing: cutTail(&v.Missing, last)}
	v.Lengths = v.Lengths[:v.Rows]
	return nil
}

// cutTail removes the last n entries of a list that has as many, and returns a copy of them.
func cutTail[T any](list *[]T, n int) []T {
	if len(*list) == 0 {
		return nil
	}
	from := len(*list) - n
	tail := slices.Clone((*list)[from:])
	*list = (*list)[:from]
	return tail
}

// flush returns the last row of a chunk of lists.
func (c *column) flush() (*frame.Values, error) {
	c.open = false
	c.out = c.openRow
	c.out.Rows = 1
	return &c.out, nil
}

// add appends the value of a definition level, which is the next of those kept, or missing.
func (c *column) add(v *frame.Values, at *int, level uint32) {
	there := level == uint32(c.leaf.maxDef)
	if !there && v.Missing == nil {
		v.Missing = make([]bool, v.Len(), v.Len()+1)
	}
	if v.Missing != nil {
		v.Missing = append(v.Missing, !there)
	}
	switch c.leaf.Kind {
	case frame.Whole:
		v.Wholes = append(v.Wholes, next(c.kept.wholes, at, there))
	case frame.Real:
		v.Reals = append(v.Reals, next(c.kept.reals, at, there))
	case frame.Text:
		v.Texts = append(v.Texts, next(c.kept.texts, at, there))
	}
}

// next returns the next value of a list, or a zero for a missing one.
func next[T any](values []T, at *int, there bool) (v T) {
	if there {
		v = values[*at]
		*at++
	}
	return v
}
