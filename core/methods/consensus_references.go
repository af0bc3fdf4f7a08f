package methods

// A reference is a context in which the marginal contributions of some instances count.
type reference struct {
	members []int // instances of the context
	users   []int // each one's reference bag is the context without it
	weight  float64
	kind    referenceKind
}

type referenceKind int

const (
	nested referenceKind = iota
	combed
	paired
)

// Weights of the kinds of reference bags, and which there are.
const (
	nestedWeight = 10
	combWeight   = 5
	tenths       = 10
	firstTenth   = 3
	pairBags     = 4
	dilutedSize  = 300 // number of instances above which pairs tell less
)

// pairWeight returns the weight of a pair in a bag of k.
func pairWeight(k int) float64 {
	s := min(1, dilutedSize/float64(k))
	return s * s
}

// references returns the contexts of a bag's reference bags, for its instances from the least to
// the most suspicious and the smallest bag that the model takes.
func references(order []int, least int) (out []reference) {
	k := len(order)
	eachReference(k, least, func(kind referenceKind, weight float64, places []span) {
		if kind == combed {
			members := atPlaces(order, places)
			users := order
			if len(members) <= least { // a bag without a member would be too small
				users = without(order, members, len(members) < least)
			}
			if len(users) > 0 {
				out = append(out, reference{members, users, weight, kind})
			}
			return
		}
		out = append(out, shared(order, places, weight, kind)...)
	})
	return out
}

// A span holds the places from up to to.
type span struct{ from, to int }

// eachReference calls f with the places of each reference bag: among an instance's others or, for
// combs, among all instances.
func eachReference(k, least int, f func(kind referenceKind, weight float64, places []span)) {
	for c := firstTenth; c < tenths; c++ {
		n := min(k-1, max(least, (c*(k-1)+tenths-1)/tenths))
		f(nested, nestedWeight, []span{{0, n}})
	}
	top := min(k, max(2, (k+4)/5))
	for first := range 2 {
		places := []span{{0, k - top}}
		for p := k - top + first; p < k; p += 2 {
			places = append(places, span{p, p + 1})
		}
		f(combed, combWeight, places)
	}
	for j := range pairBags {
		f(paired, pairWeight(k), pairPlaces(k, max(2, least), j))
	}
}

// pairPlaces returns the places of a bag of about q others, which are spread evenly.
func pairPlaces(k, q, j int) (out []span) {
	for a := range q {
		p := (k - 1) * (8*a + 2*j + 1) / (8 * q)
		if n := len(out); n > 0 && p <= out[n-1].to {
			out[n-1].to = p + 1
			continue
		}
		out = append(out, span{p, p + 1})
	}
	return out
}

// shared returns the contexts that give every instance the bag of its others at the places.
//
// The others of the instance at rank r are at the ranks 0 .. r-1 and r+1 .. k-1. Instances whose
// own rank lies in a span share a context that holds them all: the span is then one longer. Those
// between two spans share a context without them.
func shared(order []int, places []span, weight float64, kind referenceKind) (out []reference) {
	for t := range len(places) + 1 {
		from, to := 0, len(order)
		if t > 0 {
			from = places[t-1].to + 1
		}
		if t < len(places) {
			to = places[t].from
			out = append(out, reference{atPlaces(order, moved(places, t, true)),
				order[places[t].from : places[t].to+1], weight, kind})
		}
		if from < to {
			out = append(out,
				reference{atPlaces(order, moved(places, t, false)), order[from:to], weight, kind})
		}
	}
	return out
}

// moved returns the ranks at the places of the others of an instance before span t or, with inside,
// in it, together with that instance.
func moved(places []span, t int, inside bool) []span {
	out := make([]span, len(places))
	for n, p := range places {
		if n > t || n == t && !inside {
			p.from++
		}
		if n >= t {
			p.to++
		}
		out[n] = p
	}
	return out
}

// atPlaces returns the instances at places of an order.
func atPlaces(order []int, places []span) (out []int) {
	for _, p := range places {
		out = append(out, order[p.from:p.to]...)
	}
	return out
}

// without returns the instances that are not members, or none.
func without(order, members []int, none bool) (out []int) {
	if none {
		return nil
	}
	member := make([]bool, len(order))
	for _, i := range members {
		member[i] = true
	}
	for _, i := range order {
		if !member[i] {
			out = append(out, i)
		}
	}
	return out
}

// countReferences returns the number of reference bags of an instance and of the contexts that they
// share.
func countReferences(k, least int) (bags, contexts int) {
	eachReference(k, least, func(kind referenceKind, _ float64, places []span) {
		bags++
		if kind == combed {
			contexts++
		} else {
			contexts += 2*len(places) + 1
		}
	})
	return bags, contexts
}
