package bagio

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/bagscope/bagscope/internal/msg"
)

// An obsColumn is a column of what AnnData calls obs, the table of instances: a dataset of numbers
// or texts, or categories with the code of each instance.
type obsColumn struct{ values, categories storedList }

// A pathList is a list in a file, by its path without a first slash.
type pathList struct {
	path string
	storedList
}

// obsColumns returns the columns of the table of instances of a file by their names: those of
// AnnData's obs, and lists at the root of other files.
func obsColumns(lists []pathList) map[string]obsColumn {
	out := map[string]obsColumn{}
	add := func(name string, values, categories storedList) {
		c := out[name]
		if values != nil {
			c.values = values
		}
		if categories != nil {
			c.categories = categories
		}
		out[name] = c
	}
	for _, d := range lists {
		switch parts := strings.Split(d.path, "/"); {
		case len(parts) == 1:
			add(parts[0], d, nil)
		case parts[0] != "obs":
		case len(parts) == 2:
			add(parts[1], d, nil)
		case parts[1] == "__categories": // AnnData before 0.8
			add(parts[2], nil, d)
		case len(parts) == 3 && parts[2] == "codes":
			add(parts[1], d, nil)
		case len(parts) == 3 && parts[2] == "categories":
			add(parts[1], nil, d)
		}
	}
	maps.DeleteFunc(out, func(_ string, c obsColumn) bool { return c.values == nil })
	return out
}

// An instanceColumn is a column of k entries: numbers of texts in a list without duplicates.
type instanceColumn struct {
	name  string
	codes []int
	texts []string // nil if codes are whole numbers of the file
}

// text returns entry i in words.
func (c *instanceColumn) text(i int) string {
	if c.texts == nil {
		return strconv.Itoa(c.codes[i])
	}
	return c.texts[c.codes[i]]
}

// read reads a column of k entries. Errors are a *FormatError for another length, for numbers that
// are not whole, and for instances without a category.
func (c obsColumn) read(file, name string, k int, l Limits) (*instanceColumn, error) {
	if n := c.values.len(); n != k {
		return nil, bad(file, "its column %s has %d entries for %d instances", name, n, k)
	}
	if err := l.reserve(file, 24*int64(k)); err != nil {
		return nil, err
	}
	out := &instanceColumn{name: name}
	if c.values.isText() {
		texts, err := c.values.texts()
		if err != nil {
			return nil, err
		}
		out.texts = slices.Compact(slices.Sorted(slices.Values(texts)))
		for _, text := range texts {
			code, _ := slices.BinarySearch(out.texts, text)
			out.codes = append(out.codes, code)
		}
		return out, nil
	}
	numbers, err := c.values.numbers()
	if err != nil {
		return nil, err
	}
	if c.categories != nil {
		if out.texts, err = categoryTexts(file, c.categories, l); err != nil {
			return nil, err
		}
	}
	missing := 0
	for i, v := range numbers {
		code := int(v)
		switch {
		case float64(code) != v || v > mostExact || v < -mostExact:
			return nil, bad(file, "its column %s holds %v for instance %d, and ids and labels are "+
				"whole numbers or texts", name, v, i)
		case out.texts != nil && code == -1:
			missing++
		case out.texts != nil && (code < 0 || code >= len(out.texts)):
			return nil, bad(file, "its column %s states category %d of %d", name, code,
				len(out.texts))
		}
		out.codes = append(out.codes, code)
	}
	if missing > 0 {
		return nil, bad(file, "its column %s has no category for %d of %d instances; write the "+
			"file without them, such as adata[adata.obs[%q].notna()]", name, missing, k, name)
	}
	return out, nil
}

// categoryTexts returns categories in words.
func categoryTexts(file string, d storedList, l Limits) ([]string, error) {
	if d.isText() {
		return d.texts()
	}
	numbers, err := d.numbers()
	if err != nil {
		return nil, err
	}
	if err := l.reserve(file, 24*int64(d.len())); err != nil {
		return nil, err
	}
	texts := make([]string, len(numbers))
	for i, v := range numbers {
		texts[i] = strconv.FormatFloat(v, 'g', -1, 64)
	}
	return texts, nil
}

// obsRoles are the roles that columns of an HDF5 file can have.
var obsRoles = []role{roleBag, roleName, roleLabel, roleInstance}

// listName returns the name of the column of obs that a rule is about.
func (r columnRule) listName() string { return strings.TrimPrefix(r.Name, "obs/") }

// byColumns makes bags of the instances of the only bag by the columns that the caller or the model
// card states, or that usual names do, and sets their names and labels. It returns the unused
// arrays that are left.
func (s *Set) byColumns(
	n *namedArrays, columns map[string]obsColumn, obs bool, unused []string, o Options,
) ([]string, error) {
	rules, err := o.columnRules()
	if err != nil {
		return nil, err
	}
	rules = rules.fitting(obsRoles, func(r columnRule) bool {
		_, ok := columns[r.listName()]
		return ok && s.Len() == 1
	})
	if len(columns) > 0 {
		s.notes = append(s.notes, rules.notes(n.file)...)
	}
	var used []string
	words := wordColumns(columns)
	switch {
	case len(rules.list) > 0:
		used, err = s.byRules(n.file, columns, rules.list, o)
	case !obs:
		used, err = s.byNames(n.file, columns, o)
	case s.Len() == 1 && len(words) > 0:
		s.notes = append(s.notes, obsNote(n.file, words))
	}
	return slices.DeleteFunc(unused, func(name string) bool {
		return slices.Contains(used, name) || obs && len(words) > 0 && ofTables(name)
	}), err
}

// ofTables reports whether an array is in one of AnnData's tables of instances and of features,
// whose columns have a sentence of their own.
func ofTables(name string) bool {
	parts := strings.Split(name, "/")
	return slices.Contains(parts, "obs") || slices.Contains(parts, "var")
}

// byRules makes bags by the columns that rules state, and returns the names of these.
func (s *Set) byRules(
	file string, columns map[string]obsColumn, rules []columnRule, o Options,
) (used []string, err error) {
	if s.Len() != 1 {
		return nil, bad(file, "it holds %d bags by itself, so that no column can make bags; omit "+
			"bag-by and columns", s.Len())
	}
	found := map[role]*instanceColumn{}
	for _, r := range rules {
		if !slices.Contains(obsRoles, r.Role) {
			return nil, bad(file, "a column of its obs is one of bag, name, label and "+
				"instance_label, not %s; array names the features", string(r.Role))
		}
		if found[r.Role] != nil {
			continue // the first one counts
		}
		name := r.listName()
		c, ok := columns[name]
		if !ok {
			return nil, bad(file, "it has no column %q in obs; it has %s", name,
				msg.List(orNone(slices.Sorted(maps.Keys(columns)))))
		}
		if found[r.Role], err = c.read(file, name, s.array.Len(),
			o.Limits.withDefaults()); err != nil {
			return nil, err
		}
		used = append(used, name)
	}
	return used, s.group(file, found, o)
}

// orNone returns a list, or the word for an empty one.
func orNone(list []string) []string {
	if len(list) == 0 {
		return []string{"none"}
	}
	return list
}

// group makes the instances of each value of a column adjacent, each value a bag, in the order of
// their first instances.
func (s *Set) group(file string, by map[role]*instanceColumn, o Options) error {
	l := o.Limits.withDefaults()
	k := s.array.Len()
	var parts []string
	bagOf, names := make([]int, k), s.names
	if c := by[roleBag]; c != nil {
		known := map[int]int{}
		names = nil
		for i, code := range c.codes {
			b, ok := known[code]
			if !ok {
				b = len(names)
				id := c.text(i)
				if len(id) > maxID {
					return bad(file, "an id of a bag in %s has %d bytes, but at most %d are "+
						"allowed; use shorter ids", c.name, len(id), maxID)
				}
				known[code] = b
				names = append(names, id)
			}
			bagOf[i] = b
		}
		if err := l.bags(file, int64(len(names))); err != nil {
			return err
		}
		parts = append(parts, msg.Sprintf("bags are the values of %s", c.name))
	}
	if c := by[roleName]; c != nil {
		named := make([]string, len(names))
		for i := k - 1; i >= 0; i-- {
			named[bagOf[i]] = c.text(i)
		}
		names = named
		parts = append(parts, msg.Sprintf("their names are %s", c.name))
	}
	if c := by[roleLabel]; c != nil {
		classes, set := make([]int, len(names)), make([]bool, len(names))
		for i, b := range bagOf {
			if set[b] && classes[b] != c.codes[i] {
				return bad(file, "bag %s has %s %s and %s; a label is the same in all of a bag, "+
					"and instance_label is that of each instance", names[b], c.name,
					c.word(classes[b]), c.text(i))
			}
			classes[b], set[b] = c.codes[i], true
		}
		legend, err := c.classify(file, classes, o)
		if err != nil {
			return err
		}
		s.classes = classes
		parts = append(parts, msg.Sprintf("labels are %s%s", c.name, msg.Text(legend)))
	}
	if c := by[roleInstance]; c != nil {
		if err := l.reserve(file, 8*int64(k)); err != nil {
			return err
		}
		labels := slices.Clone(c.codes) // the column may be that of bags, too
		legend, err := c.classify(file, labels, o)
		if err != nil {
			return err
		}
		s.labels = labels
		parts = append(parts, msg.Sprintf("labels of instances are %s%s", c.name,
			msg.Text(legend)))
	}
	s.names = names
	s.notes = append([]string{msg.Sprintf("%s: %s.", file, msg.Text(strings.Join(parts, ", ")))},
		s.notes...)
	if s.covariates != nil { // those of the file hold for all of its bags
		s.covariates = slices.Repeat(s.covariates, len(names))
	}
	need := int64(len(s.array.data)) + 64*int64(k)
	if s.relations != nil {
		need += 4 * int64(len(s.relations.Dense)+3*len(s.relations.Edges))
	}
	if err := l.reserve(file, need); err != nil {
		return err
	}
	s.regroup(bagOf)
	return nil
}

// word returns what a code stands for.
func (c *instanceColumn) word(code int) string {
	if c.texts == nil {
		return strconv.Itoa(code)
	}
	return c.texts[code]
}

// classify replaces labels, which are codes of the column, by classes, and returns the legend of
// words.
func (c *instanceColumn) classify(file string, labels []int, o Options) (string, error) {
	if c.texts == nil {
		return "", nil
	}
	classes, legend, err := classesOf(file, c.name, c.texts, o)
	if err != nil {
		return "", err
	}
	for i, code := range labels {
		labels[i] = classes[code]
	}
	return legend, nil
}

// regroup sorts the instances by their bags, which keep their order within each: a counting sort,
// linear in the instances. It copies them and their relations.
func (s *Set) regroup(bagOf []int) {
	k, stride := len(bagOf), product(s.shape)*s.array.dtype.size
	offsets := make([]int, len(s.names)+1)
	for _, b := range bagOf {
		offsets[b+1]++
	}
	for b := range s.names {
		offsets[b+1] += offsets[b]
	}
	next, to, from := slices.Clone(offsets), make([]int, k), make([]int, k)
	data := make([]byte, len(s.array.data))
	for i, b := range bagOf {
		to[i], from[next[b]] = next[b], i
		copy(data[next[b]*stride:], s.array.data[i*stride:][:stride])
		next[b]++
	}
	s.array = &Array{Shape: s.array.Shape, dtype: s.array.dtype, data: data, file: s.array.file,
		start: -1}
	s.offsets = offsets
	s.labels, s.boxes = reordered(s.labels, to), reordered(s.boxes, to)
	s.points, s.instanceNames = reordered(s.points, to), reordered(s.instanceNames, to)
	s.relations = s.relations.Select(k, from)
}

// reordered returns a list with entry i moved to to[i], or nil for an empty list.
func reordered[T any](list []T, to []int) []T {
	if len(list) == 0 {
		return nil
	}
	out := make([]T, len(list))
	for i, v := range list {
		out[to[i]] = v
	}
	return out
}
