package core

import "context"

// unguided is the curve under which every instance is in every other coalition.
var unguided = MILLICurve{Alpha: .5}

const (
	// mostCuts is how many parts a bag is taken apart in, at most, to try an order of its instances.
	mostCuts = 32
	// leastGain is by how much more an output has to fall, on the mean over the cuts, for an order to be better: of
	// probabilities, or of the range that the output was seen in. What falls further by less finds the same instances in
	// another order: with .02, NDCG@n on 4-MNIST under mi-gnn goes from .948 to .877 on validation bags, with .1 it stays; on SIVAL
	// under attention .1 keeps nine tenths of what .02 gains in AOPC-R.
	leastGain = .1
)

// challenge lets the fit to coalitions that draw every instance alike take the consensus' place, class by class, where the bag
// itself says that it is better: taken out in its order, from the highest score down, instances bring the output down by
// leastGain more, and taken out from the lowest score up they do not undo that, so that the gap between the two curves
// is not narrower. On validation bags that lifts AOPC-R on SIVAL from .315 to .341 under attention and from .287 to .291
// under the others, where Random LIME has .335 and .283; NDCG@n stays on 4-MNIST (.952, .953) and on colon cancer (.837).
func (b *ballot) challenge(ctx context.Context, a *Attribution) error {
	if b.samples(len(b.order)) <= len(b.order) && !b.listed.complete { // no fit would be determined
		return nil
	}
	fits, _, err := b.under(ctx, unguided)
	if err != nil {
		return err
	}
	for n, class := range b.classes {
		if fits[n].short {
			continue
		}
		was, is, err := b.compare(ctx, a.Scores[n], fits[n].phi, class)
		if err != nil {
			return err
		}
		if is.fall-was.fall > leastGain && is.gap() >= was.gap() {
			a.Scores[n], a.StdErr[n], a.R2[n] = fits[n].phi, fits[n].stderr, fits[n].r2
			a.note("for a class, coalitions that take every instance alike foretell better than guided ones what the model does when instances are taken out: its scores are theirs")
		}
	}
	return nil
}

// A trial is how far an output stood below 0 as instances were taken out with the highest scores first, and above it with the
// lowest first: means over the cuts, as shares of its range.
type trial struct{ fall, rise float64 }

// gap is the area between the two curves.
func (t trial) gap() float64 { return t.fall + t.rise }

// compare tries two orders of the instances. Level scores go by importance.
func (b *ballot) compare(ctx context.Context, before, after []float64, class int) (trial, trial, error) {
	k := len(b.order)
	n := cuts(k)
	z := NewCoalitions(k, 4*(n-1))
	for _, scores := range [][]float64{before, after} {
		order := OrderTies(scores, b.order)
		for cut := 1; cut < n; cut++ {
			z.AppendWithout(order[:cut*k/n]...)
			z.AppendMembers(order[:cut*k/n]...)
		}
	}
	values, err := b.g.Values(ctx, z)
	if err != nil {
		return trial{}, trial{}, err
	}
	least, most := 0.0, 1.0
	if b.g.output != OutputProbability {
		least, most = values[class], values[class]
		for j := range z.Len() {
			v := values[j*b.g.Classes()+class]
			least, most = min(least, v), max(most, v)
		}
	}
	if least == most {
		return trial{}, trial{}, nil
	}
	var trials [2]trial
	for j := range z.Len() {
		t := &trials[2*j/z.Len()]
		share := values[j*b.g.Classes()+class] / ((most - least) * float64(n-1))
		if j%2 == 0 {
			t.fall -= share
		} else {
			t.rise += share
		}
	}
	return trials[0], trials[1], nil
}

// cuts is how many parts a bag of k instances is taken apart in.
func cuts(k int) int { return min(k, mostCuts) }
