package slide

import "math"

// Values returns the numbers of a patch of a slide of bands, (band, row, column), each side of
// PatchSize. They are read and interpolated as the pixels of [Grid.Patch] are; a number is missing,
// NaN, only if all those that it is interpolated from are. Errors are those of [Slide.Values].
func (g *Grid) Values(i int) ([]float32, error) {
	values, err := g.slide.Values(g.Level, g.source(i))
	if err != nil || g.atLevel == g.PatchSize {
		return values, err
	}
	n, from, to := g.slide.bands.chosen, g.atLevel, g.PatchSize
	// Columns become rows, twice.
	for range 2 {
		out := make([]float32, 0, n*from*to)
		weights := bilinear(from, to)
		for band := range n {
			plane := values[band*len(values)/n : (band+1)*len(values)/n]
			for _, w := range weights {
				for row := range len(plane) / from {
					out = append(out, w.mean(plane[row*from:]))
				}
			}
		}
		values = out
	}
	return values, nil
}

// A tent has the weights of the numbers that one is interpolated from.
type tent struct {
	first   int
	weights []float64
}

// bilinear returns the weights of the numbers of a row that is made shorter or longer: those of
// golang.org/x/image/draw.BiLinear, a triangle as wide as a number of the longer of both rows.
func bilinear(from, to int) []tent {
	out := make([]tent, to)
	scale := float64(from) / float64(to)
	wide := max(scale, 1)
	for i := range out {
		centre := (float64(i)+.5)*scale - .5
		first := max(0, int(math.Floor(centre-wide)))
		last := min(from-1, int(math.Ceil(centre+wide)))
		out[i].first = first
		for at := first; at <= last; at++ {
			out[i].weights = append(out[i].weights, max(0, 1-math.Abs(centre-float64(at))/wide))
		}
	}
	return out
}

// mean returns the weighted mean of the numbers of a row that are not missing.
func (t tent) mean(row []float32) float32 {
	sum, total := 0., 0.
	for i, w := range t.weights {
		if v := row[t.first+i]; v == v {
			sum += w * float64(v)
			total += w
		}
	}
	if total == 0 {
		return float32(math.NaN())
	}
	return float32(sum / total)
}
