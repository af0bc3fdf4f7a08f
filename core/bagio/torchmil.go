package bagio

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/bagscope/bagscope/internal/msg"
)

// A torchmil is a folder of bags as torchmil's ProcessedMILDataset has them: folders of NumPy
// arrays, one of each bag under its name.
type torchmil struct {
	fsys     fs.FS
	features string // the folder of features (k, d)
	// those of the bag's class, of labels (k) and of coordinates (k, 2); "" if there is none
	labels, patchLabels, coords string
	limits                      Limits
	read                        int64 // bytes of files that were read
}

// findTorchmil returns the torchmil folder that entries are those of, or nil. It has a folder
// features, features_NAME or features/features_NAME beside one of labels, patch_labels or coords.
// Options.Array chooses among several of features; without it they are a *FormatError.
func findTorchmil(fsys fs.FS, entries []fs.DirEntry, o Options) (*torchmil, error) {
	t := &torchmil{fsys: fsys, limits: o.Limits.withDefaults()}
	var features []string
	for _, e := range entries {
		name := e.Name()
		switch {
		case !e.IsDir():
		case name == "features":
			within, err := fs.Glob(fsys, "features/features_*")
			if err != nil || len(within) == 0 {
				within = []string{name}
			}
			features = append(features, within...)
		case strings.HasPrefix(name, "features_"):
			features = append(features, name)
		case name == "labels":
			t.labels = name
		case name == "patch_labels":
			t.patchLabels = name
		case name == "coords":
			t.coords = name
		}
	}
	if len(features) == 0 || t.labels == "" && t.patchLabels == "" && t.coords == "" {
		return nil, nil
	}
	if o.Array != "" {
		features = slices.DeleteFunc(features, func(name string) bool {
			return name != o.Array && path.Base(name) != o.Array
		})
	}
	if len(features) != 1 {
		return nil, bad("the folder", "%d of its folders are the features %q; name one of the "+
			"folders features and features_NAME as the array", len(features), o.Array)
	}
	t.features = features[0]
	return t, nil
}

// set reads all bags, in the natural order of their names.
func (t *torchmil) set(o Options) (*Set, error) {
	names, err := t.bags()
	if err != nil {
		return nil, err
	}
	if err := t.limits.bags("the folder", int64(len(names))); err != nil {
		return nil, err
	}
	features, sizes, err := t.arrays(t.features, names)
	if err != nil {
		return nil, err
	}
	o.Array = ""
	s, err := severalBags("the folder "+t.features, features, sizes, o)
	if err != nil {
		return nil, err
	}
	s.names = names
	if s.classes, err = t.classes(names); err != nil {
		return nil, err
	}
	if t.patchLabels != "" {
		labels, counts, err := t.arrays(t.patchLabels, names)
		if err == nil {
			err = t.same(t.patchLabels, names, counts, sizes)
		}
		if err == nil && product(labels.Shape) != labels.Len() {
			err = bad(t.patchLabels, "the shape of all is %s, and each instance has one label",
				shapeText(labels.Shape))
		}
		if err != nil {
			return nil, err
		}
		if s.labels, err = labels.Ints(); err != nil {
			return nil, err
		}
	}
	s.notes = append(s.notes, msg.Sprintf("The folder holds %d bags in folders of torchmil; "+
		"features are from %s.", len(names), t.features))
	if t.coords == "" {
		return s, nil
	}
	coords, counts, err := t.arrays(t.coords, names)
	if err == nil {
		err = t.same(t.coords, names, counts, sizes)
	}
	if err != nil {
		return nil, err
	}
	p, err := placesOf(t.coords, coords, s.array.Len())
	if err != nil {
		return nil, err
	}
	return s, s.place(p, groundOf(nil, t.coords))
}

// bags returns the names of the arrays of features without their ending.
func (t *torchmil) bags() ([]string, error) {
	entries, err := fs.ReadDir(t.fsys, t.features)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), ".npy")
		if ok && !e.IsDir() && !strings.HasPrefix(name, ".") {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil, bad(t.features, "the folder has no .npy file, one for each bag")
	}
	slices.SortFunc(names, naturalOrder)
	return names, nil
}

// array reads the array of a bag in a folder.
func (t *torchmil) array(folder, name string) (*Array, error) {
	file := path.Join(folder, name+".npy")
	data, err := readRegular(t.fsys, file, t.read, t.limits)
	if err != nil {
		return nil, err
	}
	t.read += int64(len(data))
	return readNpy(inMemory(file, data), t.limits)
}

// arrays returns the arrays of all bags in a folder, one after another, and the entries of each
// one's first axis. Their other axes must have equal sizes.
func (t *torchmil) arrays(folder string, names []string) (*Array, []int, error) {
	var items []namedArray
	var sizes []int
	shape := []int(nil)
	for _, name := range names {
		a, err := t.array(folder, name)
		if err != nil {
			return nil, nil, err
		}
		if len(a.Shape) == 0 || shape != nil && !slices.Equal(a.Shape[1:], shape[1:]) {
			return nil, nil, bad(a.file, "it has shape %s, and the arrays before it (k) of %s",
				shapeText(a.Shape), shapeText(shape[min(1, len(shape)):]))
		}
		if shape == nil {
			shape = slices.Clone(a.Shape)
			shape[0] = 0
		}
		shape[0] += a.Shape[0]
		sizes = append(sizes, a.Shape[0])
		items = append(items, namedArray{name: name, shape: a.Shape,
			read: func() (*Array, error) { return a, nil }})
	}
	all, err := concatenated("the folder "+folder, shape, items, t.limits)
	return all, sizes, err
}

// same returns a *FormatError for the first bag with another number of entries than of instances.
func (t *torchmil) same(folder string, names []string, counts, instances []int) error {
	for i, n := range counts {
		if n != instances[i] {
			return bad(path.Join(folder, names[i]+".npy"), "it has %d entries for %d instances", n,
				instances[i])
		}
	}
	return nil
}

// classes returns the class of each bag, or nil without a folder of them.
func (t *torchmil) classes(names []string) ([]int, error) {
	if t.labels == "" {
		return nil, nil
	}
	var classes []int
	for _, name := range names {
		a, err := t.array(t.labels, name)
		if err != nil {
			return nil, err
		}
		if product(a.Shape) != 1 {
			return nil, bad(a.file, "it has shape %s, and a bag has one label; labels of "+
				"instances belong into the folder patch_labels", shapeText(a.Shape))
		}
		label, err := a.Ints()
		if err != nil {
			return nil, err
		}
		classes = append(classes, label...)
	}
	return classes, nil
}
