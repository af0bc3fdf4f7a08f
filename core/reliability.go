package core

import (
	"context"
	"math"
)

// reliability returns, for each class, how alike the fits to either half of the coalitions are: their correlation
// over the instances, 0 where it is below. It is 1 where nothing was left to chance. Where either half determines
// the scores, the halves' products are kept for the whole's solve.
func (s *surrogate) reliability(ctx context.Context, y []float64) ([]float64, error) {
	rho := make([]float64, s.classes)
	n := s.z.Len()
	if !s.sampled || n < 2 {
		for c := range rho {
			rho[c] = 1
		}
		return rho, nil
	}
	var phi [2][]float64
	for h := range phi {
		lo, hi := h*n/2, (h+1)*n/2
		d, err := s.part(ctx, lo, hi)
		if err != nil {
			return nil, err
		}
		half := &surrogate{design: d, classes: s.classes}
		if n/2 > s.z.k {
			if half.known, err = d.pairs(ctx); err != nil {
				return nil, err
			}
			if s.known == nil {
				s.known = newSymmetric(s.z.k)
			}
			addRow(s.known.a, half.known.a)
		}
		sol, err := half.scores(ctx, half.centred(y[lo*s.classes:hi*s.classes]))
		if err != nil {
			return nil, err
		}
		phi[h] = sol.phi
	}
	for c := range rho {
		rho[c] = max(0, correlation(s.column(phi[0], c), s.column(phi[1], c)))
	}
	return rho, nil
}

// moments returns the mean and the standard deviation of values.
func moments(values []float64) (mean, deviation float64) {
	for _, v := range values {
		mean += v
	}
	mean /= float64(len(values))
	for _, v := range values {
		deviation += (v - mean) * (v - mean)
	}
	return mean, math.Sqrt(deviation / float64(len(values)))
}

// correlation is that of Pearson, 0 where either side is constant but for rounding.
func correlation(a, b []float64) float64 {
	meanA, deviationA := moments(a)
	meanB, deviationB := moments(b)
	if deviationA <= 1e-13*math.Abs(meanA) || deviationB <= 1e-13*math.Abs(meanB) {
		return 0
	}
	sum := 0.0
	for i := range a {
		sum += (a[i] - meanA) / deviationA * ((b[i] - meanB) / deviationB)
	}
	return sum / float64(len(a))
}
