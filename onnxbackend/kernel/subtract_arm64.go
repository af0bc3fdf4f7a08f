package kernel

func subtract4x8(c *float64, ldc int, a *float64, row, column int, b *float64, ldb, k int) {
	subtract4x8NEON(c, ldc, a, row, column, b, ldb, k)
}

func subtract1x32(c *float64, ldc int, a *float64, row, column int, b *float64, ldb, k int) {
	subtract1x32NEON(c, ldc, a, row, column, b, ldb, k)
}

func subtract1x8(c *float64, ldc int, a *float64, row, column int, b *float64, ldb, k int) {
	subtract1x8NEON(c, ldc, a, row, column, b, ldb, k)
}
