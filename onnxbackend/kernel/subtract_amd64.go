package kernel

// AVX-512 has nothing to add: a matrix of some hundred rows waits for the second-level cache.

func subtract4x8(c *float64, ldc int, a *float64, row, column int, b *float64, ldb, k int) {
	subtract4x8AVX2(c, ldc, a, row, column, b, ldb, k)
}

func subtract1x32(c *float64, ldc int, a *float64, row, column int, b *float64, ldb, k int) {
	subtract1x32AVX2(c, ldc, a, row, column, b, ldb, k)
}

func subtract1x8(c *float64, ldc int, a *float64, row, column int, b *float64, ldb, k int) {
	subtract1x8AVX2(c, ldc, a, row, column, b, ldb, k)
}
