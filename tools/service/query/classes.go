package query

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/bagscope/bagscope/core"
)

// Classes returns the classes to explain in a bag, nil for all. They come from the setting class
// or, without it, from the data set's settings.
func (s *Settings) Classes(names []string, data core.DataSettings, bag *core.Bag) ([]int, error) {
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
func FindClass(names []string, wanted string) (int, error) {
	if i := slices.Index(names, wanted); i >= 0 {
		return i, nil
	}
	if i := slices.IndexFunc(names, func(name string) bool {
		return strings.EqualFold(name,
			wanted)
	}); i >= 0 {
		return i, nil
	}
	if i, err := strconv.Atoi(wanted); err == nil && i >= 0 && i < len(names) {
		return i, nil
	}
	known := make([]string, len(names))
	for i, name := range names {
		known[i] = fmt.Sprintf("%d %q", i, name)
	}
	return 0, wrong("class", "the model has no class %q; its classes are %s", wanted,
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
