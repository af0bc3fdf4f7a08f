package study

import "github.com/bagscope/bagscope/core/metric"

// RowChosen is the row of the method that has the best value of another metric on a bag and class.
const RowChosen = "chosen"

// Chosen returns a row for each class: that of the method with the highest value of the metric by,
// of the first one among equals. Random order and true labels are not chosen. A class for which no
// method has a value has no row. names are the chosen methods, in the order of the rows.
func Chosen(rows []metric.Row, by string) (chosen []metric.Row, names []string) {
	best := map[int]float64{}
	at := map[int]int{} // place of the class's row
	for _, row := range rows {
		v, ok := valueOf(row, by)
		if !ok || row.Method == metric.RowRandom || row.Method == metric.RowOracle {
			continue
		}
		i, seen := at[row.Class]
		switch {
		case !seen:
			at[row.Class] = len(chosen)
			chosen, names = append(chosen, row), append(names, row.Method)
		case v > best[row.Class]:
			chosen[i], names[i] = row, row.Method
		default:
			continue
		}
		best[row.Class] = v
	}
	for i := range chosen {
		chosen[i].Method = RowChosen
	}
	return chosen, names
}

// valueOf returns the value of a metric of a row, and whether the row has one.
func valueOf(row metric.Row, name string) (float64, bool) {
	for _, v := range row.Values {
		if v.Metric == name {
			return v.Score, true
		}
	}
	return 0, false
}
