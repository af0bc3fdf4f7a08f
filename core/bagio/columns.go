package bagio

import (
	"slices"
	"strconv"
	"strings"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/msg"
)

// columns holds the meaning of each column of a table, from its header.
type columns struct {
	names    []string
	id       int   // column of the bag's id, or -1 if all rows are one bag
	features []int // the columns of feature 0, 1, ...
	class    int   // column of the bag's class, or -1
	instance int   // column of the instance's label, or -1
	corners  []int // columns x0 y0 x1 y1, or nil
	places   []int // columns x y of the places of patches, or nil
	extent   []int // columns width and height of patches, or nil
	facts    []int // columns beside places that state one thing of all patches
	skipped  []int
	// columns of numbers of each bag that inputs of these names take
	covariates     []int
	covariateNames []string
}

// Names of columns that are not features, compared without case. The first column is the bag's id,
// unless the table has columns of places and begins with one of them or with a feature.
var (
	// the first one present counts
	classColumns    = []string{"label", "bag_label", "class_id", "class"}
	instanceColumns = []string{"instance_label", "instance_labels"}
	cornerColumns   = []string{"x0", "y0", "x1", "y1"} // boxes if all four are present
	placeColumns    = [2][]string{
		{"x", "coord_x", "x_coord", "coords_x", "pos_x", "x_pos", "left", "minx", "xmin"},
		{"y", "coord_y", "y_coord", "coords_y", "pos_y", "y_pos", "top", "miny", "ymin"}}
	middleColumns = [2][]string{
		{"loc_x", "center_x", "centre_x", "x_center", "x_centre", "centroid_x", "centroid x"},
		{"loc_y", "center_y", "centre_y", "y_center", "y_centre", "centroid_y", "centroid y"}}
	sizeColumns = []string{"patch_size", "size", "patch_size_level0", "tile_size", "tile_size_um",
		"tile_size_px"}
	factColumns = append([]string{"unit", "downsample", "overlap", "mpp", "slide_mpp",
		"level0_mpp"}, sizeColumns...)
	skippedColumns = []string{"class", "class_id", "class_name", "flag", "instance", "instance_id"}
)

// readHeader assigns a meaning to each column. It returns a *FormatError for a table without a
// header, without the bag's id or without features. first is the first row of data. A column called
// class is the bag's class only if it holds an integer in that row, because some tables hold the
// class as text. inputs take covariates.
func readHeader(
	file string, header, first []string, inputs []core.CovariateInput,
) (*columns, error) {
	c := &columns{class: -1, instance: -1}
	for _, name := range header {
		c.names = append(c.names, strings.TrimSpace(name))
	}
	c.findPlaces()
	c.findCovariates(inputs)
	if err := c.checkFirst(file); err != nil {
		return nil, err
	}
	for _, name := range classColumns {
		at := c.find(name)
		if at > c.id && c.class < 0 && (name != "class" || integerAt(first, at)) {
			c.class = at
		}
	}
	for _, name := range instanceColumns {
		if at := c.find(name); at > c.id && c.instance < 0 {
			c.instance = at
		}
	}
	for _, name := range cornerColumns {
		c.corners = append(c.corners, c.find(name))
	}
	if slices.Contains(c.corners, -1) {
		c.corners = nil // some of the four are missing, so the others are features
	}
	for at := c.id + 1; at < len(c.names); at++ {
		switch {
		case at == c.class || at == c.instance || slices.Contains(c.corners, at) ||
			slices.Contains(c.places, at) || slices.Contains(c.extent, at) ||
			slices.Contains(c.facts, at) || slices.Contains(c.covariates, at):
		case slices.Contains(skippedColumns, strings.ToLower(c.names[at])):
			c.skipped = append(c.skipped, at)
		default:
			c.features = append(c.features, at)
		}
	}
	if len(c.features) == 0 {
		return nil, &FormatError{File: file, Row: 1,
			Reason: "the header has no feature column; put the bag's id first, then an optional " +
				"label, then one column for each feature"}
	}
	return c, nil
}

// numbered reports whether a name is that of a numbered feature, such as f1. If the first column
// has such a name, it is a feature and the bag's id is missing.
func numbered(name string) bool {
	word := strings.ToLower(strings.TrimRight(name, "0123456789"))
	word = strings.TrimRight(word, " _.-")
	return len(word) < len(name) && slices.Contains([]string{"", "f", "x", "v", "feat", "feature",
		"dim", "col", "var"}, word)
}

// findPlaces finds the columns of places, and whether the first column is then the bag's id. In a
// table without other columns of numbers, x and y are features.
func (c *columns) findPlaces() {
	x, y := c.placesAmong(placeColumns)
	if x < 0 || y < 0 {
		x, y = c.placesAmong(middleColumns)
	}
	if x < 0 || y < 0 || c.find(cornerColumns[0]) >= 0 {
		return
	}
	var facts []int
	for at, name := range c.names {
		if slices.Contains(factColumns, strings.ToLower(name)) {
			facts = append(facts, at)
		}
	}
	first, others := -1, 0
	for at, name := range c.names {
		known := at == x || at == y || slices.Contains(facts, at)
		if !known && first < 0 {
			first = at
		}
		if !known && !slices.Contains(classColumns, strings.ToLower(name)) &&
			!slices.Contains(instanceColumns, strings.ToLower(name)) {
			others++
		}
	}
	id := -1
	if first == 0 && !numbered(c.names[0]) {
		id = 0
		others--
	}
	if others > 0 {
		c.places, c.facts, c.id = []int{x, y}, facts, id
		// WSInfer's columns; in other tables these can be features of a cell.
		if w, h := c.find("width"), c.find("height"); c.find("minx") == x && w >= 0 && h >= 0 {
			c.extent = []int{w, h}
		}
	}
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
			return slices.Contains(names[axis], rest)
		})
	}
	if units[0] != units[1] {
		return -1, -1
	}
	return at[0], at[1]
}

// checkFirst returns an error if the first row is not a header or its first column is not the bag's
// id.
func (c *columns) checkFirst(file string) error {
	e := &FormatError{File: file, Row: 1, Column: 1}
	switch {
	case c.isData():
		e.Reason = "the first row holds numbers instead of column names; begin the file with a " +
			"row such as bag,label,f1,f2"
	case c.id < 0:
		return nil
	case c.names[0] == "" || numbered(c.names[0]):
		e.Reason = msg.Sprintf("the first column is called %q but must hold the bag's id; rename "+
			"it to bag, or insert a column called bag before it", c.names[0])
	default:
		return nil
	}
	return e
}

// isData reports whether the first row is data: all names after the first are numbers, but not 0,
// 1, 2, ... or 1, 2, 3, ..., which data frames write as names of unnamed columns. Without this
// check the first instance would silently become the header.
func (c *columns) isData() bool {
	if len(c.names) < 2 {
		return false
	}
	counted := true
	for i, name := range c.names[1:] {
		if _, err := strconv.ParseFloat(name, 64); err != nil {
			return false
		}
		counted = counted && (name == strconv.Itoa(i) || name == strconv.Itoa(i+1))
	}
	_, err := strconv.ParseFloat(c.names[0], 64)
	return !counted || err == nil
}

// find returns the index of a column by its name, compared without case, or -1.
func (c *columns) find(name string) int {
	return slices.IndexFunc(c.names, func(s string) bool { return strings.EqualFold(s, name) })
}

// note returns a sentence that lists the ignored columns, or "" if there are none.
func (c *columns) note(file string) string {
	if len(c.skipped) == 0 {
		return ""
	}
	var names []string
	for _, at := range c.skipped {
		names = append(names, c.names[at])
	}
	return msg.Sprintf("%s: ignored columns that are not features: %s", file,
		msg.List(names))
}

// integerAt reports whether a row holds an integer in a column.
func integerAt(row []string, at int) bool {
	if at >= len(row) {
		return false
	}
	_, err := strconv.Atoi(strings.TrimSpace(row[at]))
	return err == nil
}
