package main

import "fmt"

// subtract writes the tiles of C -= A·B in float64: four rows of four vectors, and one row of
// sixteen or of four vectors. Products are rounded before they are subtracted, so that results have
// the bits of plain Go.
func subtract() []*function {
	return []*function{subtractTile(4, 4), subtractTile(1, 16), subtractTile(1, 4)}
}

// subtractTile writes one tile. The vectors of B are loaded four at a time.
func subtractTile(rows, vectors int) *function {
	name := fmt.Sprintf("subtract%dx%dNEON", rows, vectors*vectorBytes/8)
	f := begin(name, "(c *float64, ldc int, a *float64, row int, column int, b *float64, ldb int, "+
		"k int)",
		fmt.Sprintf("%s subtracts the product of %d rows of A with %d columns of B, k steps", name,
			rows, vectors*vectorBytes/8),
		"long, from C. Distances are in elements; k is at least 1.")
	c, ldc, a, row := f.param("c"), f.param("ldc"), f.param("a"), f.param("row")
	column, b, ldb, k := f.param("column"), f.param("b"), f.param("ldb"), f.param("k")
	for _, distance := range []gp{ldc, row, column, ldb} {
		f.ins("LSL $3, %v", distance)
	}
	from, to := []gp{a}, []gp{c}
	for r := 1; r < rows; r++ {
		from, to = append(from, f.gp()), append(to, f.gp())
		f.ins("ADD %v, %v, %v", row, from[r-1], from[r])
		f.ins("ADD %v, %v, %v", ldc, to[r-1], to[r])
	}
	acc := make([][]vec, rows)
	for r := range acc {
		acc[r] = f.loads(vectors, to[r], 0)
	}
	f.label("step")
	factors := make([]vec, rows)
	for r := range factors {
		factors[r] = f.vec()
		f.with(fmt.Sprintf("FMOVD (%v), F%%d", from[r]), factors[r])
		f.ins("ADD %v, %v", column, from[r])
	}
	for v := 0; v < vectors; v += quad {
		for i, y := range f.loads(quad, b, v*vectorBytes) {
			for r := range acc {
				f.into(fsub2, acc[r][v+i], acc[r][v+i], f.op(fmul2(0), y, factors[r]))
			}
		}
	}
	f.ins("ADD %v, %v", ldb, b)
	f.repeat(k, "step")
	for r := range acc {
		f.stores(acc[r], to[r], 0)
	}
	f.ins("RET")
	return f
}
