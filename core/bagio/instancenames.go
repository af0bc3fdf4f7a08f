package bagio

import (
	"slices"
	"strconv"
	"strings"
)

// instanceNameColumns are names of columns of names of instances; the first one that a table has
// counts.
var instanceNameColumns = []string{"instance name", "instance", "instance id", "patch name",
	"patch", "patch id", "tile name", "tile", "tile id", "cell id", "barcode", "filename",
	"file name"}

// findInstanceNames finds the column of the names of instances.
func (c *columns) findInstanceNames() {
	c.name = c.only(roleInstanceName)
	for _, name := range instanceNameColumns {
		at := slices.IndexFunc(c.names, func(s string) bool { return plainName(s) == name })
		if at >= 0 && c.name < 0 && c.roles[at] == roleNone {
			c.name = at
			c.give(roleInstanceName, at)
		}
	}
	c.said = c.said || c.name >= 0
}

// takeNames sets the names of instances and features of a table. A column of names that say nothing
// is ignored.
func (t *table) takeNames(s *Set) {
	if t.name >= 0 {
		if s.instanceNames = telling(t.instanceNames); s.instanceNames == nil {
			t.skipped = append(t.skipped, t.name)
			t.name = -1
		}
	}
	var features []string
	for _, at := range t.features {
		features = append(features, t.names[at])
	}
	if len(features) == product(s.shape) { // else a column holds a list of features
		s.featureNames = telling(features)
	}
}

// telling returns names, or nil if they say nothing: if all are empty or numbers, or one word with
// numbers that count from 0 or 1, or if one is too long to be drawn.
func telling(names []string) []string {
	says := false
	for _, name := range names {
		if len(name) > maxID {
			return nil
		}
		_, err := strconv.ParseFloat(name, 64)
		says = says || err != nil && !isMissing(name)
	}
	if !says || countUp(names, 0) || countUp(names, 1) {
		return nil
	}
	return names
}

// countUp reports whether names are one word with numbers that count from a first one.
func countUp(names []string, first int) bool {
	word := strings.TrimRight(names[0], "0123456789")
	for i, name := range names {
		digits, ok := strings.CutPrefix(name, word)
		if n, err := strconv.Atoi(digits); !ok || err != nil || n != first+i {
			return false
		}
	}
	return true
}

// Names of lists of names, those of AnnData's tables last.
const (
	instanceNameList = "instance_names"
	featureNameList  = "feature_names"
)

// addNames sets the names of instances and of features that a file has lists of: instance_names
// and feature_names, or the index of AnnData's obs and of its var. It returns the lists.
func (s *Set) addNames(n *namedArrays, features string) (used []string, err error) {
	group, obs := obsBefore(n.columns, features)
	find := func(list, table string, count int) ([]string, error) {
		name := group + list
		if obs {
			index, _ := n.groups[group+table]["_index"].(string)
			name = group + table + "/" + index
		}
		at := slices.IndexFunc(n.columns, func(l pathList) bool { return l.path == name })
		if at < 0 || !n.columns[at].isText() || n.columns[at].len() != count {
			return nil, nil
		}
		used = append(used, strings.TrimPrefix(name, group))
		texts, err := n.columns[at].texts()
		return telling(texts), err
	}
	if s.instanceNames, err = find(instanceNameList, "obs", s.array.Len()); err != nil {
		return nil, err
	}
	s.featureNames, err = find(featureNameList, "var", product(s.shape))
	return used, err
}

// instanceNames and featureNames set the names that an archive of bags has as members.
func (a *archive) instanceNames(s *Set) (err error) {
	s.instanceNames, err = a.words(instanceNameList, s.array.Len())
	return err
}

func (a *archive) featureNames(s *Set) (err error) {
	s.featureNames, err = a.words(featureNameList, product(s.shape))
	return err
}

// words returns a member of n texts, or nil if there is none.
func (a *archive) words(name string, n int) ([]string, error) {
	array, err := a.shaped(name, []int{n})
	if array == nil || err != nil {
		return nil, err
	}
	if err := a.limits.reserve(array.file, int64(len(array.data))); err != nil {
		return nil, err
	}
	return array.words()
}
