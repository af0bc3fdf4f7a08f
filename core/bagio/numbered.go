package bagio

import (
	"path"
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

// allBags returns the pattern of the names of a file's arrays that could be bags: "*/features" if
// several groups have one, or "*" if all lie at the root. They have instances of one shape. It
// returns an empty name if there are none.
func (n *namedArrays) allBags() (all NamedShape) {
	var first *namedArray
	count, base := 0, true
	for i := range n.arrays {
		a := &n.arrays[i]
		switch {
		case !a.canBeFeatures():
			continue
		case first == nil:
			first = a
		case !slices.Equal(a.shape[1:], first.shape[1:]) ||
			strings.Count(a.name, "/") != strings.Count(first.name, "/"):
			return all
		}
		if all.Shape == nil {
			all.Shape = slices.Clone(a.shape)
		} else {
			all.Shape[0] += a.shape[0]
		}
		count++
		base = base && path.Base(a.name) == path.Base(first.name)
	}
	switch {
	case count < 2:
	case !strings.Contains(first.name, "/"):
		all.Name = "*"
	case base:
		all.Name = strings.Repeat("*/", strings.Count(first.name, "/")) + path.Base(first.name)
	}
	return all
}

// matching returns the arrays whose names a pattern fits, each a bag. The error is a *FormatError
// if none does, or if their instances have several shapes.
func (n *namedArrays) matching(pattern string) ([]*namedArray, error) {
	var bags []*namedArray
	for i := range n.arrays {
		a := &n.arrays[i]
		if ok, err := path.Match(pattern, a.name); err != nil || !ok || !a.canBeFeatures() {
			continue
		}
		if len(bags) > 0 && !slices.Equal(a.shape[1:], bags[0].shape[1:]) {
			return nil, n.choose("the arrays %s and %s, which %s states as bags, have the shapes "+
				"%s and %s", bags[0].name, a.name, pattern, shapeText(bags[0].shape),
				shapeText(a.shape))
		}
		bags = append(bags, a)
	}
	if bags == nil {
		return nil, n.choose("no array of two or more axes has a name that fits %q (it holds %s)",
			pattern, n.list())
	}
	slices.SortStableFunc(bags, func(a, b *namedArray) int { return naturalOrder(a.name, b.name) })
	return bags, nil
}

// bagNamesOf returns the names of arrays, those of their groups if these differ.
func bagNamesOf(bags []*namedArray) []string {
	var names, groups []string
	for _, a := range bags {
		names, groups = append(names, a.name), append(groups, path.Dir(a.name))
	}
	if len(slices.Compact(slices.Sorted(slices.Values(groups)))) == len(groups) && len(groups) > 1 {
		return groups
	}
	return names
}

// setOfNumbered returns the bags that a file holds as arrays, of which some are lists of bags.
func setOfNumbered(n *namedArrays, bags []*namedArray, o Options) (*Set, error) {
	shape, sizes, names := slices.Clone(bags[0].shape), []int(nil), []string(nil)
	arrays := bagNamesOf(bags)
	shape[0] = 0
	items := make([]namedArray, len(bags))
	for i, a := range bags {
		items[i] = *a
		shape[0] += a.shape[0]
		list := n.lists[a.name].bags
		for j := range list {
			names = append(names, msg.Sprintf("%s %d", arrays[i], j))
		}
		if sizes = append(sizes, list...); list == nil {
			sizes, names = append(sizes, a.shape[0]), append(names, arrays[i])
		}
	}
	o.Array = "" // chosen
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
		arrays[0], arrays[len(arrays)-1], len(names)))
	used, err := s.addPlacesOfBags(n, bags)
	if err != nil {
		return nil, err
	}
	if unused := n.unused(append(used, bags...)...); len(unused) > 0 {
		s.notes = append(s.notes, ignoredNote(n.file, unused))
	}
	return s, nil
}

// addPlacesOfBags sets the places of instances if each bag has coordinates in its own group, and
// returns their arrays. What groups state of patches must be the same; what they state of slides is
// not kept.
func (s *Set) addPlacesOfBags(n *namedArrays, bags []*namedArray) ([]*namedArray, error) {
	groups := map[string][]namedArray{}
	for _, a := range n.arrays {
		group := path.Dir(a.name)
		groups[group] = append(groups[group], a)
	}
	var used []*namedArray
	for _, bag := range bags {
		group := namedArrays{file: n.file}
		if at := path.Dir(bag.name); at != "." {
			group.arrays = groups[at]
		}
		found, err := group.find(placeNames)
		if err != nil {
			return nil, err
		}
		if found == nil {
			return nil, nil
		}
		used = append(used, found)
	}
	all := &places{file: n.file}
	var g ground
	for i, a := range used {
		array, err := a.read()
		if err != nil {
			return nil, err
		}
		p, err := placesOf(n.file, array, bags[i].shape[0])
		if err != nil {
			return nil, err
		}
		own := groundOf(n.attributesOf(a), path.Base(a.name))
		own.slide.Name, own.slide.Width, own.slide.Height = "", 0, 0
		if i == 0 {
			all.axes, all.notes, g = p.axes, p.notes, own
		}
		if p.axes != all.axes || own != g {
			return nil, bad(n.file, "%s and %s state other units or sizes of patches; choose one "+
				"array of features, or write the places of all in one unit", used[0].name, a.name)
		}
		all.corners = append(all.corners, p.corners...)
	}
	return used, s.place(all, g)
}
