package core

import (
	"math"
	"slices"
)

// odds writes f of a coalition for some classes to dst: from a row of scores on the task's scale, which it may
// overwrite. It returns the first class whose score or output is not finite, which row then holds, or -1.
func (g *Game) odds(dst, row []float64, classes []int) int {
	if g.output == OutputProbability && g.task.Scale == ScaleLogits && len(row) > 1 {
		return softmaxOdds(dst, row, classes)
	}
	g.task.Scale.convert(row, g.output)
	if c := nonFinite(row); c >= 0 {
		return c
	}
	for n, class := range classes {
		dst[n] = row[class]
	}
	g.logOdds(dst)
	return -1
}

// nonFinite returns where a row has its first NaN or infinity, or -1.
func nonFinite(row []float64) int {
	return slices.IndexFunc(row, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
}

// softmaxOdds is odds for logits. With t_c = exp(v_c - max v) and T their sum, class c has the probability t_c / T, and
//
//	log((F + e) / (1 - F + e)) = log((t_c + e T) / (T - t_c + e T))
func softmaxOdds(dst, row []float64, classes []int) int {
	if len(row) == 2 && row[0]-row[0] == 0 && row[1]-row[1] == 0 {
		pairOdds(dst, row, classes)
		return -1
	}
	top := math.Inf(-1)
	for _, v := range row {
		if v > top {
			top = v
		}
	}
	if math.IsInf(top, 0) {
		return nonFinite(row)
	}
	sum := 0.0
	for c, v := range row {
		t := 1.0
		if v != top {
			t = expNegative(v - top)
		}
		row[c] = t
		sum += t
	}
	if math.IsNaN(sum) {
		return nonFinite(row)
	}
	least := leastOdds * sum
	for n, class := range classes {
		dst[n] = logPositive((row[class] + least) / (sum - row[class] + least))
	}
	return -1
}

// pairOdds is softmaxOdds for two finite logits. The log-odds of two classes differ in sign alone.
func pairOdds(dst, row []float64, classes []int) {
	d := row[1] - row[0]
	t := expNegative(-math.Abs(d))
	least := leastOdds * (1 + t)
	odds := math.Copysign(logPositive((1+least)/(t+least)), d)
	for n, class := range classes {
		dst[n] = odds
		if class == 0 {
			dst[n] = -odds
		}
	}
}
