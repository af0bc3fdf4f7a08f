package kernel

// addTables32 adds to n lines what their words choose of the tables of rows.
func addTables32(
	sums *float32, words *uint64, n int, rows *float32, stride int, table *float32,
) {
	if current == avx512 {
		tables32AVX512(table, rows, stride)
		lookups32AVX512(sums, words, n, table)
		return
	}
	tables32AVX2(table, rows, stride)
	lookups32AVX2(sums, words, n, table)
}

// addTables64 adds to n lines what their words choose of the tables of rows.
func addTables64(
	sums *float64, words *uint64, n int, rows *float64, stride int, table *float64,
) {
	if current == avx512 {
		tables64AVX512(table, rows, stride)
		lookups64AVX512(sums, words, n, table)
		return
	}
	tables64AVX2(table, rows, stride)
	lookups64AVX2(sums, words, n, table)
}
