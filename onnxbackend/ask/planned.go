package ask

import "github.com/bagscope/bagscope/onnxbackend"

// Planned describes how coalitions of a bag are evaluated.
type Planned struct {
	// With masked pooling, the poolings of the model joined by +: mean, sum, max, min, attention,
	// logsumexp, topk. Else "members": instances are encoded once, and coalitions run together with
	// values of each member; "gathered": instances are encoded once and the suffix runs for each
	// coalition; or "plain": the whole graph runs for each.
	Strategy string
	Bytes    int      // memory of the encoded bag in bytes
	Once     []string // operators that run once for the bag, instance by instance
	Each     []string // operators that run for the coalitions
	Meet     []string // operators of each that mix instances
	Why      []string // reasons for the strategy, in sentences
}

// PlannedOf describes how coalitions of a bound bag are evaluated.
func PlannedOf(ev *onnxbackend.Bound) Planned {
	p := ev.Plan()
	out := Planned{Strategy: p.Strategy, Bytes: int(ev.Bytes()), Why: p.Why}
	for _, n := range p.Prefix {
		out.Once = append(out.Once, steps(n)...)
	}
	// The operators that mix instances are the reason for the cut.
	for _, n := range p.Suffix {
		out.Each = append(out.Each, steps(n)...)
		if n.Mixes() {
			out.Meet = append(out.Meet, n.Op)
		}
	}
	return out
}

// steps returns the operators that a node computes, in order.
func steps(n onnxbackend.NodeInfo) []string {
	// Passes merge operators into the node before them.
	out := []string{n.Op}
	if n.Activation != "" {
		out = append(out, n.Activation)
	}
	return append(out, n.Then...)
}
