package cli

import (
	"slices"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/internal/must"
)

// Every option of methods has a flag with its name, kind and help, and there are no other flags.
func TestOptionFlags(t *testing.T) {
	var f MethodFlags
	c := &cobra.Command{}
	f.Register(c, "milli")
	types := map[core.OptionKind]string{
		core.KindInteger: "int", core.KindNumber: "float", core.KindFlag: "bool",
		core.KindChoice: "word",
	}
	general := []string{"method", "class", "settings", "output", "seed", "memory", "budget",
		"workers"}
	var want []string
	for _, o := range methods.AllOptions() {
		if o.Kind == core.KindCoalitions {
			continue // explain reads them from a file
		}
		want = append(want, o.Name)
		flag := c.Flags().Lookup(o.Name)
		if flag == nil || flag.Value.Type() != types[o.Kind] || flag.Usage != optionUsage(o) {
			t.Errorf("%s has the flag %+v", o.Name, flag)
		}
	}
	var got []string
	c.Flags().VisitAll(func(flag *pflag.Flag) {
		if !slices.Contains(general, flag.Name) {
			got = append(got, flag.Name)
		}
	})
	slices.Sort(want)
	must.EqualSlices(t, got, want)
}

// TestReadOptionFlags checks that every option of reading bags has a flag with its name and help,
// and that there is no other flag but the path and those of slides. Inputs beside the instances
// have the flag --input of the model.
func TestReadOptionFlags(t *testing.T) {
	var f BagFlags
	c := &cobra.Command{}
	f.Register(c, "bag", BagUsage)
	want := []string{"bag"}
	for _, o := range bagio.ReadOptions() {
		if o.Name == "inputs" {
			continue
		}
		want = append(want, o.Name)
		if flag := c.Flags().Lookup(o.Name); flag == nil || flag.Usage != optionUsage(o) {
			t.Errorf("%s has the flag %+v", o.Name, flag)
		}
	}
	slides := &cobra.Command{}
	new(SlideFlags).Register(slides)
	slides.Flags().VisitAll(func(flag *pflag.Flag) { want = append(want, flag.Name) })
	var got []string
	c.Flags().VisitAll(func(flag *pflag.Flag) { got = append(got, flag.Name) })
	slices.Sort(want)
	must.EqualSlices(t, got, want)
}

func TestOptionFlagsRejectInvalidValues(t *testing.T) {
	for _, args := range [][]string{{"--samples", "ten"}, {"--alpha", "x"}, {"--paired=perhaps"},
		{"--rank"}} {
		var f MethodFlags
		c := &cobra.Command{}
		f.Register(c, "milli")
		must.Equal(t, c.ParseFlags(args) != nil, true, args)
	}
}
