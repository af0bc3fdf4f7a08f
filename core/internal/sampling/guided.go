package sampling

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/internal/rows"
)

// guided lists the first n coalitions in a fixed order of sizes. If n ends inside a size, the
// default draws without replacement from that size, so that the result does not depend on the order
// of the instances. lexicographic lists the first coalitions of that size, as the published code
// does.
type guided struct {
	k, n          int
	sizes         []int // admissible, in ascending order
	lexicographic bool
	rng           *rand.Rand
}

// GuidedSHAP returns the first coalitions in the order of Guided SHAP, or all if there are fewer.
// lexicographic lists the first coalitions of the last size, as the published code does.
func (s Sampler) GuidedSHAP(rng *rand.Rand, lexicographic bool) Sample {
	return s.inOrder(s.guided(rng, lexicographic).shap())
}

// GuidedLIME is GuidedSHAP in the order of Guided LIME.
func (s Sampler) GuidedLIME(rng *rand.Rand, lexicographic bool) Sample {
	return s.inOrder(s.guided(rng, lexicographic).lime())
}

// guided returns the list of a guided sampler.
func (s Sampler) guided(rng *rand.Rand, lexicographic bool) guided {
	return guided{k: s.Instances, n: s.Subsets(s.Number), sizes: s.sizes(),
		lexicographic: lexicographic, rng: rng}
}

// inOrder returns the sample of coalitions of a guided sampler.
func (s Sampler) inOrder(z *core.Coalitions) Sample {
	if s.Paired {
		z = s.pairUp(z, s.Subsets(s.Number))
	}
	all := z.Len() == s.Subsets(z.Len()+1)
	return Sample{Coalitions: z, Complete: all, Chosen: !all}
}

// shap returns coalitions in the order of Guided SHAP (METHODS section 1): sizes 1, k-1, 2, k-2 and
// so on. It interleaves the sizes 1..m-1 with the sizes k-1..m, m = floor(k/2), starting with the
// former; when one list ends, the other continues.
func (g guided) shap() *core.Coalitions {
	var up []int
	for _, s := range g.sizes {
		if s < g.k/2 {
			up = append(up, s)
		}
	}
	down := g.descending(g.k / 2)
	nUp := min(g.countOf(up), (g.n+1)/2)
	nDown := min(g.countOf(down), g.n-nUp)
	nUp = min(g.countOf(up), g.n-nDown)

	a, b := g.list(up, nUp), g.list(down, nDown)
	z := core.NewCoalitions(g.k, nUp+nDown)
	for j := range max(nUp, nDown) {
		if j < nUp {
			z.Append(a.Row(j))
		}
		if j < nDown {
			z.Append(b.Row(j))
		}
	}
	return z
}

// lime returns coalitions in the order of Guided LIME: sizes k-1 down to the least.
func (g guided) lime() *core.Coalitions {
	sizes := g.descending(1)
	return g.list(sizes, min(g.n, g.countOf(sizes)))
}

// descending returns the sizes from the largest down to last.
func (g guided) descending(last int) (sizes []int) {
	for _, s := range slices.Backward(g.sizes) {
		if s >= last {
			sizes = append(sizes, s)
		}
	}
	return sizes
}

// countOf returns the number of coalitions of the given sizes, at most n+1.
func (g guided) countOf(sizes []int) int {
	total := 0
	for _, s := range sizes {
		total += binomial(g.k, s, g.n+1)
		if total > g.n {
			return g.n + 1
		}
	}
	return total
}

// list returns the first n coalitions, size by size.
func (g guided) list(sizes []int, n int) *core.Coalitions {
	z := core.NewCoalitions(g.k, n)
	for _, s := range sizes {
		missing := n - z.Len()
		switch {
		case missing == 0:
			return z
		case g.lexicographic || binomial(g.k, s, missing+1) <= missing:
			appendLexicographic(z, s, missing, nil)
		default:
			// The lexicographic order of randomly relabelled instances: a draw without replacement
			// that favours no instance. It combines a few instances completely instead of all
			// instances a little. Mean NDCG@n of Guided LIME on 100 4-MNIST bags: .807 (five
			// seeds), against .773 with subsets drawn independently (four seeds) and .767 with
			// rotations of random subsets (five seeds); reference .818. The choice was made on
			// these bags, so that the figures favour it.
			appendLexicographic(z, s, missing, g.rng.Perm(g.k))
		}
	}
	return z
}

// appendLexicographic appends the first n subsets of s of k instances in lexicographic order, with
// instances renamed by label unless it is nil. It iterates over the members or, in reverse order,
// over the complements, whichever are fewer.
func appendLexicographic(z *core.Coalitions, s, n int, label []int) {
	few, first, step := s, 0, stepUp
	if 2*s > z.Instances() {
		few = z.Instances() - s
		first, step = s, stepDown
	}
	c := make([]int, few)
	for i := range c {
		c[i] = first + i
	}
	for range n {
		row := z.AppendEmpty()
		if first > 0 {
			rows.Fill(row, z.Instances())
		}
		for _, i := range c {
			if label != nil {
				i = label[i]
			}
			row[i/64] ^= 1 << (i % 64)
		}
		if !step(c, z.Instances()) {
			return
		}
	}
}

// stepUp replaces c, ascending numbers below k, by the next set of the same size in lexicographic
// order, if there is one.
func stepUp(c []int, k int) bool {
	i := len(c) - 1
	for i >= 0 && c[i] == k-len(c)+i {
		i--
	}
	if i < 0 {
		return false
	}
	c[i]++
	for j := i + 1; j < len(c); j++ {
		c[j] = c[j-1] + 1
	}
	return true
}

// stepDown replaces c by the previous set of the same size, if there is one.
func stepDown(c []int, k int) bool {
	i := len(c) - 1
	for i > 0 && c[i] == c[i-1]+1 {
		i--
	}
	if c[i] == 0 {
		return false
	}
	c[i]--
	for j := i + 1; j < len(c); j++ {
		c[j] = k - len(c) + j
	}
	return true
}

// binomial returns C(n, m), at most limit.
func binomial(n, m, limit int) int {
	m = min(m, n-m)
	c := 1.0
	for i := range m {
		c = math.Round(c * float64(n-i) / float64(i+1))
		if c >= float64(limit) {
			return limit
		}
	}
	return int(c)
}

// pairUp returns each coalition followed by its complement if that has an admissible size. It
// removes duplicates and keeps the first n.
func (s Sampler) pairUp(z *core.Coalitions, n int) *core.Coalitions {
	seen := core.NewCoalitionSet(z.Instances(), n)
	row := make([]uint64, len(z.Row(0)))
	for j := range z.Len() {
		copy(row, z.Row(j))
		seen.Add(row)
		if rows.Complement(row, z.Instances()); s.admits(row) {
			seen.Add(row)
		}
	}
	return seen.Rows.Slice(0, min(n, seen.Rows.Len()))
}
