package kernel

import "math"

// NeighbourSums are the sums over a coalition, and how the sums over its neighbours become results.
// A neighbour has one instance more or one fewer.
type NeighbourSums struct {
	Sums   []float64 // (column) over the coalition
	Bias   []float32 // (column) added to the results
	Signs  []float64 // (neighbour) 1 where an instance is added, -1 where it is removed
	Scales []float64 // (neighbour) factors of the sums
	Relu   bool      // negative results become 0
}

// Neighbours writes the results of neighbours that differ from a coalition in one row of a table
// each:
//
//	dst[j*ldd + c] = (Sums[c] + Signs[j] * rows[j*ldr + c]) * Scales[j] + Bias[c]
//
// for all neighbours j and columns c. It computes in float64, where each product is rounded, in the
// order of the formula, so that all levels return the same bits. dst overlaps none of the others.
func Neighbours[T float](dst []T, ldd int, rows []float32, ldr int, s *NeighbourSums) {
	n, columns := len(s.Signs), len(s.Sums)
	if n == 0 || columns == 0 {
		return
	}
	// The module checks no bounds.
	_, _ = s.Scales[:n], s.Bias[:columns]
	neighbours(dst[:(n-1)*ldd+columns], ldd, rows[:(n-1)*ldr+columns], ldr, s)
}

// neighboursPortable is Neighbours for the columns from first on.
func neighboursPortable[T float](
	dst []T, ldd int, rows []float32, ldr int, s *NeighbourSums, first int,
) {
	sums, columns := s.Sums[first:], len(s.Sums)-first
	bias := s.Bias[first:][:columns]
	for j, sign := range s.Signs {
		scale, row, to := s.Scales[j], rows[j*ldr+first:][:columns], dst[j*ldd+first:][:columns]
		if s.Relu {
			for c, v := range row {
				x := float64((sums[c]+sign*float64(v))*scale) + float64(bias[c])
				// max(x, 0) without a branch that processors mispredict
				to[c] = T((x + math.Abs(x)) / 2)
			}
			continue
		}
		for c, v := range row {
			to[c] = T(float64((sums[c]+sign*float64(v))*scale) + float64(bias[c]))
		}
	}
}
