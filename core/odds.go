package core

import (
	"math"
	"slices"

	"github.com/bagscope/bagscope/core/internal/stats"
)

// leastOdds is e of METHODS section 4. It bounds the log-odds of probabilities near 0 and 1. On
// 4-MNIST's validation bags a value ten times as large loses .015 of NDCG@n under attention, a
// hundredth of it .010.
const leastOdds = 1e-4

// LogOdds turns probabilities into their log-odds, in place. Other outputs stay as they are.
func (g *Game) LogOdds(values []float64) {
	if g.output != OutputProbability {
		return
	}
	for i, v := range values {
		values[i] = math.Log((max(v, 0) + leastOdds) / (max(1-v, 0) + leastOdds))
	}
}

// Odds writes f of coalitions for some classes to dst, shaped (class, coalition): from rows of
// scores on the task's scale, which it may overwrite. f is NaN for a row whose scores or outputs
// are not all finite, which the row then holds.
func (g *Game) Odds(dst [][]float64, rows []float64, classes []int) {
	g.eachHead(dst, rows, classes, g.headOdds)
}

// Outputs is Odds with the outputs of the game in place of f.
func (g *Game) Outputs(dst [][]float64, rows []float64, classes []int) {
	g.eachHead(dst, rows, classes, g.outputs)
}

// eachHead calls write for the explained head and, if some of the classes belong to folds, for
// theirs, with the columns of the head in rows of c and the places of its classes in them.
func (g *Game) eachHead(dst [][]float64, rows []float64, classes []int,
	write func(dst [][]float64, rows []float64, c int, places []int),
) {
	first, end := g.Columns()
	if end-first == g.Classes() {
		write(dst, rows, end-first, classes)
		return
	}
	c, all := end-first, g.Classes()
	of := make([]float64, len(rows)/all*c)
	for j := range g.PerClass() {
		var to [][]float64
		var places []int
		from := first + j*g.own()
		for n, class := range classes {
			if class >= from && class < from+c {
				to, places = append(to, dst[n]), append(places, class-from)
			}
		}
		if to == nil {
			continue
		}
		for i := range len(rows) / all {
			copy(of[i*c:(i+1)*c], rows[i*all+from:])
		}
		write(to, of, c, places)
	}
}

// headOdds is Odds for rows of one head, of c classes.
func (g *Game) headOdds(dst [][]float64, rows []float64, c int, classes []int) {
	switch {
	case g.output != OutputProbability || g.task.Scale != ScaleLogits || c == 1:
		g.outputs(dst, rows, c, classes)
		for _, values := range dst {
			g.LogOdds(values)
		}
	case c == 2 && stats.NonFinite(rows) < 0:
		pairOdds(dst, rows, classes)
	default:
		softmaxOdds(dst, rows, c, classes)
	}
}

// outputs is Outputs for rows of one head, of c classes.
func (g *Game) outputs(dst [][]float64, rows []float64, c int, classes []int) {
	for i := range dst[0] {
		row := rows[i*c : (i+1)*c]
		g.task.Scale.convert(row, g.output)
		bad := stats.NonFinite(row) >= 0
		for n, class := range classes {
			if dst[n][i] = row[class]; bad {
				dst[n][i] = math.NaN()
			}
		}
	}
}

// softmaxOdds is odds for logits of c classes. With t_c = exp(v_c - max v) and T their sum, class c
// has the probability t_c / T, and
//
//	log((F + e) / (1 - F + e)) = log((t_c + e T) / (T - t_c + e T))
func softmaxOdds(dst [][]float64, rows []float64, c int, classes []int) {
	for i := range dst[0] {
		row := rows[i*c : (i+1)*c]
		sum, top := 0.0, math.Inf(-1)
		for _, v := range row {
			if v > top {
				top = v
			}
		}
		if math.IsInf(top, 0) {
			sum = math.NaN()
		} else {
			for c := range row {
				row[c] -= top
			}
			stats.ExpNegative(row)
			for _, t := range row {
				sum += t
			}
		}
		least := leastOdds * sum
		for n, class := range classes {
			dst[n][i] = (row[class] + least) / (sum - row[class] + least)
		}
	}
	for _, ratios := range dst {
		stats.LogPositive(ratios)
	}
}

// pairOdds is softmaxOdds for two finite logits. The log-odds of two classes differ in sign alone.
func pairOdds(dst [][]float64, rows []float64, classes []int) {
	odds := dst[0]
	for i := range odds {
		odds[i] = -math.Abs(rows[2*i+1] - rows[2*i])
	}
	stats.ExpNegative(odds)
	for i, t := range odds {
		least := leastOdds * (1 + t)
		odds[i] = (1 + least) / (t + least)
	}
	stats.LogPositive(odds)
	for i, v := range odds {
		odds[i] = math.Copysign(v, rows[2*i+1]-rows[2*i])
	}
	for _, same := range dst[1:] {
		copy(same, odds)
	}
	if n := slices.Index(classes, 0); n >= 0 {
		for i, v := range dst[n] {
			dst[n][i] = -v
		}
	}
}
