package metric

import (
	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/methods"
)

// CheckOptions declares the options of the sanity checks of a map.
func CheckOptions() []core.Option {
	choices := []core.Choice{}
	for _, m := range methods.All() {
		choices = append(choices, core.Choice{Word: m.Name, Title: m.Title})
	}
	return []core.Option{
		{
			Name: "method", Title: "Method", Kind: core.KindChoice,
			Help:    "Method whose map is checked.",
			Default: methods.Default,
			Choices: choices,
		},
		{
			Name: "noise", Title: "Noise", Kind: core.KindNumber,
			Help:    "Standard deviation of the noise, relative to that of the values.",
			Default: "0.05",
			Range: &core.Range{Least: 0, Most: mostNoise, Open: true,
				Why: "noise of 0 changes nothing, and more than ten times the values hides them"},
		},
		{
			Name: "marked", Title: "Marked", Kind: core.KindNumber,
			Help:    "Share of the instances that get a mark.",
			Default: "0.1",
			Range:   &core.Range{Least: 0, Most: 1, Why: "it is a share"},
		},
	}
}
