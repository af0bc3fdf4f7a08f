package methods

import (
	"math"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/internal/surrogate"
)

// shapleyLogWeight returns the logarithm of the Shapley kernel (k-1) / (C(k,s) s (k-s)) of a
// coalition of s of k instances, 0 < s < k (METHODS section 1, from Lundberg and Lee 2017). For k =
// 264 the weights reach 1e-80, so they are computed as logarithms and scaled before use.
func shapleyLogWeight(k, s int) float64 {
	return math.Log(float64(k-1)) - logBinomial(k,
		s) - math.Log(float64(s)) - math.Log(float64(k-s))
}

// logBinomial returns log C(n, m).
func logBinomial(n, m int) float64 {
	return logFactorial(n) - logFactorial(m) - logFactorial(n-m)
}

// logFactorial returns log n!.
func logFactorial(n int) float64 {
	v, _ := math.Lgamma(float64(n) + 1)
	return v
}

// shapleyKernel returns the Shapley kernel of coalitions.
func shapleyKernel(z *core.Coalitions) surrogate.LogKernel {
	return kernelBySize(z, func(s int) float64 { return shapleyLogWeight(z.Instances(), s) })
}

// kernelBySize returns a kernel that depends only on the size of a coalition. It computes each size
// once.
func kernelBySize(z *core.Coalitions, weight func(size int) float64) surrogate.LogKernel {
	bySize := make([]float64, z.Instances()+1)
	have := make([]bool, z.Instances()+1)
	return func(j int) float64 {
		s := z.Size(j)
		if !have[s] {
			bySize[s], have[s] = weight(s), true
		}
		return bySize[s]
	}
}
