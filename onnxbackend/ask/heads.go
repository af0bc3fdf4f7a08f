package ask

import (
	"fmt"

	"github.com/bagscope/bagscope/core"
)

// A Head is core.Head: a group of classes with one meaning.
type Head struct {
	Name     string     `json:"name"`
	Kind     core.Kind  `json:"kind"`
	Classes  int        `json:"classes"`
	Scale    core.Scale `json:"scale"`
	Negative int        `json:"negative"` // counted over all heads, -1 if there is none
	Unit     core.Unit  `json:"unit"`     // "" unless the numbers have one
}

// Heads returns the JSON of heads, nil for a model of one head without a unit.
func Heads(heads []core.Head) (out []Head) {
	for _, h := range heads {
		out = append(out, Head(h))
	}
	return out
}

// Text describes a head in words: what its numbers are, and how many there are.
func (h Head) Text() string {
	words := map[core.Kind]string{
		core.KindClasses:    "class scores, " + string(h.Scale),
		core.KindHazards:    "restricted mean survival from hazards",
		core.KindRegression: "regression",
		core.KindGrade:      "expected grade of ordered classes",
		core.KindAtLeast:    "probabilities of at least each grade",
		core.KindEmbedding:  "vector",
		core.KindLikeness:   "likeness to a target",
	}[h.Kind]
	if h.Name != "" {
		words = h.Name + ": " + words
	}
	if h.Classes > 1 {
		words += fmt.Sprintf(", %d numbers", h.Classes)
	}
	if h.Unit != "" {
		words += ", in " + string(h.Unit)
	}
	return words
}
