//go:build !amd64 && !arm64 && !(js && bagscope_simd)

package kernel

func pairVectors(pairing, []float32, []float32, []float32) int { return 0 }

func clampVectors([]float32, []float32, float32, float32) int { return 0 }
