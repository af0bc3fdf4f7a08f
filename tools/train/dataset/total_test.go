package dataset

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
)

// TestZeroValuesAreErrors checks that values without fields return errors and do not panic.
func TestZeroValuesAreErrors(t *testing.T) {
	var bad *core.BagError
	var setting *core.SettingError
	must.As(t, must.Err((Example{}).Bag()), &bad)
	must.Equal(t, (Example{}).Class(), -1, "an example without targets is of class")
	must.As(t, must.Err((&Split{}).Preprocess()), &setting)
	must.As(t, must.Err((&Set{}).Split(0)), &setting)
	bag := &core.Bag{Name: "a", Shape: []int{2}, Values: []float32{1, 2}}
	for what, p := range map[string]Preprocess{"empty": {},
		"of one feature":     {Mean: []float64{1}, Std: []float64{1}},
		"without deviations": {Mean: []float64{1, 2}}} {
		must.Equal(t, errors.As(must.Err(p.Apply(bag)), &bad), true, what)
	}
	must.As(t, must.Err((Preprocess{Mean: []float64{1, 1}, Std: []float64{1,
		1}}).Apply(&core.Bag{Shape: []int{2}, Values: make([]float32, 3)})), &bad)
}

func TestHoldRejectsUnknownClasses(t *testing.T) {
	for _, c := range []struct {
		class, classes int
		fits           bool
	}{{1, 2, true}, {2, 2, false}, {-1, 2, false}, {0, -1, false}} {
		e := Hold(&core.Bag{Name: "a", Shape: []int{1}, Values: []float32{1},
			Class: []int{c.class}}, c.classes)
		_, err := e.Bag()
		var bad *core.BagError
		if c.fits != (err == nil) || !c.fits && !errors.As(err, &bad) {
			t.Errorf("class %d of %d: %v", c.class, c.classes, err)
		}
		if c.fits && e.Class() != c.class {
			t.Errorf("class %d becomes %d", c.class, e.Class())
		}
	}
}

// TestAugmentRectangles checks that rectangles are only mirrored, and that bags of features do not
// change.
func TestAugmentRectangles(t *testing.T) {
	bag := &core.Bag{Shape: []int{1, 2, 3}}
	for range 100 {
		bag.Values = append(bag.Values, 0, 1, 2, 3, 4, 5)
	}
	want := map[[6]float32]bool{{0, 1, 2, 3, 4, 5}: true, {2, 1, 0, 5, 4, 3}: true,
		{3, 4, 5, 0, 1, 2}: true, {5, 4, 3, 2, 1, 0}: true}
	seen := map[[6]float32]bool{}
	out := Augment(bag, rand.New(rand.NewPCG(1, 2)))
	for i := range out.Len() {
		v := [6]float32(out.Instance(i))
		must.Equal(t, want[v], true, v)
		seen[v] = true
	}
	must.Equal(t, len(seen), 4)
	for _, other := range []*core.Bag{{}, {Shape: []int{3}, Values: []float32{1, 2, 3}},
		{Shape: []int{1, 2, 2}, Values: make([]float32, 7)}} {
		must.Equal(t, Augment(other, rand.New(rand.NewPCG(1, 2))), other, other.Shape)
	}
}

// TestOptionsAreCheckedBeforeReading rejects more bags than memory can hold, and statistics of sets
// with constants.
func TestOptionsAreCheckedBeforeReading(t *testing.T) {
	for what, c := range map[string]struct {
		name string
		o    Options
	}{
		"training bags":          {"digits", Options{Train: 1_000_000_000}},
		"validation bags":        {"counting", Options{Validation: maxBags + 1}},
		"test slides":            {"tissue", Options{Test: 2001}},
		"statistics of mnist":    {"mnist", Options{AllData: true}},
		"statistics of digits":   {"digits", Options{AllData: true}},
		"raw features":           {"musk1", Options{Raw: true}},
		"statistics of counting": {"counting", Options{AllData: true}},
	} {
		var fault *core.SettingError
		must.Equal(t, errors.As(must.Err(Open(c.name, t.TempDir(), c.o)), &fault), true, what)
	}
}

// TestRawKeepsPixels compares with the bags without Raw.
func TestRawKeepsPixels(t *testing.T) {
	o := Options{Train: 1, Validation: 1, Test: 1, Raw: true}
	set := must.Get(Open("digits", "", o))(t)
	s := split(t, set, 0)
	bag := must.Get(s.Test[0].Bag())(t)
	raw := must.Get(preprocess(t, s).Apply(bag))(t)
	must.EqualSlices(t, raw.Values, bag.Values, slices.Max(raw.Values), slices.Max(bag.Values))
	must.Equal(t, slices.Max(raw.Values) >= 200, true, slices.Max(raw.Values),
		slices.Max(bag.Values))
}

func TestAllDataMeasuresAllParts(t *testing.T) {
	o := Options{Train: 2, Validation: 1, Test: 1}
	var measured []Preprocess
	for _, o.AllData = range []bool{false, true} {
		set := must.Get(Open("tissue", "", o))(t)
		must.Equal(t, set.AllData, o.AllData, set)
		s := split(t, set, 0)
		measuredBags := s.Train
		if o.AllData {
			measuredBags = slices.Concat(s.Train, s.Validation, s.Test)
		}
		want := must.Get(measure(measuredBags, 1./255))(t)
		got := preprocess(t, s)
		must.EqualSlices(t, got.Mean, want.Mean, got, want)
		must.EqualSlices(t, got.Std, want.Std, got, want)
		measured = append(measured, got)
	}
	must.Equal(t, slices.Equal(measured[0].Mean, measured[1].Mean), false,
		"test slides change no statistics")
}
