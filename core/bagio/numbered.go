package bagio

import (
	"slices"
	"strings"

	"github.com/bagscope/bagscope/internal/msg"
)

// numberedBags returns the arrays of a file that are bags: all that could be features, if there are
// several, they are called by one word and a number, such as bag0, bag1, bag2, and only their
// numbers of instances differ. Arrays of equal sizes may be several features of one bag unless they
// are called bags. It returns nil if there are none; else the arrays are in the order of the
// numbers.
func (n *namedArrays) numberedBags() []*namedArray {
	var bags []*namedArray
	for i := range n.arrays {
		if a := &n.arrays[i]; a.canBeFeatures() {
			bags = append(bags, a)
		}
	}
	if len(bags) < 2 {
		return nil
	}
	first := bags[0]
	word, equal := unnumbered(first.name), true
	for _, a := range bags {
		if a.name == unnumbered(a.name) || unnumbered(a.name) != word ||
			!slices.Equal(a.shape[1:], first.shape[1:]) || len(a.shape) != len(first.shape) {
			return nil
		}
		equal = equal && a.shape[0] == first.shape[0]
	}
	if equal && !strings.Contains(strings.ToLower(word), "bag") {
		return nil
	}
	slices.SortStableFunc(bags, func(a, b *namedArray) int { return naturalOrder(a.name, b.name) })
	return bags
}

// unnumbered returns a name without the digits at its end.
func unnumbered(name string) string { return strings.TrimRight(name, "0123456789") }

// setOfNumbered returns the bags that a file holds as numbered arrays.
func setOfNumbered(n *namedArrays, bags []*namedArray, o Options) (*Set, error) {
	shape, sizes, names := slices.Clone(bags[0].shape), []int(nil), []string(nil)
	shape[0] = 0
	items := make([]namedArray, len(bags))
	for i, a := range bags {
		items[i] = *a
		shape[0] += a.shape[0]
		sizes, names = append(sizes, a.shape[0]), append(names, a.name)
	}
	all, err := concatenated(n.file, shape, items, o.Limits.withDefaults())
	if err != nil {
		return nil, err
	}
	s, err := severalBags(n.file, all, sizes, o)
	if err != nil {
		return nil, err
	}
	s.names = names
	s.notes = append(s.notes, msg.Sprintf("%s: its arrays %s to %s are taken for %d bags.", n.file,
		names[0], names[len(names)-1], len(names)))
	if unused := n.unused(bags...); len(unused) > 0 {
		s.notes = append(s.notes, ignoredNote(n.file, unused))
	}
	return s, nil
}
