package kernel

// addTables32 adds to n lines what their words choose of the tables of rows.
func addTables32(
	sums *float32, words *uint64, n int, rows *float32, stride int, table *float32,
) {
	tables32NEON(table, rows, stride)
	lookups32NEON(sums, words, n, table)
}

// addTables64 adds to n lines what their words choose of the tables of rows.
func addTables64(
	sums *float64, words *uint64, n int, rows *float64, stride int, table *float64,
) {
	tables64NEON(table, rows, stride)
	lookups64NEON(sums, words, n, table)
}
