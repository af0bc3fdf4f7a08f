package cli

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/internal/must"
)

// A flag that was given overrides --settings, even with a zero value.
func TestPrecedence(t *testing.T) {
	mnist := methods.Options{Samples: 150, Alpha: .05, Beta: .01, MeanBag: 30}
	for _, c := range []struct {
		args string
		want func(o *methods.Options)
		base methods.Options
	}{
		{"", func(*methods.Options) {}, methods.Options{}},
		{"--settings mnist", func(*methods.Options) {}, mnist},
		{"--samples 10 --settings mnist", func(o *methods.Options) { o.Samples = 10 }, mnist},
		{"--settings mnist --beta 0", func(o *methods.Options) { o.Beta = 0 }, mnist},
		{"--settings mnist --alpha .5 --mean-bag 7",
			func(o *methods.Options) { o.Alpha, o.MeanBag = .5, 7 }, mnist},
		{"--settings mnist --paired --repeats",
			func(o *methods.Options) { o.Paired, o.Repeats = true, true }, mnist},
		{"--settings musk", func(*methods.Options) {},
			methods.Options{Samples: 150, Alpha: .3, Beta: -1, MeanBag: 5, Repeats: true}},
		{"--settings musk --repeats=false", func(o *methods.Options) { o.Repeats = false },
			methods.Options{Samples: 150, Alpha: .3, Beta: -1, MeanBag: 5, Repeats: true}},
		{"--settings mnist --rank explained-class --preset paper --distance cosine --efficiency " +
			"zero", func(o *methods.Options) {
			o.Rank, o.Preset, o.Distance, o.Efficiency = methods.RankExplained, methods.PresetPaper,
				methods.DistanceCosine, methods.EmptyZero
		}, mnist},
	} {
		var f MethodFlags
		command := &cobra.Command{}
		f.Register(command, "milli")
		must.Do(t, command.ParseFlags(strings.Fields(c.args)))
		got, _, err := f.Resolve(command)
		must.Do(t, err, c.args)
		want := c.base
		if c.want(&want); got != want {
			t.Errorf("%s: %+v, want %+v", c.args, got, want)
		}
	}
}

// SIVAL's settings explain class 0 and the bag's own class unless --class is given.
func TestClasses(t *testing.T) {
	names := []string{"none", "Apple", "2", "pear"}
	sival := must.Get(methods.Settings("sival"))(t)
	for _, c := range []struct {
		args string
		data methods.DataSettings
		bag  []int
		want []int
	}{
		{"", methods.DataSettings{}, []int{1}, nil},
		{"", sival, []int{3}, []int{0, 3}},
		{"", sival, []int{0}, []int{0}},
		{"--class all", sival, []int{3}, nil},
		{"--class apple", sival, []int{3}, []int{1}},
		{"--class 2", sival, []int{3}, []int{2}},
		{"--class 3", methods.DataSettings{}, nil, []int{3}},
	} {
		var f MethodFlags
		command := &cobra.Command{}
		f.Register(command, "milli")
		must.Do(t, command.ParseFlags(strings.Fields(c.args)))
		got, err := f.Classes(command, names, c.data, &core.Bag{Class: c.bag})
		if err != nil || len(got) != len(c.want) || (got == nil) != (c.want == nil) {
			t.Errorf("%q: %v, %v, want %v", c.args, got, err, c.want)
			continue
		}
		for i := range got {
			if got[i] != c.want[i] {
				t.Errorf("%q: %v, want %v", c.args, got, c.want)
			}
		}
	}
}
