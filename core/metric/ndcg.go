package metric

import "math"

// NDCG returns NDCG@n of a ranking of all instances: unlabelled ones are dropped, and of the others
// the first n count, where n is the number of supporting instances,
//
//	sum_{i=1..n} rel_i / log2(i+1)  /  sum_{i=1..n} 1 / log2(i+1)
//
// in [-1, 1]; 1 when the supporting instances come first. With n = 0 there is nothing to find and ok
// is false. (The paper, section 4.2.)
func NDCG(order []int, rel []Relevance) (value float64, ok bool) {
	n, _, _ := count(rel)
	if n == 0 {
		return 0, false
	}
	gain, ideal, place := 0.0, 0.0, 0
	for _, i := range order {
		if rel[i] == Unlabelled {
			continue
		}
		place++
		discount := 1 / math.Log2(float64(place+1))
		gain += float64(rel[i]) * discount
		ideal += discount
		if place == n {
			break
		}
	}
	return gain / ideal, true
}
