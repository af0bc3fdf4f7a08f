package whatif

import (
	"math"

	"github.com/bagscope/bagscope/core/internal/stats"
)

// A PooledConcept is what a concept does over several bags.
type PooledConcept struct {
	Name    string
	Bags    int     // bags that have it
	Evident int     // those in which its effect is evident
	Shapley float64 // mean Shapley value
	// Low and High are the ends of the 95 % interval of the mean, by Student's t over bags; not a
	// number for a single bag.
	Low, High float64
}

// PoolConcepts returns what concepts of the same name do over bags, in the order in which the bags
// name them. Bags without a concept do not count for it.
func PoolConcepts(bags ...[]ConceptEffect) (out []PooledConcept) {
	places := map[string]int{}
	var values [][]float64
	for _, list := range bags {
		for _, e := range list {
			at, ok := places[e.Name]
			if !ok {
				at, places[e.Name] = len(out), len(out)
				out, values = append(out, PooledConcept{Name: e.Name}), append(values, nil)
			}
			out[at].Bags++
			if e.Evident {
				out[at].Evident++
			}
			values[at] = append(values[at], e.Shapley)
		}
	}
	for at := range out {
		p, n := &out[at], float64(len(values[at]))
		p.Shapley, p.Low, p.High = stats.Mean(values[at]), math.NaN(), math.NaN()
		if n > 1 {
			half := quantile(n-1) * math.Sqrt(stats.Variance(values[at])/(n-1))
			p.Low, p.High = p.Shapley-half, p.Shapley+half
		}
	}
	return out
}

// quantile returns t of which Student's distribution leaves 5 % on both sides.
func quantile(freedom float64) float64 {
	low, high := 0.0, 20.0 // 12.7 with one degree of freedom
	for range 60 {
		if t := (low + high) / 2; stats.Tails(t, freedom) > .05 {
			low = t
		} else {
			high = t
		}
	}
	return high
}
