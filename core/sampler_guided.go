package core

import (
	"math"
	"math/rand/v2"
)

// guided lists the first n coalitions of a fixed order of sizes. The default draws without
// replacement inside the size class that n leaves unfinished, so that the result does not hang on the
// order of the instances; lexicographic takes the first of that class, as the published code does.
type guided struct {
	k, n          int
	least         int // instances of the smallest coalition, 0 for 1
	lexicographic bool
	rng           *rand.Rand
}

// guide takes n coalitions in the order of a guided sampler; there are never more than exist.
func (s Sampling) guide(g *Game, method string, preset Preset, order func(guided) *Coalitions) sample {
	if s.Coalitions != nil {
		return sample{z: s.Coalitions}
	}
	k := g.Instances()
	n := subsetsFrom(k, s.least, s.samples(k))
	z := order(guided{k: k, n: n, least: s.least, lexicographic: preset == PresetReference, rng: g.Rand(method)})
	if s.Paired {
		z = pairUp(z, n, s.least)
	}
	return sample{z: z, complete: true}
}

// shap is the order of Guided SHAP (METHODS section 1): sizes 1, k-1, 2, k-2 and so on, by interleaving a
// stream of sizes 1..m-1 with one of sizes k-1..m, m = floor(k/2), the first stream first; when one ends
// the other goes on.
func (g guided) shap() *Coalitions {
	m := g.k / 2
	var up, down []int
	for s := max(1, g.least); s < m; s++ {
		up = append(up, s)
	}
	for s := g.k - 1; s >= max(m, g.least, 1); s-- {
		down = append(down, s)
	}
	nUp := min(g.countOf(up), (g.n+1)/2)
	nDown := min(g.countOf(down), g.n-nUp)
	nUp = min(g.countOf(up), g.n-nDown)

	a, b := g.take(up, nUp), g.take(down, nDown)
	z := NewCoalitions(g.k, nUp+nDown)
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

// lime is the order of Guided LIME: sizes k-1 down to the least.
func (g guided) lime() *Coalitions {
	var down []int
	for s := g.k - 1; s >= max(g.least, 1); s-- {
		down = append(down, s)
	}
	return g.take(down, min(g.n, g.countOf(down)))
}

// countOf returns how many coalitions have one of the sizes, at most n+1: no one asks for more.
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

// take lists the first n coalitions, size class by size class.
func (g guided) take(sizes []int, n int) *Coalitions {
	z := NewCoalitions(g.k, n)
	for _, s := range sizes {
		want := n - z.Len()
		switch {
		case want == 0:
			return z
		case g.lexicographic || binomial(g.k, s, want+1) <= want:
			appendLexicographic(z, s, want, nil)
		default:
			// The lexicographic order of a random relabelling: a draw without replacement that favours no
			// instance. It crosses some instances completely instead of all a little. Mean NDCG@n of Guided LIME
			// on 100 4-MNIST bags: .807 (five seeds), against .773 with subsets drawn independently (four seeds)
			// and .767 with rotations of random subsets (five seeds); reference .818. The choice was made on
			// these bags, so that the figures favour it.
			appendLexicographic(z, s, want, g.rng.Perm(g.k))
		}
	}
	return z
}

// appendLexicographic adds the first n subsets of s instances in lexicographic order, with instances renamed by
// label unless it is nil. It goes through those that are in or those that are out, whichever are fewer:
// complements come in the reverse order.
func appendLexicographic(z *Coalitions, s, n int, label []int) {
	few, first, step := s, 0, stepUp
	if 2*s > z.k {
		few = z.k - s
		first, step = s, stepDown
	}
	c := make([]int, few)
	for i := range c {
		c[i] = first + i
	}
	for range n {
		row := z.AppendEmpty()
		if first > 0 {
			fillRow(row, z.k)
		}
		for _, i := range c {
			if label != nil {
				i = label[i]
			}
			row[i/64] ^= 1 << (i % 64)
		}
		if !step(c, z.k) {
			return
		}
	}
}

// stepUp makes c, ascending numbers below k, the next set of as many in lexicographic order, if there is one.
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

// stepDown makes c the set before it, if there is one.
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

// binomial returns C(n, m), or limit when it is larger.
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

// pairUp follows each coalition by its complement, if that has the least size, each once, and keeps the first n.
func pairUp(z *Coalitions, n, least int) *Coalitions {
	seen := newCoalitionSet(z.k, n)
	row := make([]uint64, z.words)
	for j := range z.Len() {
		copy(row, z.Row(j))
		seen.enter(row)
		if complement(row, z.k); overlap(row, row) >= least {
			seen.enter(row)
		}
	}
	return seen.rows.Slice(0, min(n, seen.rows.Len()))
}
