package ask

import (
	"slices"
	"strconv"
	"strings"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/internal/msg"
)

// Classes returns the classes to explain in a bag, nil for all. They come from the setting class
// or, without it, from the data set's settings.
func (s *Settings) Classes(
	names []string, data methods.DataSettings, bag *core.Bag,
) ([]int, error) {
	if s.Indices != nil {
		return s.Indices, nil
	}
	if s.Class == nil {
		return data.Classes(bag), nil
	}
	if *s.Class == "all" {
		return nil, nil
	}
	i, err := FindClass(names, *s.Class)
	return []int{i}, err
}

// FindClass returns the index of a class. It compares names exactly, then without case, then
// numbers.
func FindClass(names []string, name string) (int, error) {
	if i := slices.Index(names, name); i >= 0 {
		return i, nil
	}
	equal := func(known string) bool { return strings.EqualFold(known, name) }
	if i := slices.IndexFunc(names, equal); i >= 0 {
		return i, nil
	}
	if i, err := strconv.Atoi(name); err == nil && i >= 0 && i < len(names) {
		return i, nil
	}
	known := make([]string, len(names))
	for i, n := range names {
		known[i] = msg.Sprintf("%d %q", i, n)
	}
	return 0, wrong("class", "the model has no class %q; its classes are %s", name,
		strings.Join(known, ", "))
}

// ClassNames returns the model's names of n classes, or their numbers if the model has no names.
func ClassNames(names []string, n int) []string {
	if len(names) == n {
		return names
	}
	out := make([]string, n)
	for i := range out {
		out[i] = strconv.Itoa(i)
	}
	return out
}
