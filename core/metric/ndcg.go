package metric

import "math"

// NDCG returns NDCG@n of a ranking of all instances (the paper, section 4.2). It ignores unlabelled
// instances and uses the first n of the others; n is the number of supporting instances:
//
//	sum_{i=1..n} rel_i / log2(i+1)  /  sum_{i=1..n} 1 / log2(i+1)
//
// The value is in [-1, 1], and 1 if the supporting instances are ranked first. For n = 0, ok is
// false.
func NDCG(order []int, rel []Relevance) (value float64, ok bool) {
	n, _ := count(rel)
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
