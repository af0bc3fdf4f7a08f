package bagio

import (
	"path"
	"slices"
	"strings"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/msg"
)

// volumeName reports whether the name of a file is that of a NIfTI volume.
func volumeName(name string) bool {
	ending := path.Ext(strings.TrimSuffix(strings.ToLower(name), ".gz"))
	return ending == ".nii" && !strings.HasPrefix(path.Base(name), ".")
}

// readVolumes returns the bags of NIfTI files, one for each, in the natural order of their names.
func readVolumes(files []seriesFile, o Options) (*Set, error) {
	l := o.Limits.withDefaults()
	sortMembers(files)
	var all []*Set
	for _, f := range files {
		s, done, err := f.open()
		if err != nil {
			return nil, err
		}
		one := o
		one.Name, one.ZeroCopy, one.Deferred = "", false, false
		set, err := read(s, one)
		done()
		if err != nil {
			return nil, err
		}
		all = append(all, set)
	}
	first, shape := all[0], slices.Clone(all[0].array.Shape)
	var sizes []int
	var names []string
	placed := true
	shape[0] = 0
	for i, set := range all {
		a := set.array
		if !slices.Equal(a.Shape[1:], shape[1:]) || a.Raw() != first.array.Raw() {
			return nil, bad(files[i].name, "its slices have the shape %s, and those of %s %s, or "+
				"only one of both holds bytes; bags of a folder must be alike: state a spacing "+
				"and a model with a fixed input, or open the file alone",
				shapeText(a.Shape[1:]), files[0].name, shapeText(shape[1:]))
		}
		shape[0] += a.Shape[0]
		sizes = append(sizes, a.Shape[0])
		names = append(names, set.names[0])
		placed = placed && set.slices != nil
	}
	n, err := l.elements("the volumes", shape)
	if err != nil {
		return nil, err
	}
	each := int64(4)
	if first.array.Raw() {
		each = 1
	}
	if err := l.reserve("the volumes", each*int64(n)); err != nil {
		return nil, err
	}
	out := newValues(n, first.array.Raw())
	var places []core.Slice
	var notes []string
	for i, set := range all {
		numbers := make([]float32, product(set.array.Shape))
		if at := set.array.floats(numbers, 0); at >= 0 {
			return nil, set.array.nonFinite(at, msg.Sprintf("value %d", at))
		}
		out.add(numbers)
		places = append(places, set.slices...)
		for _, note := range set.notes {
			if len(all) > 1 {
				note = msg.Sprintf("%s: %s", names[i], msg.Text(note))
			}
			notes = append(notes, note)
		}
	}
	o.Spacing, o.Neighbours, o.Window, o.SliceAxes = "", 0, "", "" // files are read by them
	set, err := severalBags("the volumes", out.array("the volumes", shape), sizes, o)
	if err != nil {
		return nil, err
	}
	set.names, set.notes, set.noun = names, append(set.notes, notes...), sliceNoun
	set.kind = first.kind
	if placed {
		set.slices = places
	}
	return set, nil
}
