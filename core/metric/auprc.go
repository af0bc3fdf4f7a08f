package metric

// AUPRC returns the area under the precision-recall curve of scores against supporting instances, as
// average precision: the sum over distinct scores, from the top, of the gain in recall times the
// precision there. Instances of one score enter together, so that no tie is broken. Neutral and
// refuting instances are negatives; unlabelled ones are dropped. The value lies in (0, 1]. Without a
// supporting instance ok is false.
//
// The area is that of the step function, not of the trapezoids between its points, which is too
// large (Davis and Goadrich, The Relationship Between Precision-Recall and ROC Curves, 2006).
func AUPRC(scores []float64, rel []Relevance) (value float64, ok bool) {
	supporting, _, _ := count(rel)
	if supporting == 0 {
		return 0, false
	}
	ties := make([]int, 0, len(scores))
	for i := range scores {
		ties = append(ties, i)
	}
	order := Order(scores, ties)
	area, seen, found, gained := 0.0, 0, 0, 0
	for at, i := range order {
		if rel[i] != Unlabelled {
			seen++
		}
		if rel[i] == Supporting {
			found++
			gained++
		}
		if at+1 < len(order) && equal(scores[i], scores[order[at+1]]) {
			continue
		}
		if gained > 0 {
			area += float64(gained) / float64(supporting) * float64(found) / float64(seen)
			gained = 0
		}
	}
	return area, true
}

// equal compares scores as Order does, with NaN equal to itself.
func equal(a, b float64) bool { return a == b || a != a && b != b }
