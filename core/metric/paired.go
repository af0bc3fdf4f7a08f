package metric

// Paired summarises the differences of a metric between two methods on the same bag, class and
// repeat, over all with both values. Its standard error is that of the differences. It is usually
// smaller than those of the methods, which include the variation between bags. A difference is
// trivial if both values are.
func (s *Study) Paired(metric, method, other string) Stat {
	against := map[item]Value{}
	for _, v := range s.values[other][metric] {
		against[v.item] = v.Value
	}
	var differences []observation
	for _, v := range s.values[method][metric] {
		if o, ok := against[v.item]; ok {
			v.Score -= o.Score
			v.Trivial = v.Trivial && o.Trivial
			differences = append(differences, v)
		}
	}
	return summarise(differences)
}
