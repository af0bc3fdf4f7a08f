package metric

// Paired summarises by how much one method exceeds another on the same bag and class in the same repeat, over all on
// which both have a value. Its error is that of the differences: smaller than the methods' own, which
// count how much bags differ. A difference is trivial where both values are.
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
