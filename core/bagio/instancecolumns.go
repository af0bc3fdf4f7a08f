package bagio

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/bagscope/bagscope/internal/msg"
)

// AnnData keeps columns of instances in obs beside X. Other files have lists at their root, some of
// which have names of ids of bags.

// obsBefore returns the group of AnnData that an array belongs to, with a slash at its end, "" for
// the root, and whether there is one.
func obsBefore(lists []pathList, array string) (group string, ok bool) {
	for at := path.Dir(array); ; at = path.Dir(at) {
		group := at + "/"
		if at == "." || at == "/" {
			group = ""
		}
		if slices.ContainsFunc(lists, func(l pathList) bool {
			return strings.HasPrefix(l.path, group+"obs/")
		}) {
			return group, true
		}
		if group == "" {
			return "", false
		}
	}
}

// columnsBeside returns the columns of the instances of an array, and whether they are those of
// obs.
func columnsBeside(lists []pathList, array string) (columns map[string]obsColumn, obs bool) {
	group, obs := obsBefore(lists, array)
	var near []pathList
	for _, l := range lists {
		if rest, ok := strings.CutPrefix(l.path, group); ok {
			near = append(near, pathList{rest, l.storedList})
		}
	}
	return obsColumns(near), obs
}

// findIDs returns the name of the column with the ids of the bags of k instances, by usual names,
// or "". In obs any column could be one, so that the caller must state it.
func findIDs(columns map[string]obsColumn, k int) string {
	names := slices.Sorted(maps.Keys(columns))
	for _, word := range slices.Concat(bagLists, bagColumns) {
		for _, name := range names {
			plain := plainName(name)
			if (plain == plainName(word) || plain == plainName(word)+"s") &&
				columns[name].values.len() == k {
				return name
			}
		}
	}
	return ""
}

// byNames makes bags of the instances of the only bag by a list with a usual name of ids, and sets
// the labels of another list: one for each instance, or one for each bag if ids ascend. It returns
// the names of the lists that it has used.
func (s *Set) byNames(
	file string, columns map[string]obsColumn, o Options,
) (used []string, err error) {
	l, k := o.Limits.withDefaults(), s.array.Len()
	name := findIDs(columns, k)
	if s.Len() != 1 || name == "" {
		return nil, nil
	}
	ids, err := columns[name].read(file, name, k, l)
	if err != nil || len(slices.Compact(slices.Sorted(slices.Values(ids.codes)))) < 2 {
		return nil, nil // not stated: a list of another meaning
	}
	by, used := map[role]*instanceColumn{roleBag: ids}, []string{name}
	labels := ""
	for _, word := range append(slices.Clone(labelLists), "y") {
		if c, ok := columns[word]; ok && labels == "" && c.values.len() > 1 {
			labels = word
		}
	}
	if labels == "" {
		return used, s.group(file, by, o)
	}
	c := columns[labels]
	column, err := c.read(file, labels, c.values.len(), l)
	if err != nil {
		return used, s.group(file, by, o)
	}
	column.signless()
	ofBags := len(column.codes) != k
	switch {
	case ofBags:
	case column.equalWithin(ids):
		by[roleLabel] = column
	default:
		by[roleInstance] = column
	}
	if err := s.group(file, by, o); err != nil {
		return nil, err
	}
	if ofBags && (len(column.codes) != s.Len() || !ids.ascends()) {
		return used, nil
	}
	if ofBags {
		legend, err := column.classify(file, column.codes, o)
		if err != nil {
			return nil, err
		}
		s.classes = column.codes
		s.notes = append(s.notes, msg.Sprintf("%s: labels are %s%s.", file, labels,
			msg.Text(legend)))
	}
	return append(used, labels), nil
}

// ascends reports whether first occurrences of codes are in order, as those of numpy.unique.
func (c *instanceColumn) ascends() bool {
	last, seen := 0, map[int]bool{}
	for i, code := range c.codes {
		if !seen[code] && i > 0 && code < last {
			return false
		}
		if !seen[code] {
			seen[code], last = true, code
		}
	}
	return true
}

// wordColumns returns the names of columns of words, without the names of instances.
func wordColumns(columns map[string]obsColumn) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(columns)), func(name string) bool {
		c := columns[name]
		return isIndex(strings.TrimPrefix(name, "_")) || c.categories == nil && !c.values.isText()
	})
}

// obsNote says that columns of obs can make bags, if none is stated.
func obsNote(file string, words []string) string {
	return msg.Sprintf("%s: all instances are one bag; bag-by makes bags of the values of a "+
		"column of obs (%s)", file, msg.List(words))
}
