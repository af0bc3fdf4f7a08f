package metric

// AUPRC returns the area under the precision-recall curve of scores for supporting instances, as
// average precision: the sum over distinct scores, from the highest, of the increase in recall
// times the precision. Instances with equal scores count together, so that ties need no order.
// Neutral and refuting instances are negatives; unlabelled ones are ignored. The value is in (0,
// 1]. Without a supporting instance, ok is false.
//
// The area is that of the step function. Linear interpolation between its points overestimates the
// area (Davis and Goadrich, The Relationship Between Precision-Recall and ROC Curves, 2006).
func AUPRC(scores []float64, rel []Relevance) (value float64, ok bool) {
	supporting, _ := count(rel)
	if supporting == 0 {
		return 0, false
	}
	order := Order(scores, upTo(len(scores)))
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

// equal reports whether two scores are equal in Order: NaN equals NaN.
func equal(a, b float64) bool { return a == b || a != a && b != b }
