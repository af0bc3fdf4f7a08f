package bagio

import (
	"path"
	"slices"
	"strings"

	"github.com/bagscope/bagscope/internal/msg"
)

// setFromFeatures returns one bag, or several if the file has a list of them or calls its arrays
// bag0, bag1 and so on: the features (k, ...)
// or (1, k, ...) of a file, the rectangles of coordinates (k, 2) or (k, 4), the instance labels (k)
// and the relations, if the file has them.
func setFromFeatures(n *namedArrays, o Options) (*Set, error) {
	if o.placesAlone {
		return setOfPlaces(n, o)
	}
	bags, err := n.bags(o.Array)
	if err != nil {
		return nil, err
	}
	if bags != nil {
		return setOfNumbered(n, bags, o)
	}
	chosen, err := n.features(o.Array)
	if err != nil {
		return nil, err
	}
	features, err := chosen.read()
	if err != nil {
		return nil, err
	}
	places, err := n.beside(chosen, placeNames)
	if err != nil {
		return nil, err
	}
	labels, err := n.beside(chosen, labelNames)
	if err != nil {
		return nil, err
	}
	// Coordinates tell k instances from a batch of one bag.
	if places != nil && len(features.Shape) > 2 && features.Shape[0] == 1 {
		features = features.withoutFirst()
	}
	stated := o
	var columns map[string]obsColumn
	obs := false
	if n.columns != nil {
		columns, obs = columnsBeside(n.columns, chosen.name)
		o.BagBy, o.Columns = "", ""
	}
	o.Array = "" // chosen
	read := oneBag
	list := n.lists[chosen.name]
	if list.bags != nil {
		read = func(file string, a *Array, o Options) (*Set, error) {
			return severalBags(file, a, list.bags, o)
		}
	}
	s, err := read(n.file, features, o)
	if err != nil {
		return nil, err
	}
	if list.note != "" {
		s.notes = append(s.notes, list.note)
	}
	if err := s.addPlaces(n, places); err != nil {
		return nil, err
	}
	if err := s.addLabels(n, labels); err != nil {
		return nil, err
	}
	relations, err := s.addRelations(n, chosen, o.Limits.withDefaults())
	if err != nil {
		return nil, err
	}
	covariates, err := s.addCovariates(n, o)
	if err != nil {
		return nil, err
	}
	named, err := s.addNames(n, chosen.name)
	if err != nil {
		return nil, err
	}
	used := append(append(relations, covariates...), chosen, places, labels)
	unused := slices.DeleteFunc(n.unused(used...), func(name string) bool {
		return slices.Contains(named, name)
	})
	if columns != nil {
		for _, name := range named { // each instance has its own
			delete(columns, strings.TrimPrefix(name, "obs/"))
		}
		if unused, err = s.byColumns(n, columns, obs, unused, stated); err != nil {
			return nil, err
		}
	}
	if len(unused) > 0 {
		s.notes = append(s.notes, ignoredNote(n.file, unused))
	}
	return s, nil
}

// bags returns the arrays of a file that are bags: those whose names a pattern with an asterisk
// fits, or numbered ones if nothing is stated; nil if one array is the features.
func (n *namedArrays) bags(array string) ([]*namedArray, error) {
	switch {
	case array == "":
		return n.numberedBags(), nil
	case strings.Contains(array, "*") && !slices.ContainsFunc(n.arrays,
		func(a namedArray) bool { return a.name == array }):
		return n.matching(array)
	}
	return nil, nil
}

// ignoredNote names the arrays of a file that are not part of a bag.
func ignoredNote(file string, names []string) string {
	return msg.Sprintf("%s: ignored arrays that are not part of the bag: %s", file,
		strings.Join(names, ", "))
}

func (s *Set) addPlaces(n *namedArrays, places *namedArray) error {
	if places == nil {
		s.notes = append(s.notes, noPlacesNote(n.file))
		return nil
	}
	array, err := places.read()
	if err != nil {
		return err
	}
	p, err := placesOf(n.file, array, s.array.Len())
	if err != nil {
		return err
	}
	return s.place(p, groundOf(n.attributesOf(places), path.Base(places.name)))
}

// setOfPlaces returns one bag of the places of a file, which are its features, too.
func setOfPlaces(n *namedArrays, o Options) (*Set, error) {
	found, wrong := n.find(placeNames)
	if wrong != nil {
		return nil, wrong
	}
	if found == nil {
		return nil, bad(n.file, "it has no coordinates, such as an array coords: it holds %s",
			n.list())
	}
	array, err := found.read()
	if err != nil {
		return nil, err
	}
	if len(array.Shape) == 3 && array.Shape[0] == 1 {
		array = array.withoutFirst()
	}
	o.Array = ""
	s, err := oneBag(n.file, array, o)
	if err != nil {
		return nil, err
	}
	return s, s.addPlaces(n, found)
}

// noPlacesNote says that a file has no coordinates.
func noPlacesNote(file string) string {
	return msg.Sprintf("%s has no coordinates: its instances have no places.", file)
}

// place sets the rectangles of patches and what is known of their slide.
func (s *Set) place(p *places, g ground) error {
	if err := s.keepPoints(p); err != nil {
		return err
	}
	l := p.lay(g, s.placing)
	boxes, err := p.boxes(l)
	if err != nil {
		return err
	}
	s.boxes, s.slide = boxes, &l.slide
	s.laid = &laidPlaces{places: p, layout: l, ground: g, stated: s.placing.unit.length > 0}
	s.notes = append(s.notes, p.notes...)
	return nil
}

func (s *Set) addLabels(n *namedArrays, labels *namedArray) error {
	if labels == nil {
		return nil
	}
	array, err := labels.read()
	if err != nil {
		return err
	}
	if product(array.Shape) != s.array.Len() {
		return bad(n.file, "%s has shape %s for %d instances", labels.name,
			shapeText(array.Shape), s.array.Len())
	}
	s.labels, err = array.Ints()
	return err
}

// unused returns the names of the arrays that are not among used.
func (n *namedArrays) unused(used ...*namedArray) []string {
	var names []string
	for i := range n.arrays {
		if !slices.Contains(used, &n.arrays[i]) && !slices.ContainsFunc(used,
			func(u *namedArray) bool { return u != nil && u.name == n.arrays[i].name }) {
			names = append(names, n.arrays[i].name)
		}
	}
	return names
}
