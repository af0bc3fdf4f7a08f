package bagio

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/bagscope/bagscope/internal/msg"
)

// namedArrays are the arrays of a file that names each of them, and what the file says beside them.
type namedArrays struct {
	file       string
	arrays     []namedArray
	others     []string // arrays that are not read, with their types, for messages
	attributes attributes
	own        map[string]attributes // those of single arrays, by the array's name
	lists      map[string]joinedList // arrays that were lists in the file, by the array's name
	// lists that can say of instances to which bag they belong; nil if the format has none
	columns []pathList
	groups  map[string]attributes // the attributes of groups, by their paths
}

// A namedArray is an array that is not read before it is needed.
type namedArray struct {
	name  string // includes the names of its groups or dicts: "train/features"
	shape []int
	read  func() (*Array, error)
}

// attributesOf returns the attributes of a file and those of an array, which are nearer to it.
func (n *namedArrays) attributesOf(a *namedArray) attributes {
	all := attributes{}
	maps.Copy(all, n.attributes)
	maps.Copy(all, n.own[a.name])
	return all
}

// attributes are numbers (float64, or []float64) and text (string) by name.
type attributes map[string]any

// number returns the first of some attributes that is a number above zero, or a text of one, or 0.
// Of a list, its first entry counts.
func (a attributes) number(names ...string) float64 {
	for _, name := range names {
		v := a[name]
		if list, ok := v.([]float64); ok && len(list) > 0 {
			v = list[0]
		}
		if text, ok := v.(string); ok {
			v, _ = strconv.ParseFloat(strings.TrimSpace(text), 64)
		}
		if x, ok := v.(float64); ok && x > 0 && x-x == 0 {
			return x
		}
	}
	return 0
}

// pair returns an attribute of two numbers above zero, or zeros.
func (a attributes) pair(name string) (float64, float64) {
	if v, ok := a[name].([]float64); ok && len(v) == 2 && v[0] > 0 && v[1] > 0 &&
		v[0]-v[0] == 0 && v[1]-v[1] == 0 {
		return v[0], v[1]
	}
	return 0, 0
}

// text returns the first of some attributes that is a text, with its name, or "".
func (a attributes) text(names ...string) (name, text string) {
	for _, name := range names {
		if text, ok := a[name].(string); ok && text != "" {
			return name, text
		}
	}
	return "", ""
}

// Names by which files of features call their arrays, the most common first.
var (
	featureNames = []string{"features", "feats", "feat", "embeddings", "embedding", "instances",
		"x", "data"}
	placeNames = []string{"coords", "coordinates", "coord", "positions", "position", "locations",
		"location", "xy", "spatial", "coords_um", "coords_px", "xy_um", "xy_px"}
	labelNames = []string{"instance_labels", "inst_labels", "y_inst", "patch_labels"}
)

// find returns the array whose last name is among words, in the order of words, or nil.
func (n *namedArrays) find(words []string) (*namedArray, *FormatError) {
	for _, word := range words {
		var found []*namedArray
		for i := range n.arrays {
			if strings.ToLower(path.Base(n.arrays[i].name)) == word && !n.isRaw(&n.arrays[i]) {
				found = append(found, &n.arrays[i])
			}
		}
		switch len(found) {
		case 0:
		case 1:
			return found[0], nil
		default:
			return nil, bad(n.file, "%d of its arrays are called %s; choose the array of "+
				"features by its whole name (it holds %s)", len(found), word, n.list())
		}
	}
	return nil, nil
}

// isRaw reports whether an array is in the group raw of AnnData, beside one of the same name.
func (n *namedArrays) isRaw(a *namedArray) bool {
	group, name := path.Split(a.name)
	above, ok := strings.CutSuffix(group, "raw/")
	return ok && (above == "" || strings.HasSuffix(above, "/")) &&
		slices.ContainsFunc(n.arrays, func(b namedArray) bool { return b.name == above+name })
}

// features returns the array of features: the one called name if name is not empty, else one with a
// usual name, else the only array of two or more axes that holds no coordinates.
func (n *namedArrays) features(name string) (*namedArray, error) {
	if name != "" {
		i := slices.IndexFunc(n.arrays, func(a namedArray) bool { return a.name == name })
		if i < 0 {
			return nil, n.choose("it has no array %q (it holds %s)", name, n.list())
		}
		return &n.arrays[i], nil
	}
	// AnnData calls the features X, and may have a column x of places.
	wide := namedArrays{file: n.file, others: n.others}
	for _, a := range n.arrays {
		if a.shape == nil || len(a.shape) > 1 {
			wide.arrays = append(wide.arrays, a)
		}
	}
	found, err := wide.find(featureNames)
	if found == nil && err == nil {
		found, err = n.find(featureNames)
	}
	if err != nil {
		return nil, n.choose("%s", msg.Text(err.Reason))
	}
	if found != nil {
		return found, nil
	}
	if i := slices.IndexFunc(n.arrays, namedArray.isBias); i >= 0 {
		return nil, n.choose("its arrays are called as the weights of a model are (it holds %s); "+
			"models are opened from ONNX files, which bagscope.export or torch.onnx.export write "+
			"in Python; for features, choose the array by its name", n.list())
	}
	for i := range n.arrays {
		a := &n.arrays[i]
		if !a.canBeFeatures() {
			continue
		}
		if found != nil {
			return nil, n.choose("several of its arrays could be the features; choose one by its "+
				"name (it holds %s)", n.list())
		}
		found = a
	}
	if found == nil && slices.ContainsFunc(n.arrays, namedArray.isPlaces) {
		return nil, bad(n.file, "it has places of patches and no features (it holds %s); compute "+
			"their features by an encoder", n.list())
	}
	if found == nil {
		return nil, bad(n.file, "it has no array of two or more axes (it holds %s)", n.list())
	}
	return found, nil
}

// beside returns the array of the same group as another whose last name is among words, else the
// one of the whole file, or nil.
func (n *namedArrays) beside(other *namedArray, words []string) (*namedArray, error) {
	group := namedArrays{file: n.file}
	for _, a := range n.arrays {
		if path.Dir(a.name) == path.Dir(other.name) {
			group.arrays = append(group.arrays, a)
		}
	}
	found, err := group.find(words)
	if found == nil && err == nil {
		found, err = n.find(words)
	}
	if err != nil { // an error without a value must not become an error that holds nil
		return nil, err
	}
	return found, nil
}

// canBeFeatures reports whether a has two or more axes and is not called as coordinates or
// relations are.
func (a *namedArray) canBeFeatures() bool {
	return len(a.shape) >= 2 && !a.isPlaces() && !holdsRelations(a.name)
}

// isPlaces reports whether a is called as the coordinates of instances are.
func (a namedArray) isPlaces() bool {
	return slices.Contains(placeNames, strings.ToLower(path.Base(a.name)))
}

// isBias reports whether a is called as PyTorch and Keras call the bias of a layer. Files of
// weights have such arrays.
func (a namedArray) isBias() bool {
	return path.Base(strings.ReplaceAll(a.name, ".", "/")) == "bias"
}

// mostChoices bounds the arrays that an error offers: a file can hold many thousands.
const mostChoices = 100

// choose returns an error that a reader can correct by the name of an array: it has the first
// mostChoices arrays that can be the features. Names that a message would shorten or escape are
// left out, because clients get one line for each array.
func (n *namedArrays) choose(format string, args ...any) *FormatError {
	e := bad(n.file, format, args...)
	if all := n.allBags(); all.Name != "" {
		e.Reason += msg.Sprintf("; array %s makes a bag of each", all.Name)
		e.Arrays = append(e.Arrays, all)
	}
	for i := range n.arrays {
		a := &n.arrays[i]
		if a.canBeFeatures() && msg.Sprintf("%s", a.name) == a.name {
			e.Arrays = append(e.Arrays, NamedShape{a.name, a.shape})
		}
		if len(e.Arrays) == mostChoices {
			break
		}
	}
	return e
}

// list returns the names and shapes of the arrays, for messages.
func (n *namedArrays) list() msg.Text {
	const most = 12
	var names []string
	for _, a := range n.arrays[:min(len(n.arrays), most)] {
		names = append(names, msg.Sprintf("%s %s", a.name, shapeText(a.shape)))
	}
	names = append(names, n.others[:min(len(n.others), most-len(names))]...)
	if more := len(n.arrays) + len(n.others) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	if len(names) == 0 {
		return "no array"
	}
	return msg.Text(strings.Join(names, ", "))
}
