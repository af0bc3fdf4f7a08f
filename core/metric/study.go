package metric

import "math"

// A Study pools the rows of many bags, classes and repeats. The zero value is an empty study.
//
// A value belongs to one bag, one class and one repeat (one trained network, one seed). The mean
// and its standard error pool all values, as the paper's code does. Because values of one network
// are not independent, a Stat also has the standard error over the means of the repeats.
type Study struct {
	methods []string // methods in the order of their first row
	values  map[string]map[string][]observation
	bags    int // number of bags added
}

// An observation is one value of a metric, with its bag, class and repeat.
type observation struct {
	repeat int
	item
	Value
}

// An item identifies the bag and class that methods are compared on.
type item struct{ bag, class int }

// Stat summarises one metric of one method.
type Stat struct {
	Mean           float64 // NaN if N is 0
	SEM            float64 // sample standard deviation divided by sqrt N, NaN if N < 2
	N              int     // number of values
	NontrivialMean float64 // mean of the values that are not trivial, NaN if there are none
	NontrivialSEM  float64 // standard error of NontrivialMean, NaN for fewer than two values
	NontrivialN    int
	Repeats        int     // number of repeats with a value
	RepeatSEM      float64 // standard error of the mean of the repeats' means, NaN if Repeats < 2
}

// A Summary is a method's line in a table.
type Summary struct {
	Method string
	Stats  []NamedStat // statistics in the order of Metrics; metrics without values are missing
}

// NamedStat is the statistic of a named metric.
type NamedStat struct {
	Metric Info
	Stat
}

// Add adds the rows of one bag in the given repeat.
func (s *Study) Add(repeat int, rows []Row) {
	if s.values == nil {
		s.values = map[string]map[string][]observation{}
	}
	for _, row := range rows {
		byMetric, ok := s.values[row.Method]
		if !ok {
			byMetric = map[string][]observation{}
			s.values[row.Method] = byMetric
			s.methods = append(s.methods, row.Method)
		}
		for _, v := range row.Values {
			byMetric[v.Metric] = append(byMetric[v.Metric],
				observation{repeat, item{s.bags, row.Class}, v})
		}
	}
	s.bags++
}

// Summaries returns a summary of each method in the order of first addition, with the random and
// oracle rows last.
func (s *Study) Summaries() []Summary {
	var out, last []Summary
	for _, method := range s.methods {
		line := Summary{Method: method}
		for _, info := range Metrics() {
			if values := s.values[method][info.Name]; len(values) > 0 {
				line.Stats = append(line.Stats, NamedStat{info, summarise(values)})
			}
		}
		if method == RowRandom || method == RowOracle {
			last = append(last, line)
		} else {
			out = append(out, line)
		}
	}
	return append(out, last...)
}

// summarise returns the statistics of all values of one metric and method.
func summarise(values []observation) Stat {
	var all, nontrivial, means []float64
	var repeats []int
	byRepeat := map[int][]float64{}
	for _, v := range values {
		all = append(all, v.Score)
		if !v.Trivial {
			nontrivial = append(nontrivial, v.Score)
		}
		if byRepeat[v.repeat] == nil {
			repeats = append(repeats, v.repeat)
		}
		byRepeat[v.repeat] = append(byRepeat[v.repeat], v.Score)
	}
	// In the order of addition: the rounding of a sum over a map would change from run to run.
	for _, r := range repeats {
		mean, _ := meanSEM(byRepeat[r])
		means = append(means, mean)
	}
	stat := Stat{N: len(all), NontrivialN: len(nontrivial), Repeats: len(means)}
	stat.Mean, stat.SEM = meanSEM(all)
	stat.NontrivialMean, stat.NontrivialSEM = meanSEM(nontrivial)
	_, stat.RepeatSEM = meanSEM(means)
	return stat
}

// meanSEM returns the mean and its standard error, or NaN if there are too few values.
func meanSEM(values []float64) (mean, sem float64) {
	n := float64(len(values))
	for _, v := range values {
		mean += v / n
	}
	if len(values) == 0 {
		return math.NaN(), math.NaN()
	}
	squares := 0.0
	for _, v := range values {
		squares += (v - mean) * (v - mean)
	}
	return mean, math.Sqrt(squares / (n - 1) / n) // 0/0 is NaN for a single value
}
