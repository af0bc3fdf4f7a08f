package dataset

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
)

// small keeps drawn sets quick to draw.
var small = Options{Train: 40, Validation: 16, Test: 16}

// partsApart checks that the parts of a set are sound and share nothing, and returns them.
func partsApart(t *testing.T, set *Set) *Split {
	t.Helper()
	s := split(t, set, 0)
	sound(t, set, slices.Concat(s.Train, s.Validation, s.Test))
	apart(t, s.Train, s.Test)
	apart(t, s.Train, s.Validation)
	apart(t, split(t, set, 1).Train, s.Test) // Train is of another repeat
	return s
}

func TestDrawnDigitsFollowRecipe(t *testing.T) {
	set := must.Get(Open("digits", "", small))(t)
	s := partsApart(t, set)
	again := split(t, set, 0)
	a := must.Get(s.Test[5].Bag())(t)
	b := must.Get(again.Test[5].Bag())(t)
	must.EqualSlices(t, a.Values, b.Values, "one seed draws two bags")
	must.EqualSlices(t, a.Labels, b.Labels, "one seed draws two bags")
}

// TestCountingTargetsAreNumbersOf8s also checks that small and large counts are common.
func TestCountingTargetsAreNumbersOf8s(t *testing.T) {
	set := must.Get(Open("counting", "", Options{Train: 400, Validation: 1, Test: 1}))(t)
	s := split(t, set, 0)
	sound(t, set, s.Train[:20])
	few, many := 0, 0
	for _, e := range s.Train {
		bag := must.Get(e.Bag())(t)
		eights := 0
		for _, d := range bag.Labels {
			if d == 8 {
				eights++
			}
		}
		must.Equal(t, e.Target[0], float32(eights), e.Name, eights, e.Target, bag.Class)
		must.Equal(t, bag.Class == nil, true, e.Name, eights, e.Target, bag.Class)
		if eights <= 1 {
			few++
		}
		if eights >= 7 {
			many++
		}
	}
	must.Equal(t, few >= 40, true, few, many)
	must.Equal(t, many >= 40, true, few, many)
}

// TestAugmentAppliesSymmetriesOfSquare checks that each instance becomes one of its eight
// symmetries, with all channels alike, and that all eight occur.
func TestAugmentAppliesSymmetriesOfSquare(t *testing.T) {
	bag := &core.Bag{Shape: []int{2, 3, 3}}
	const n = 400
	for range n {
		for v := range 18 {
			bag.Values = append(bag.Values, float32(v))
		}
	}
	before := slices.Clone(bag.Values)
	out := Augment(bag, rand.New(rand.NewPCG(1, 2)))
	must.EqualSlices(t, bag.Values, before, "the bag was changed")
	seen := map[[9]float32]int{}
	for i := range n {
		v := out.Instance(i)
		seen[[9]float32(v[:9])]++
		for p := range 9 {
			if v[9+p] != v[p]+9 {
				t.Fatalf("the channels of instance %d part: %v", i, v)
			}
		}
		// The centre stays, and opposite places stay opposite.
		for p := range 9 {
			if v[p]+v[8-p] != 8 {
				t.Fatalf("instance %d is no symmetry of the square: %v", i, v)
			}
		}
		if v[0] != 0 && v[0] != 2 && v[0] != 6 && v[0] != 8 {
			t.Fatalf("a corner of instance %d holds %v", i, v[0])
		}
	}
	must.Equal(t, len(seen), 8)
	for _, count := range seen {
		must.Equal(t, count >= n/8/2, true, count, n)
		must.Equal(t, count <= n/8*2, true, count, n)
	}
}

// TestPreprocessOfKnownNumbers compares with numbers computed by hand: columns 1, 3 and a constant.
func TestPreprocessOfKnownNumbers(t *testing.T) {
	one := inMemory(&core.Bag{Name: "a", Shape: []int{2}, Values: []float32{1, 7, 3, 7}},
		oneHot(2, 0))
	p := must.Get(measure([]Example{one}, 1))(t)
	if p.Mean[0] != 2 || !(math.Abs(p.Std[0]-math.Sqrt2) <= 1e-15) || p.Mean[1] != 7 ||
		!math.IsInf(p.Std[1], 1) {
		t.Fatalf("%+v", p)
	}
	other := &core.Bag{Shape: []int{2}, Values: []float32{4, 9}}
	if got := apply(t, p, other).Values; !(math.Abs(float64(got[0])-math.Sqrt2) <= 1e-6) ||
		got[1] != 0 {
		t.Errorf("4, 9 becomes %v", got)
	}
	must.Equal(t, other.Values[0], 4, "the bag was changed")
	picture := Preprocess{Scale: 1. / 255, Mean: []float64{0, .5}, Std: []float64{1, .5}}
	got := apply(t, picture, &core.Bag{Raw: true, Shape: []int{2, 1, 2},
		Values: []float32{0, 255, 0, 255}})
	must.EqualSlices(t, got.Values, []float32{0, 1, -1, 1}, got.Raw)
	must.Equal(t, got.Raw, false, got.Values, got.Raw)
}

func apply(t *testing.T, p Preprocess, bag *core.Bag) *core.Bag {
	t.Helper()
	return must.Get(p.Apply(bag))(t)
}

// TestTissuePartsAndLabels checks that classes alternate, parts share no slide, and labels state
// the patches with glands.
func TestTissuePartsAndLabels(t *testing.T) {
	set := must.Get(Open("tissue", "", Options{Train: 6, Validation: 4, Test: 4}))(t)
	s := partsApart(t, set)
	for i, e := range s.Train {
		bag := must.Get(e.Bag())(t)
		glands := slices.ContainsFunc(bag.Labels,
			func(l int) bool { return slices.Contains(set.Truth[1].Support, l) })
		must.Equal(t, e.Class(), i%2, e.Name)
		must.Equal(t, glands, i%2 == 1, e.Name)
	}
}

// TestNucleiPartsAndLabels checks that classes alternate, that parts share no patch, in all
// repeats, and that labels state the patches with many nuclei.
func TestNucleiPartsAndLabels(t *testing.T) {
	set := must.Get(Open("nuclei", "../../../examples", Options{Train: 20, Validation: 20,
		Test: 20}))(t)
	s := partsApart(t, set)
	apart(t, s.Validation, s.Test)
	for i, e := range s.Train {
		bag := must.Get(e.Bag())(t)
		must.Equal(t, e.Class(), i%2, e.Name)
		must.Equal(t, slices.Contains(bag.Labels, manyNuclei), i%2 == 1, e.Name)
	}
}

// TestPartAndSizeable selects parts by name, and counts bags that are too small.
func TestPartAndSizeable(t *testing.T) {
	example := func(name string, size int) Example { return Example{Name: name, Size: size} }
	s := &Split{Train: []Example{example("a", 9)},
		Validation: []Example{example("b", 2), example("c", 3), example("d", 1), example("e", 4)},
		Test:       []Example{example("f", 9)}}
	for name, first := range map[string]string{"train": "a", "validation": "b", "test": "f"} {
		if part, err := s.Part(name); err != nil || part[0].Name != first {
			t.Errorf("%s: %v, %v", name, part, err)
		}
	}
	var wrong *core.SettingError
	must.As(t, must.Err(s.Part("tests")), &wrong)
	must.Equal(t, wrong.Setting, "part", "a part that is none")
	for limit, want := range []string{"ce", "c", "ce"} {
		large, small := Sizeable(s.Validation, limit)
		names := ""
		for _, e := range large {
			names += e.Name
		}
		must.Equal(t, names, want, limit)
		must.Equal(t, small, 2, limit)
	}
}
