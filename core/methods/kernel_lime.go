package methods

import "math"

// limeLogWeight returns the logarithm of LIME's kernel exp(-d²/(2 σ²)) of a coalition of s of k
// instances (METHODS section 1). The width σ is chosen so that a bag of the mean size without half
// of its instances, h = floor(meanBag/2), has the weight 1/2:
//   - L2: d² = k-s, so w = 2^-((k-s)/h);
//   - cosine: d = 1 - sqrt(s/k), so w = 2^-((d/d_half)²), with d_half the distance of a bag of the
//     mean size from itself without h instances.
//
// h is at least 1, also for a mean bag size of 1.
func limeLogWeight(distance Distance, meanBag, k, s int) float64 {
	h := float64(max(meanBag/2, 1))
	if distance == DistanceCosine {
		half := 1 - math.Sqrt(1-h/math.Max(float64(meanBag), h))
		d := (1 - math.Sqrt(float64(s)/float64(k))) / half
		return -math.Ln2 * d * d
	}
	return -math.Ln2 * float64(k-s) / h
}
