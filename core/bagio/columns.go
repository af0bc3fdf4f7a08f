package bagio

import (
	"slices"
	"strconv"
	"strings"

	"github.com/bagscope/bagscope/internal/msg"
)

// columns holds the meaning of each column of a table.
type columns struct {
	names    []string
	roles    []role // the role of each column
	id       int    // column of the bag's id, or -1 if all rows are one bag
	title    int    // column of the bag's name, or -1 if it is the id
	features []int  // the columns of feature 0, 1, ...
	class    int    // column of the bag's class, or -1
	instance int    // column of the instance's label, or -1
	name     int    // column of the instance's name, or -1
	corners  []int  // columns x0 y0 x1 y1, or nil
	places   []int  // columns x y of the places of patches, or nil
	extent   []int  // columns width and height of patches, or nil
	facts    []int  // columns beside places that state one thing of all patches
	skipped  []int
	// columns of numbers of each bag that inputs of these names take
	covariates     []int
	covariateNames []string

	typed  map[int]role // roles by the types of columns, for those without a stated one
	listed bool         // the features are a list in each row, so that other numbers are none
	texts  map[int]bool // columns of texts by their type, even if these could be numbers

	guessed bool           // the bag's id is the first column, whatever its name
	unnamed bool           // the first column may be the bag's id, and has no name of its own
	stated  bool           // the caller or the model card states roles
	unused  []string       // notes on what the model card states otherwise
	ofBags  []int          // features that have one number for all rows of a bag
	legends map[int]string // the class of each word, by column of labels
	// the roles are not only those that a header of bag, label and features has
	said  bool
	alone bool // places alone are read, see ReadPlaces
}

// newColumns returns the columns of a header without roles.
func newColumns(header []string) *columns {
	c := &columns{id: -1, title: -1, class: -1, instance: -1, name: -1,
		roles: make([]role, len(header)), legends: map[int]string{}}
	for _, name := range header {
		c.names = append(c.names, columnName(name))
	}
	return c
}

// nameRoles gives roles to columns by the caller's options and by their names. first is the first
// row of data: a column called class is the bag's class only if it holds an integer in that row,
// because some tables hold the class as text. The error is a *FormatError for a table without a
// header, and for options that do not fit.
func (c *columns) nameRoles(file string, first []string, d dialect, o Options) error {
	if err := c.state(file, o); err != nil {
		return err
	}
	c.giveTyped()
	if c.texts == nil && c.isData(d, first) && !c.stated {
		return &FormatError{File: file, Row: 1, Column: 1, Reason: "the first row holds numbers " +
			"instead of column names; begin the file with a row such as bag,label,f1,f2" +
			c.asMatrix(d)}
	}
	c.findCorners()
	c.findPlaces()
	c.findBag()
	c.findCovariates(o.Covariates)
	c.findLabels(first)
	c.findInstanceNames()
	for at, name := range c.names {
		switch {
		case c.roles[at] != roleNone:
		case numbered(name):
			c.roles[at] = roleFeature
		case isSkipped(name):
			c.roles[at] = roleSkip
			c.said = c.said || !slices.Contains(skippedColumns, plainName(name))
			c.unnamed = c.unnamed || at == 0 && c.id < 0 && isIndex(name)
		}
	}
	return nil
}

// giveTyped gives roles to columns by their types. Places that are stated count before those that a
// list holds.
func (c *columns) giveTyped() {
	stated := c.only(roleX) >= 0
	for at, r := range c.typed {
		if stated && (r == roleX || r == roleY) {
			r = roleSkip
		}
		c.give(r, at)
	}
}

// give gives a role to columns that have none.
func (c *columns) give(r role, list ...int) {
	for _, at := range list {
		if c.roles[at] == roleNone {
			c.roles[at] = r
		}
	}
}

// free returns the column with a name that has no role yet, or -1.
func (c *columns) free(name string) int {
	for at, s := range c.names {
		if c.roles[at] == roleNone && strings.EqualFold(s, name) {
			return at
		}
	}
	return -1
}

// findCorners finds the columns of boxes.
func (c *columns) findCorners() {
	for _, list := range [][]string{cornerColumns, edgeColumns} {
		if at := membersNamed(c.names, list); at != nil && c.only(roleX) < 0 &&
			!slices.ContainsFunc(at, func(i int) bool { return c.roles[i] != roleNone }) {
			c.corners = at
			c.give(roleCorner, at...)
			c.said = c.said || list[0] != cornerColumns[0]
			return
		}
	}
}

// findPlaces finds the columns of places. In a table without other columns of numbers, x and y are
// features.
func (c *columns) findPlaces() {
	if x := c.only(roleX); x >= 0 {
		c.places = []int{x, c.only(roleY)}
		if w := c.only(roleWidth); w >= 0 {
			c.extent = []int{w, c.only(roleHeight)}
		}
	} else if c.find(cornerColumns[0]) < 0 && c.corners == nil {
		x, y := c.placesAmong(placeColumns)
		if x < 0 || y < 0 {
			x, y = c.placesAmong(middleColumns)
		}
		if x >= 0 && y >= 0 && (c.alone || c.hasOthers(x, y)) && c.roles[x]+c.roles[y] == roleNone {
			c.places = []int{x, y}
			c.give(roleX, x)
			c.give(roleY, y)
			// WSInfer's columns; in other tables these can be features of a cell.
			w, h := c.free("width"), c.free("height")
			if (c.alone || c.find("minx") == x) && w >= 0 && h >= 0 {
				c.extent = []int{w, h}
				c.give(roleWidth, w)
				c.give(roleHeight, h)
			}
		}
	}
	if c.places == nil {
		return
	}
	for at, name := range c.names {
		if c.roles[at] == roleNone && slices.Contains(factColumns, strings.ToLower(name)) {
			c.facts = append(c.facts, at)
			c.give(roleFact, at)
		}
	}
}

// hasOthers reports whether a column beside those of places, labels and the bag's id can be a
// feature.
func (c *columns) hasOthers(x, y int) bool {
	others, first := 0, -1
	for at, name := range c.names {
		lower := strings.ToLower(name)
		known := at == x || at == y || slices.Contains(factColumns, lower)
		if !known && first < 0 {
			first = at
		}
		if !known && !slices.Contains(classColumns, lower) &&
			!slices.Contains(instanceColumns, lower) {
			others++
		}
	}
	if first == 0 && !numbered(c.names[0]) {
		others--
	}
	return others > 0
}

// placesAmong returns the columns whose names, without a unit, are among those of x and y, or -1.
// Both have the same unit.
func (c *columns) placesAmong(names [2][]string) (x, y int) {
	var units [2]unit
	var at [2]int
	for axis := range at {
		at[axis] = slices.IndexFunc(c.names, func(name string) bool {
			u, rest, _ := unitOfName(name)
			units[axis] = u
			return slices.Contains(names[axis], plainName(rest))
		})
	}
	if units[0] != units[1] {
		return -1, -1
	}
	return at[0], at[1]
}

// findBag finds the column of the bag's id: the one that is stated, the first column if its name is
// that of an id, another column with such a name, or the first column if its name says nothing.
func (c *columns) findBag() {
	if c.id = c.only(roleBag); c.id >= 0 {
		c.said = true
		return
	}
	can := func(at int) bool { return c.roles[at] == roleNone }
	if can(0) && slices.Contains(bagColumns, plainName(c.names[0])) {
		c.id = 0
	}
	for _, name := range bagColumns {
		if c.id < 0 {
			c.id = slices.IndexFunc(c.names, func(s string) bool { return plainName(s) == name })
			if c.id >= 0 && !can(c.id) {
				c.id = -1
			}
		}
	}
	if c.id < 0 && can(0) && !numbered(c.names[0]) && !isIndex(c.names[0]) &&
		!slices.Contains(classColumns, strings.ToLower(c.names[0])) {
		c.id, c.guessed = 0, true
	}
	// Tables that begin with places have no ids.
	c.said = c.said || c.id > 0 || c.id < 0 && !slices.Contains(c.places, 0)
	if c.id >= 0 {
		c.roles[c.id] = roleBag
	}
}

// findLabels finds the columns of the bag's class and of the labels of instances.
func (c *columns) findLabels(first []string) {
	c.class, c.instance = c.only(roleLabel), c.only(roleInstance)
	c.title = c.only(roleName)
	for _, name := range classColumns {
		at := c.free(name)
		if at >= 0 && c.class < 0 && (name != "class" || integerAt(first, at)) {
			c.class = at
			c.give(roleLabel, at)
		}
	}
	for _, name := range instanceColumns {
		if at := c.free(name); at >= 0 && c.instance < 0 {
			c.instance = at
			c.give(roleInstance, at)
		}
	}
}

// isData reports whether the first row is data: all names after the first are numbers, but not 0,
// 1, 2, ... or 1, 2, 3, ..., which data frames write as names of unnamed columns. Without this
// check the first instance would silently become the header. If the first is a number, too, three
// or more names that count from 0 are a header if the next row does not only hold whole numbers.
func (c *columns) isData(d dialect, row []string) bool {
	if len(c.names) < 2 {
		return false
	}
	counted, fromZero := true, c.names[0] == "0"
	for i, name := range c.names[1:] {
		if _, err := d.parse(name, 64); err != nil {
			return false
		}
		counted = counted && (name == strconv.Itoa(i) || name == strconv.Itoa(i+1))
		fromZero = fromZero && name == strconv.Itoa(i+1)
	}
	if fromZero && len(c.names) > 2 {
		return !slices.ContainsFunc(row, func(cell string) bool {
			return strings.ContainsAny(cell, ".,")
		})
	}
	_, err := d.parse(c.names[0], 64)
	return !counted || err == nil
}

// asMatrix returns how to write a table of numbers alone, without names, as one bag.
func (c *columns) asMatrix(d dialect) string {
	for _, name := range c.names {
		if _, err := strconv.ParseFloat(name, 64); err != nil {
			return ""
		}
	}
	return msg.Sprintf(", or write its numbers as one bag by numpy: python3 -c \"import numpy; "+
		"numpy.save('bag.npy', numpy.loadtxt('FILE', delimiter=%s, ndmin=2))\"",
		msg.Text(delimiters[d.comma]))
}

// find returns the index of a column by its name, compared without case, or -1.
func (c *columns) find(name string) int {
	return slices.IndexFunc(c.names, func(s string) bool { return strings.EqualFold(s, name) })
}

// undecided returns the columns whose names say nothing, and the bag's id if its name does not.
// They need a look at the rows.
func (c *columns) undecided() []int {
	list := c.having(roleNone)
	if c.guessed {
		list = append(list, c.id)
	} else if c.unnamed {
		list = append(list, 0)
	}
	return list
}

// decide gives roles to undecided columns by their rows: text and empty columns are skipped, and
// numbers are features. The error is a *QuestionError if they can be something else.
func (c *columns) decide(file string, p *profile, o Options) error {
	if err := c.askBag(file, p, o); err != nil {
		return err
	}
	var rising []int
	for _, at := range c.having(roleNone) {
		switch kind := p.kind(at); {
		case kind == kindText, kind == kindMissing, c.listed:
			c.roles[at], c.said = roleSkip, true
		default:
			c.roles[at] = roleFeature
			if p.countsRows(at) {
				rising = append(rising, at)
			}
		}
	}
	if err := c.askRising(file, rising, o); err != nil {
		return err
	}
	c.findOfBags(p)
	if c.places == nil && c.corners == nil {
		return c.askPlaces(file, p, o)
	}
	return nil
}

// keepPlaces makes the places of a table its features, too, and ignores all else but the bag's id
// if its column has a name of one.
func (c *columns) keepPlaces(file string) error {
	c.features = slices.Concat(c.places, c.corners)
	if len(c.features) == 0 {
		return &FormatError{File: file, Row: 1, Reason: "the header has no columns of places, " +
			"such as x and y"}
	}
	if c.guessed {
		c.id = -1
	}
	c.class, c.instance, c.name, c.covariates, c.covariateNames = -1, -1, -1, nil, nil
	return nil
}

// finish makes the lists of columns. The error is a *FormatError for a table without features.
func (c *columns) finish(file string) error {
	c.features, c.skipped = c.having(roleFeature), c.having(roleSkip)
	if len(c.features) == 0 {
		return &FormatError{File: file, Row: 1,
			Reason: "the header has no feature column; put the bag's id first, then an optional " +
				"label, then one column for each feature"}
	}
	return nil
}

// notes returns sentences that list ignored columns, and what the others were taken for if the
// header is not one of bag, label and features.
func (c *columns) notes(file string, d dialect) (notes []string) {
	notes = c.unused
	if len(c.skipped) > 0 {
		var names []string
		for _, at := range c.skipped {
			if name := c.names[at]; name != "" {
				names = append(names, name)
			} else {
				names = append(names, c.label(at))
			}
		}
		notes = append(notes, msg.Sprintf("%s: ignored columns that are not features: %s", file,
			msg.List(names)))
	}
	if list := c.ofBags[:min(len(c.ofBags), mostAsked)]; len(list) > 0 && !c.stated {
		notes = append(notes, msg.Sprintf("%s: all rows of a bag have the same number in %s: it "+
			"is read as a feature; columns %s ignores it", file, msg.List(c.labels(list)),
			c.assignment(roleSkip, list...)))
	}
	if !c.said && d.decimal != ',' {
		return notes
	}
	bag := "all rows are one bag"
	if c.id >= 0 {
		bag = msg.Sprintf("bags are the values of %s", c.label(c.id))
	}
	parts := []string{bag}
	if c.places != nil {
		parts = append(parts, msg.Sprintf("places are %s and %s", c.label(c.places[0]),
			c.label(c.places[1])))
	} else if c.corners != nil {
		parts = append(parts, msg.Sprintf("boxes are %s", msg.List(c.labels(c.corners))))
	}
	if c.class >= 0 {
		parts = append(parts, msg.Sprintf("labels are %s%s", c.label(c.class),
			msg.Text(c.legends[c.class])))
	}
	if legend := c.legends[c.instance]; legend != "" {
		parts = append(parts, msg.Sprintf("labels of instances are %s%s", c.label(c.instance),
			msg.Text(legend)))
	}
	if c.name >= 0 {
		parts = append(parts, msg.Sprintf("names of instances are %s", c.label(c.name)))
	}
	features := msg.Sprintf("%d columns from %s to %s are features", len(c.features),
		c.label(c.features[0]), c.label(c.features[len(c.features)-1]))
	if len(c.features) == 1 {
		features = msg.Sprintf("%s is the only feature", c.label(c.features[0]))
	}
	parts = append(parts, features)
	if d.decimal == ',' {
		parts = append(parts, "numbers have decimal commas")
	}
	return append(notes, msg.Sprintf("%s: %s (columns states others).", file,
		msg.Text(strings.Join(parts, ", "))))
}

// integerAt reports whether a row holds an integer in a column.
func integerAt(row []string, at int) bool {
	if at >= len(row) {
		return false
	}
	_, err := strconv.Atoi(strings.TrimSpace(row[at]))
	return err == nil
}
