package bagio

import (
	"path"
	"slices"
	"strings"

	"github.com/bagscope/bagscope/core/bagio/internal/pickle"
	"github.com/bagscope/bagscope/internal/msg"
)

// A tensorList is a list of tensors in a file: count arrays from number at on.
type tensorList struct {
	name      string // "" if it is the whole file
	at, count int
}

// A joinedList is what an array was in the file.
type joinedList struct {
	bags []int  // the numbers of instances of bags that follow each other; nil for one bag
	note string // how the list was understood
}

// isTensorList reports whether v is a list whose items may all be tensors.
func isTensorList(v any) bool {
	l, ok := v.(*pickle.List)
	return ok && len(l.Items) > 0 && !slices.ContainsFunc(l.Items, func(item any) bool {
		call, ok := item.(*pickle.Call)
		return !ok || isDict(call) || isPlain(call.Function)
	})
}

// join replaces each list of vectors by one array whose rows they are, and each list of bags by the
// array of all their instances. Lists beside the features, by their names, stay as they are.
func (t *torchFile) join(n *namedArrays, lists []tensorList) error {
	n.lists = map[string]joinedList{}
	wide := slices.ContainsFunc(n.arrays, func(a namedArray) bool { return len(a.shape) > 1 })
	// From the last one on, so that the places of the others do not change.
	for _, l := range slices.Backward(lists) {
		name := strings.ToLower(path.Base(l.name))
		features := l.name == "" || slices.Contains(featureNames, name)
		if !features && !slices.Contains(placeNames, name) && wide {
			continue
		}
		array, list, err := t.joined(l.name, slices.Clone(n.arrays[l.at:l.at+l.count]))
		switch {
		case err != nil && features:
			return err
		case err == nil && array.read != nil:
			n.arrays = slices.Replace(n.arrays, l.at, l.at+l.count, array)
			n.lists[array.name] = list
		}
	}
	return nil
}

// joined returns the array of the items of a list, or one without a reader if they are no vectors
// and no bags. Items that are one or the other, but do not fit together, are an error.
func (t *torchFile) joined(
	name string, items []namedArray,
) (a namedArray, list joinedList, err error) {
	first := items[0].shape
	every := func(holds func(shape []int) bool) bool {
		return !slices.ContainsFunc(items, func(a namedArray) bool { return !holds(a.shape) })
	}
	what := path.Join(t.file, name)
	if a.name = name; name == "" {
		a.name = "features" // the name of the tensor of a file without names
	}
	isVector := func(s []int) bool { return len(s) == 1 }
	switch vectors := every(isVector); {
	case vectors && !every(func(s []int) bool { return s[0] == first[0] }):
		return a, list, bad(what, "it is a list of vectors of different lengths; the vectors of "+
			"one bag need equal lengths")
	case vectors:
		a.shape = []int{len(items), first[0]}
		list.note = msg.Sprintf("%s is a list of %d vectors: each is an instance of one bag.", what,
			len(items))
	case mixed(items):
		return a, list, bad(what, "it is a list of vectors and matrices of the same width; save "+
			"either the vectors of one bag, or one matrix (instances, features) for each bag")
	case len(items) == 1 || len(first) < 2 || !every(func(s []int) bool {
		return len(s) == len(first) && slices.Equal(s[1:], first[1:])
	}):
		return a, list, nil
	case every(func(s []int) bool { return s[0] == 1 }):
		return a, list, bad(what, "it is a list of %d tensors of shape %s, which can be instances "+
			"or bags; if they are the instances of one bag, save torch.cat of the list",
			len(items), shapeText(first))
	default:
		n := 0
		for _, item := range items {
			list.bags = append(list.bags, item.shape[0])
			n += item.shape[0]
		}
		a.shape = append([]int{n}, first[1:]...)
		list.note = msg.Sprintf("%s is a list of %d tensors: each is a bag.", what, len(items))
	}
	a.read = func() (*Array, error) { return concatenated(what, a.shape, items, t.limits) }
	return a, list, nil
}

// mixed reports whether a list has vectors beside matrices of their width.
func mixed(items []namedArray) bool {
	widths := map[int]bool{}
	for _, a := range items {
		if len(a.shape) == 1 {
			widths[a.shape[0]] = true
		}
	}
	return slices.ContainsFunc(items, func(a namedArray) bool {
		return len(a.shape) == 2 && widths[a.shape[1]]
	})
}

// concatenated returns the elements of arrays, one after another, as an array of a shape.
func concatenated(what string, shape []int, items []namedArray, l Limits) (*Array, error) {
	count, err := l.elements(what, shape)
	if err != nil {
		return nil, err
	}
	out := &Array{Shape: shape, file: what, start: -1}
	for i := range items {
		part, err := items[i].read()
		if err != nil {
			return nil, err
		}
		if i == 0 {
			out.dtype = part.dtype
			size := int64(count) * int64(part.dtype.size)
			if err := l.bytes(what, size); err != nil {
				return nil, err
			}
			if err := l.reserve(what, size); err != nil {
				return nil, err
			}
			out.data = make([]byte, 0, size)
		}
		if part.dtype != out.dtype {
			return nil, bad(what, "its arrays have the types %v and %v; save them in one type",
				out.dtype, part.dtype)
		}
		out.data = append(out.data, part.data...)
	}
	return out, nil
}
