package ask

import (
	"context"
	"errors"
	"iter"
	"strconv"

	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/core/whatif"
)

// A PooledAnswer holds what concepts do over the bags of files.
type PooledAnswer struct {
	Version  int             `json:"version"` // version of the answer's form, 1
	Model    Model           `json:"model"`
	Class    string          `json:"class"` // name of the class
	Bags     int             `json:"bags"`  // number of bags
	None     int             `json:"none"`  // those of which no instance has a code
	Unit     string          `json:"unit"`  // unit of the Shapley values
	Concepts []PooledConcept `json:"concepts"`
}

// PooledConcept is what a concept does over bags.
type PooledConcept struct {
	Name    string `json:"name"`
	Bags    int    `json:"bags"`    // bags that have it
	Evident int    `json:"evident"` // those in which it is evident
	Shapley Number `json:"shapley"` // mean
	Low     Number `json:"low"`     // lower end of the 95 % interval of the mean; null for one bag
	High    Number `json:"high"`
}

// PooledGroups answers the question for concepts in every bag of files, and pools the answers. name
// adds the concepts of a bag to its input; indices name none, because they differ between bags. A
// bag may have none of the codes.
// progress gets the number of bags so far. Errors are those of the files and of Groups, and a
// *core.SettingError without a class.
func (a *Ask) PooledGroups(ctx context.Context, engine Engine, files iter.Seq2[*bagio.Set, error],
	o GroupsOptions, name func(in *Input) error, progress func(done int),
) (*PooledAnswer, error) {
	switch {
	case a.Class == nil:
		return nil, wrong("class", "it is missing: the predicted one differs between bags; name "+
			"the class that all bags are asked about")
	case o.Concepts != nil:
		return nil, wrong("concepts", "instances have other indices in each bag; name concepts of "+
			"all bags by vectors or codes")
	}
	out := &PooledAnswer{Version: Version}
	var all [][]whatif.ConceptEffect
	for set, err := range files {
		if err != nil {
			return nil, err
		}
		for n := range set.Len() {
			of, err := NewInput(ctx, engine, set, n)
			if err != nil {
				return nil, err
			}
			if err := name(of); err != nil && !errors.Is(err, errNoCode) {
				return nil, err
			}
			out.Bags++
			progress(out.Bags)
			if of.Concepts == nil {
				out.None++
				continue
			}
			answer, err := a.Groups(ctx, of, o, nil)
			if err != nil {
				return nil, err
			}
			var list []whatif.ConceptEffect
			for _, c := range answer.Concepts.List {
				list = append(list, whatif.ConceptEffect{Concept: whatif.Concept{Name: c.Name},
					Shapley: float64(c.Shapley), Evident: c.Evident})
			}
			all = append(all, list)
			out.Model, out.Class = answer.Model, answer.Classes[answer.Class]
			out.Unit = string(answer.Concepts.Unit)
		}
	}
	if all == nil {
		return nil, errNoCode
	}
	for _, p := range whatif.PoolConcepts(all...) {
		out.Concepts = append(out.Concepts, PooledConcept{p.Name, p.Bags, p.Evident,
			Number(p.Shapley), Number(p.Low), Number(p.High)})
	}
	return out, nil
}

// Rows returns a row for each concept, after the heading. Missing numbers are empty.
func (a *PooledAnswer) Rows() [][]string {
	rows := [][]string{{"concept", "bags", "evident", "shapley", "low", "high", "unit"}}
	for _, c := range a.Concepts {
		rows = append(rows, []string{c.Name, strconv.Itoa(c.Bags), strconv.Itoa(c.Evident),
			known(c.Shapley), known(c.Low), known(c.High), a.Unit})
	}
	return rows
}
