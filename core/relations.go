package core

import (
	"fmt"
	"math"
	"slices"

	"github.com/bagscope/bagscope/internal/msg"
)

// Relations hold a value for each pair of the instances of a bag, such as the adjacency of patches.
// They are dense or a list of edges, never both. A bag without some instances has the values of the
// pairs that remain, unchanged: the row and the column of each removed instance are taken out, and
// nothing is normalised again (METHODS section 8).
type Relations struct {
	Dense []float32 // (k, k), row-major: entry (i, j) is that of the pair i, j; nil for edges
	Edges []Edge    // pairs without an edge have the value 0
}

// An Edge is the value of one pair of instances. The values of repeated pairs add up.
type Edge struct {
	From, To int32
	Weight   float32
}

// Select returns the relations of some of k instances, in the order given. Instances may repeat.
func (r *Relations) Select(k int, instances []int) *Relations {
	if r == nil {
		return nil
	}
	if r.Dense != nil {
		out := make([]float32, 0, len(instances)*len(instances))
		for _, i := range instances {
			row := r.Dense[i*k : (i+1)*k]
			for _, j := range instances {
				out = append(out, row[j])
			}
		}
		return &Relations{Dense: out}
	}
	return &Relations{Edges: r.AppendEdges([]Edge{}, k, instances)}
}

// AppendEdges appends the edges among some of k instances, numbered by their places in the list, in
// the order of r. Instances may repeat. Of a dense matrix, these are the entries that are not 0.
func (r *Relations) AppendEdges(to []Edge, k int, instances []int) []Edge {
	if r.Dense != nil {
		for a, i := range instances {
			for b, j := range instances {
				if w := r.Dense[i*k+j]; w != 0 {
					to = append(to, Edge{int32(a), int32(b), w})
				}
			}
		}
		return to
	}
	// places links the places of an instance in the list: first leads to one of them, next to the
	// place before it, and 0 ends the chain.
	first, next := make([]int32, k), make([]int32, len(instances)+1)
	for place, i := range instances {
		next[place+1], first[i] = first[i], int32(place+1)
	}
	for _, e := range r.Edges {
		for a := first[e.From]; a > 0; a = next[a] {
			for b := first[e.To]; b > 0; b = next[b] {
				to = append(to, Edge{a - 1, b - 1, e.Weight})
			}
		}
	}
	return to
}

// WriteMatrix writes the relations of k instances as a matrix to dst, shaped (k, k).
func (r *Relations) WriteMatrix(dst []float32, k int) {
	if r.Dense != nil {
		copy(dst, r.Dense)
		return
	}
	clear(dst)
	for _, e := range r.Edges {
		dst[int(e.From)*k+int(e.To)] += e.Weight
	}
}

// validate returns what is wrong with the relations of k instances, or "".
func (r *Relations) validate(k int) string {
	if r.Dense != nil && r.Edges != nil {
		return "its relations are dense and a list of edges; leave one of both out"
	}
	if r.Dense != nil {
		if len(r.Dense)/k != k || len(r.Dense)%k != 0 {
			return fmt.Sprintf("its relations have %d values, and %d instances have %d pairs",
				len(r.Dense), k, k*k)
		}
		if at := slices.IndexFunc(r.Dense, notFinite); at >= 0 {
			return msg.Sprintf("the relation of instances %d and %d is %v; it must be finite",
				at/k, at%k, r.Dense[at])
		}
		return ""
	}
	for n, e := range r.Edges {
		if min(e.From, e.To) < 0 || int(max(e.From, e.To)) >= k {
			return fmt.Sprintf("edge %d joins instances %d and %d, and there are %d, counted "+
				"from 0", n, e.From, e.To, k)
		}
		if notFinite(e.Weight) {
			return msg.Sprintf("edge %d has the weight %v; it must be finite", n, e.Weight)
		}
	}
	return ""
}

// notFinite reports whether v is NaN or infinite.
func notFinite(v float32) bool { return v-v != 0 }

// hash continues an FNV-1a hash with the relations.
func (r *Relations) hash(h uint64) uint64 {
	for _, v := range r.Dense {
		h = (h ^ uint64(math.Float32bits(v))) * fnvPrime
	}
	for _, e := range r.Edges {
		for _, v := range [...]uint32{uint32(e.From), uint32(e.To), math.Float32bits(e.Weight)} {
			h = (h ^ uint64(v)) * fnvPrime
		}
	}
	return h
}
