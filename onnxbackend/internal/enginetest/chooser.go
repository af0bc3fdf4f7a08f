package enginetest

// A Chooser makes the choices of a fuzz test from bytes: one byte for each choice, and 0 when no
// bytes are left. The same bytes give the same choices, so that a failure can be repeated.
type Chooser struct{ Left []byte }

// Of returns a number from 0 to n - 1. n must be positive.
func (c *Chooser) Of(n int) int {
	if len(c.Left) == 0 {
		return 0
	}
	b := int(c.Left[0])
	c.Left = c.Left[1:]
	return b % n
}

// Pick returns an entry of a list, or false if the list is empty.
func Pick[T any](c *Chooser, list []T) (v T, ok bool) {
	if len(list) == 0 {
		return v, false
	}
	return list[c.Of(len(list))], true
}

// Number returns a number for any place of a model file: small and valid, or at the ends of the
// integer types.
func (c *Chooser) Number() uint64 {
	return uint64([]int64{0, 1, 2, 3, -1, 4, 5, 7, -2, 8, 64, 1 << 10, -3, 1 << 20, 1 << 31,
		1<<31 - 1, -1 << 31, 1 << 40, 1<<62 + 1, -1 << 63, 1<<63 - 1}[c.Of(21)])
}
