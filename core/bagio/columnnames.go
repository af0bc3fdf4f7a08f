package bagio

import (
	"slices"
	"strings"
	"unicode"
)

// Names of columns that are not features. Those of several words are compared as plainName returns
// them.
var (
	// The first column whose name is among these is the bag's id, else the first of all of them in
	// this order. Exports of QuPath have Image, those of HALO Image Location.
	bagColumns = []string{"bag", "bag id", "bag name", "slide", "slide id", "slide name", "slideid",
		"slidename", "wsi", "wsi id", "wsi name", "image", "image id", "image name",
		"image file name", "image location", "imagenumber", "img", "img id",
		"img name", "case", "case id", "sample",
		"sample id", "sample name", "specimen", "specimen id", "patient", "patient id", "subject",
		"subject id", "participant id", "donor id"}
	// the first one present counts
	classColumns    = []string{"label", "bag_label", "class_id", "class"}
	instanceColumns = []string{"instance_label", "instance_labels"}
	// boxes if all four are present
	cornerColumns = []string{"x0", "y0", "x1", "y1"}
	edgeColumns   = []string{"xmin", "ymin", "xmax", "ymax"} // HALO
	placeColumns  = [2][]string{
		{"x", "coord x", "x coord", "coords x", "pos x", "x pos", "left", "minx", "xmin"},
		{"y", "coord y", "y coord", "coords y", "pos y", "y pos", "top", "miny", "ymin"}}
	middleColumns = [2][]string{
		{"loc x", "center x", "centre x", "x center", "x centre", "centroid x", "x centroid",
			"location center x", "cell x position"},
		{"loc y", "center y", "centre y", "y center", "y centre", "centroid y", "y centroid",
			"location center y", "cell y position"}}
	sizeColumns = []string{"patch_size", "size", "patch_size_level0", "tile_size", "tile_size_um",
		"tile_size_px"}
	factColumns = append([]string{"unit", "downsample", "overlap", "mpp", "slide_mpp",
		"level0_mpp"}, sizeColumns...)
	skippedColumns = []string{"class", "class id", "class name", "flag", "instance", "instance id"}
	foreignColumns = []string{
		// QuPath
		"object id", "object type", "classification", "parent", "roi", "name", "num detections",
		// HALO
		"analysis region", "analysis inputs", "algorithm name", "classifier label",
		// CellProfiler, scanpy and others
		"objectnumber", "label id", "barcode", "uuid", "filename", "file name", "path"}
	// names that pandas and others give the numbers of rows
	indexColumns = []string{"", "index", "level 0", "index level 0", "row", "row number",
		"rownames", "row names"}
	missingCells = []string{"", "na", "n/a", "nan", "null", "none"}
)

// plainName returns a name in lower case, with one space between its words.
func plainName(name string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(name), func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune("_-.", r)
	}), " ")
}

// numbered reports whether a name is that of a numbered feature, such as f1. If the first column
// has such a name, it is a feature and no column names the bag.
func numbered(name string) bool {
	word := strings.ToLower(strings.TrimRight(name, "0123456789"))
	word = strings.TrimRight(word, " _.-")
	return len(word) < len(name) && slices.Contains([]string{"", "f", "x", "v", "feat", "feature",
		"dim", "col", "var"}, word)
}

// isIndex reports whether a name is one that tools give the numbers of rows.
func isIndex(name string) bool {
	return slices.Contains(indexColumns, plainName(name)) ||
		strings.HasPrefix(plainName(name), "unnamed: ")
}

// isSkipped reports whether a column is not a feature by its name: an identifier or a name.
func isSkipped(name string) bool {
	plain := plainName(name)
	camel := strings.HasSuffix(name, "Id") || strings.HasSuffix(name, "ID")
	return slices.Contains(skippedColumns, plain) || slices.Contains(foreignColumns, plain) ||
		slices.Contains(bagColumns, plain) || strings.HasSuffix(plain, " id") || camel ||
		isIndex(name)
}

// isMissing reports whether a cell states that its value is unknown.
func isMissing(cell string) bool {
	return len(cell) <= 4 && slices.Contains(missingCells, strings.ToLower(cell))
}

// pairOfName returns a name without its only word x or y and its unit, and the axis of that word.
func pairOfName(name string) (rest string, axis int, ok bool) {
	if _, without, found := unitOfName(name); found {
		name = without
	}
	axis = -1
	var words []string
	for _, word := range strings.Fields(plainName(name)) {
		if word != "x" && word != "y" {
			words = append(words, word)
			continue
		}
		if axis >= 0 {
			return "", 0, false
		}
		axis = int(word[0] - 'x')
	}
	return strings.Join(words, " "), axis, axis >= 0
}
