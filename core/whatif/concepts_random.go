package whatif

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/internal/rows"
)

// A conceptTest compares a concept with random sets of its size. The statistic is the magnitude of
// the mean of
//
//	f(X - O) - f(X - O - S)
//
// over contexts O, the instances of other concepts that are absent. S is the concept or a random
// set. Its instances change places with those of the concept, also in O: under the hypothesis that
// names are given at random, all sets are equally likely.
type conceptTest struct {
	*conceptGame
	of       int
	contexts [][]uint64
	base     []float64 // (context) f of the bag without it
	drawer   *setDrawer
}

const (
	mostTested  = 1 << 10 // bags of a test that are evaluated at a time, about
	enoughLarge = 10      // random sets with as large an effect that end a test
	trifle      = .05     // share of the largest effect, and log-odds: less is not evident
)

// test sets P of all concepts. bag may be nil.
func (c *conceptGame) test(ctx context.Context, bag *core.Bag, out *Concepts) error {
	near, err := neighbourhoods(bag, c.g.Instances())
	if err != nil {
		return err
	}
	out.Contiguous = near != nil
	means, largest := make([]float64, len(out.List)), 0.0
	for j := range out.List {
		rng := c.g.Rand("concept " + c.concepts[j].Name)
		t := &conceptTest{conceptGame: c, of: j, drawer: c.drawer(j, near, rng)}
		t.setContexts(rng)
		if means[j], out.List[j].P, err = t.p(ctx, out.Random); err != nil {
			return err
		}
		if means[j] > largest { // not for NaN
			largest = means[j]
		}
	}
	correct(out.List)
	least := trifle * largest
	if out.Unit == core.UnitLogOdds {
		least = max(least, trifle)
	}
	for j := range out.List {
		e := &out.List[j]
		e.Evident = e.Adjusted <= conceptLevel && means[j] >= least
	}
	return nil
}

// correct sets Adjusted by the correction of Holm (1979). A concept without P counts.
func correct(list []ConceptEffect) {
	order := make([]*ConceptEffect, 0, len(list))
	for j := range list {
		order = append(order, &list[j])
	}
	slices.SortStableFunc(order, func(a, b *ConceptEffect) int {
		if math.IsNaN(a.P) || math.IsNaN(b.P) {
			return -cmp.Compare(a.P, b.P) // not a number is below all numbers
		}
		return cmp.Compare(a.P, b.P)
	})
	last := 0.0
	for n, e := range order {
		if math.IsNaN(e.P) {
			break
		}
		last = max(last, min(1, float64(len(list)-n)*e.P))
		e.Adjusted = last
	}
}

// Contexts of a test.
const (
	mostOthers  = 5 // other concepts of which all sets are contexts
	chainsOfFew = 2 // random orders of up to mostRuled - 1 other concepts; 1 of more
)

// setContexts sets the contexts: all sets of up to 5 other concepts, else those of the first ones
// of random orders and of their reverses.
func (t *conceptTest) setContexts(rng *rand.Rand) {
	var others []int
	for j := range t.sets {
		if j != t.of {
			others = append(others, j)
		}
	}
	n := len(others)
	add := func(absent uint64) {
		union := make([]uint64, len(t.sets[0]))
		for at, j := range others {
			if absent>>at&1 == 1 {
				for w, word := range t.sets[j] {
					union[w] |= word
				}
			}
		}
		t.contexts = append(t.contexts, union)
	}
	all := uint64(1)<<n - 1
	if n <= mostOthers {
		for absent := range all + 1 {
			add(absent)
		}
		return
	}
	add(0)
	add(all)
	chains := chainsOfFew
	if n >= mostRuled {
		chains = 1
	}
	for range chains {
		absent := uint64(0)
		for _, at := range rng.Perm(n)[1:] {
			absent |= 1 << at
			add(absent)
			add(all &^ absent)
		}
	}
}

// p returns the magnitude of the mean effect of the concept, and the share of random sets, the
// concept among them, whose effect is at least as large. The test ends early if enough are (Besag
// and Clifford 1991). Both are not a number if no context is known.
func (t *conceptTest) p(ctx context.Context, random int) (own, p float64, err error) {
	means, err := t.means(ctx, [][]int{t.concepts[t.of].Instances})
	if err != nil {
		return 0, 0, err
	}
	if own = math.Abs(means[0]); math.IsNaN(own) {
		return own, own, nil
	}
	atOnce := max(1, mostTested/len(t.contexts))
	least := own * (1 - 1e-9) // rounding must not separate equal effects
	large := 0
	for done := 0; done < random; {
		var sets [][]int
		for range min(atOnce, random-done) {
			sets = append(sets, t.drawer.draw())
		}
		if means, err = t.means(ctx, sets); err != nil {
			return 0, 0, err
		}
		for _, e := range means {
			if done++; !(math.Abs(e) < least) {
				large++
			}
			if large == enoughLarge {
				return own, float64(large) / float64(done), nil
			}
		}
	}
	return own, float64(large+1) / float64(random+1), nil
}

// means returns the mean effect of sets over the contexts whose values are known. The first call
// has the concept as its first set.
func (t *conceptTest) means(ctx context.Context, sets [][]int) ([]float64, error) {
	z := core.NewCoalitions(t.g.Instances(), 2*len(sets)*len(t.contexts))
	fixed := make([]bool, 0, len(sets)*len(t.contexts)) // the bag without the context is known
	for _, set := range sets {
		own := core.NewCoalitions(t.g.Instances(), 1)
		own.AppendMembers(set...)
		from, to := t.exchange(set, own.Row(0))
		for _, context := range t.contexts {
			moved := slices.Clone(context)
			for n, i := range from {
				if rows.Has(moved, i) != rows.Has(moved, to[n]) {
					rows.Toggle(moved, i)
					rows.Toggle(moved, to[n])
				}
			}
			same := t.base != nil && slices.Equal(moved, context)
			fixed = append(fixed, same)
			for last := range 2 {
				if last == 0 && same {
					continue
				}
				z.AppendWithout()
				row := z.Row(z.Len() - 1)
				subtract(row, moved)
				if last == 1 {
					subtract(row, own.Row(0))
				}
			}
		}
	}
	values, err := t.taken(z, func(taken *core.Coalitions) ([]float64, error) {
		return onceEach(ctx, t.g, taken)
	})
	if err != nil {
		return nil, err
	}
	return t.meansOf(t.odds(values), fixed, len(sets)), nil
}

// meansOf returns the means of sets from the values of their bags.
func (t *conceptTest) meansOf(f []float64, fixed []bool, sets int) []float64 {
	out := make([]float64, sets)
	for n := range out {
		sum, count := 0.0, 0
		for c := range t.contexts {
			var base float64
			if fixed[n*len(t.contexts)+c] {
				base = t.base[c]
			} else {
				base, f = f[0], f[1:]
			}
			if n == 0 && len(t.base) == c {
				t.base = append(t.base, base)
			}
			if d := base - f[0]; !math.IsNaN(d) {
				sum += d
				count++
			}
			f = f[1:]
		}
		out[n] = sum / float64(count)
	}
	return out
}

// exchange returns the instances of the concept that are not in a set, and those of the set that
// are not in the concept, with which they change places.
func (t *conceptTest) exchange(set []int, members []uint64) (from, to []int) {
	for _, i := range t.concepts[t.of].Instances {
		if !rows.Has(members, i) {
			from = append(from, i)
		}
	}
	for _, i := range set {
		if !rows.Has(t.sets[t.of], i) {
			to = append(to, i)
		}
	}
	return from, to
}

// A setDrawer draws random sets of the size of a concept. If instances have neighbours, the parts
// of a set are as large as those of the concept: each grows from a random instance.
type setDrawer struct {
	rng   *rand.Rand
	pool  []int   // instances to draw from
	parts []int   // sizes of the parts of the concept, the largest first
	near  [][]int // (instance) its neighbours, or nil
	taken []bool  // (instance) scratch
}

// drawer returns the drawer of a concept: from the instances that no other concept has if they are
// at least twice as many, else from all.
func (c *conceptGame) drawer(of int, near [][]int, rng *rand.Rand) *setDrawer {
	concept := c.concepts[of].Instances
	d := &setDrawer{rng: rng, near: near, taken: make([]bool, c.g.Instances())}
	for i := range d.taken {
		other := false
		for j, set := range c.sets {
			other = other || j != of && rows.Has(set, i)
		}
		if !other {
			d.pool = append(d.pool, i)
		}
	}
	if len(d.pool) < 2*len(concept) {
		d.pool = d.pool[:0]
		for i := range d.taken {
			d.pool = append(d.pool, i)
		}
	}
	d.parts = d.partsOf(concept)
	return d
}

// partsOf returns the sizes of the contiguous parts of a set, the largest first.
func (d *setDrawer) partsOf(set []int) (sizes []int) {
	if d.near == nil {
		return slices.Repeat([]int{1}, len(set))
	}
	rest := map[int]bool{}
	for _, i := range set {
		rest[i] = true
	}
	for _, first := range set {
		if !rest[first] {
			continue
		}
		delete(rest, first)
		part := []int{first}
		for n := 0; n < len(part); n++ {
			for _, i := range d.near[part[n]] {
				if rest[i] {
					delete(rest, i)
					part = append(part, i)
				}
			}
		}
		sizes = append(sizes, len(part))
	}
	slices.SortFunc(sizes, func(a, b int) int { return b - a })
	return sizes
}

// draw returns a random set.
func (d *setDrawer) draw() (set []int) {
	for i := range d.taken {
		d.taken[i] = true
	}
	for _, i := range d.pool {
		d.taken[i] = false
	}
	d.rng.Shuffle(len(d.pool), func(a, b int) { d.pool[a], d.pool[b] = d.pool[b], d.pool[a] })
	next := 0
	for _, size := range d.parts {
		var border []int
		for range size {
			i := -1
			for i < 0 && len(border) > 0 {
				at, last := d.rng.IntN(len(border)), len(border)-1
				if !d.taken[border[at]] {
					i = border[at]
				}
				border[at], border = border[last], border[:last]
			}
			for ; i < 0; next++ { // a new part, or one that cannot grow
				if !d.taken[d.pool[next]] {
					i = d.pool[next]
				}
			}
			d.taken[i] = true
			set = append(set, i)
			if d.near != nil {
				border = append(border, d.near[i]...)
			}
		}
	}
	return set
}

// neighbourhoods returns the neighbours of each of k instances: those around it on the grid of the
// patches, the 8 nearest if they lie on none, and nil for a bag without places.
func neighbourhoods(bag *core.Bag, k int) ([][]int, error) {
	if bag == nil || bag.Boxes == nil {
		return nil, nil
	}
	var edges *core.Relations
	err := error(nil)
	for _, rule := range []string{"grid8", "knn(8)"} {
		by, wrong := core.ParseAdjacency(rule)
		if wrong != nil {
			return nil, wrong
		}
		if edges, err = by.Relations(bag); err == nil || !errors.As(err, new(*core.BagError)) {
			break
		}
	}
	if err != nil {
		return nil, err
	}
	near := make([][]int, k)
	for _, e := range edges.Edges {
		near[e.From] = append(near[e.From], int(e.To))
	}
	return near, nil
}
