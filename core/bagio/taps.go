package bagio

import "math"

// taps are the numbers along an axis that one sample is made of, and their weights, whose sum is 1.
// No weights are a sample beyond the axis.
type taps struct {
	first   int
	weights []float64
}

// linearTaps returns the samples at distances from the first of numbers that lie at ascending
// distances. Samples beyond the last number repeat it.
func linearTaps(at []float64, step float64, samples int) []taps {
	out := make([]taps, samples)
	below := 0
	for i := range out {
		d := at[0] + float64(i)*step
		for below+1 < len(at) && at[below+1] <= d {
			below++
		}
		out[i] = taps{below, []float64{1}}
		if below+1 < len(at) && d > at[below] {
			part := (d - at[below]) / (at[below+1] - at[below])
			out[i].weights = []float64{1 - part, part}
		}
	}
	return out
}

// scaledTaps returns n numbers scaled to a number of samples, both of which cover the same length:
// the triangle filter of Pillow and of PyTorch's antialiased bilinear interpolation, which is as
// wide as a sample where samples are wider than numbers.
func scaledTaps(n, samples int) []taps {
	out := make([]taps, samples)
	scale := float64(n) / float64(samples)
	support := max(scale, 1)
	for i := range out {
		center := (float64(i) + 0.5) * scale
		from := max(0, int(center-support+0.5))
		to := min(n, int(center+support+0.5))
		t := taps{first: from, weights: make([]float64, to-from)}
		sum := 0.0
		for j := range t.weights {
			t.weights[j] = max(0, 1-math.Abs(float64(from+j)-center+0.5)/support)
			sum += t.weights[j]
		}
		for j := range t.weights {
			t.weights[j] /= sum
		}
		out[i] = t
	}
	return out
}

// centred returns samples cut, or filled with empty ones, on both sides.
func centred(all []taps, size int) []taps {
	if cut := len(all)/2 - size/2; len(all) >= size {
		return all[cut:][:size]
	}
	out := make([]taps, size)
	copy(out[(size-len(all))/2:], all)
	return out
}

// evenly returns n distances, a step from each to the next.
func evenly(n int, step float64) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = float64(i) * step
	}
	return out
}

// blended appends the samples of a plane of numbers: rows are sampled after columns. Samples beyond
// the plane are NaN.
func blended(dst, plane []float32, width int, rows, columns []taps) []float32 {
	height := len(plane) / width
	narrow := make([]float32, height*len(columns))
	for y := range height {
		row := plane[y*width:][:width]
		for x, t := range columns {
			sum := 0.0
			for i, w := range t.weights {
				sum += w * float64(row[t.first+i])
			}
			narrow[y*len(columns)+x] = float32(sum)
		}
	}
	for _, t := range rows {
		for x := range columns {
			if len(t.weights) == 0 || len(columns[x].weights) == 0 {
				dst = append(dst, float32(math.NaN()))
				continue
			}
			sum := 0.0
			for i, w := range t.weights {
				sum += w * float64(narrow[(t.first+i)*len(columns)+x])
			}
			dst = append(dst, float32(sum))
		}
	}
	return dst
}
