package dataset

import (
	"math"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
)

// TestSizesOfSets compares the numbers of bags, instances and bags of each part with the
// descriptions of the sets.
func TestSizesOfSets(t *testing.T) {
	for _, c := range []struct {
		name, part              string
		bags, instances         int
		train, validation, test int
	}{
		{"musk1", "musk_tef", 92, 476, 64, 14, 14},
		{"musk2", "musk_tef", 102, 6598, 71, 15, 16},
		{"tiger", "musk_tef", 200, 1220, 140, 30, 30},
		{"elephant", "musk_tef", 200, 1391, 140, 30, 30},
		{"fox", "musk_tef", 200, 1320, 140, 30, 30},
		{"sival", "sival", 12*60 + 13*30, 0, 888, 111, 111},
		{"crc", "crc", 99, 26170, 59, 20, 20},
		{"birdsong", "birdsong", 548, 10232, 328, 110, 110},
	} {
		t.Run(c.name, func(t *testing.T) {
			set := open(t, c.name, c.part, Options{})
			s := split(t, set, 3)
			sizes := []int{len(s.Train), len(s.Validation), len(s.Test)}
			must.EqualSlices(t, sizes, []int{c.train, c.validation, c.test})
			all := slices.Concat(s.Train, s.Validation, s.Test)
			seen, instances := map[string]bool{}, 0
			for _, e := range all {
				seen[e.Name] = true
				instances += e.Size
			}
			if len(seen) != c.bags || c.instances > 0 && instances != c.instances {
				t.Errorf("%d different bags with %d instances", len(seen), instances)
			}
			sound(t, set, all)
			must.Equal(t, set.Name, c.name)
			must.Equal(t, len(preprocess(t, s).Mean), set.Shape[0])
		})
	}
}

// sound checks bags against what the set and the examples say of them.
func sound(t *testing.T, set *Set, examples []Example) {
	t.Helper()
	for _, e := range examples {
		bag := must.Get(e.Bag())(t)
		must.Do(t, bag.Validate())
		must.Equal(t, bag.Len(), e.Size)
		must.Equal(t, bag.Name, e.Name)
		must.EqualSlices(t, bag.Shape, set.Shape)
		must.Equal(t, len(e.Target), len(set.Classes), e.Name, set.Classes)
		if set.Scale != core.ScaleRaw && !slices.Equal(e.Target,
			oneHot(len(set.Classes), bag.Class...)) {
			t.Fatalf("%s is of the classes %v, and its target is %v", e.Name, bag.Class, e.Target)
		}
		must.Equal(t, bag.Labels != nil, set.Truth != nil, e.Name)
	}
}

// TestPartsHaveSharesOfClasses allows a difference of one bag.
func TestPartsHaveSharesOfClasses(t *testing.T) {
	set := open(t, "sival", "sival", Options{})
	s := split(t, set, 0)
	for _, part := range [][]Example{s.Train, s.Validation, s.Test} {
		of := make([]int, len(set.Classes))
		for _, e := range part {
			of[e.Class()]++
		}
		for c, n := range of {
			share := 60. / 1110
			if c == 0 {
				share = 390. / 1110
			}
			if !(math.Abs(float64(n)-share*float64(len(part))) < 1) {
				t.Errorf("%d of %d bags are of class %d", n, len(part), c)
			}
		}
	}
}

func TestEqualRepeatsAreEqualOthersDiffer(t *testing.T) {
	set := open(t, "tiger", "musk_tef", Options{})
	names := func(repeat int) []string {
		var out []string
		for _, e := range split(t, set, repeat).Test {
			out = append(out, e.Name)
		}
		return out
	}
	if !slices.Equal(names(2), names(2)) || slices.Equal(names(2), names(3)) {
		t.Error("equal repeats differ, or different ones are equal")
	}
}

// TestMNISTFollowsRecipe checks drawn bags against the recipe, and that parts share no picture.
func TestMNISTFollowsRecipe(t *testing.T) {
	set := open(t, "mnist", "mnist", Options{Train: 40, Test: 20})
	s := split(t, set, 1)
	if len(s.Train) != 40 || len(s.Validation) != 1000 || len(s.Test) != 20 {
		t.Fatalf("%d, %d and %d bags", len(s.Train), len(s.Validation), len(s.Test))
	}
	sound(t, set, slices.Concat(s.Train, s.Test))
	of := make([]int, FourClasses)
	for _, e := range s.Train {
		bag := must.Get(e.Bag())(t)
		of[e.Class()]++
		must.Equal(t, FourDigitsClass(bag.Labels), e.Class(), e.Name, bag.Labels, bag.Raw)
		must.Equal(t, bag.Raw, true, e.Name, e.Class(), bag.Labels, bag.Raw)
	}
	must.EqualSlices(t, of, []int{10, 10, 10, 10})
	apart(t, s.Validation[:200], s.Test)
	// Seen depends only on the pictures, not on the bags.
	fewer := split(t, open(t, "mnist", "mnist", Options{Train: 4, Validation: 8, Test: 4}), 1)
	must.Equal(t, s.Seen != "", true, s.Seen, fewer.Seen)
	must.Equal(t, s.Seen != split(t, set, 2).Seen, true, s.Seen, fewer.Seen)
	must.Equal(t, s.Seen, fewer.Seen)
}

// apart fails when a picture is in bags of both parts.
func apart(t *testing.T, a, b []Example) {
	t.Helper()
	seen := map[uint64]bool{}
	pictures := func(part []Example, look func(h uint64)) {
		for _, e := range part {
			bag := must.Get(e.Bag())(t)
			for i := range bag.Len() {
				one := core.Bag{Values: bag.Instance(i)}
				look(one.Hash("picture"))
			}
		}
	}
	pictures(a, func(h uint64) { seen[h] = true })
	pictures(b, func(h uint64) {
		must.Equal(t, seen[h], false, "a picture is in two parts")
	})
	must.Equal(t, len(seen) >= 100, true, len(seen))
}
