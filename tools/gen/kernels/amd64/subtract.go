package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// subtract writes the tiles of C -= A·B in float64: four rows of two vectors, and one row of eight
// or of two vectors. Products are rounded before they are subtracted, so that results have the bits
// of plain Go.
func subtract() {
	for _, tile := range [][2]int{{4, 2}, {1, 8}, {1, 2}} {
		avx2.subtractTile(tile[0], tile[1])
	}
}

// subtractTile writes one tile. A tile of one row reads B from memory in each product; a tile of
// several rows loads each vector of B once.
func (s isa) subtractTile(rows, vectors int) {
	columns := vectors * s.bytes / 8
	name := fmt.Sprintf("subtract%dx%d%s", rows, columns, s.name)
	function(name, "(c *float64, ldc int, a *float64, row, column int, b *float64, ldb, k int)",
		fmt.Sprintf("%s subtracts the product of %d rows of A with %d columns of B, k steps "+
			"long, from C. Distances are in elements; k is at least 1.", name, rows, columns))
	c, ldc, a, row, column := param("c"), param("ldc"), param("a"), param("row"), param("column")
	b, ldb, k := param("b"), param("ldb"), param("k")
	for _, distance := range []reg.GPVirtual{ldc, row, column, ldb} {
		SHLQ(Imm(3), distance)
	}
	from, to := []reg.GPVirtual{a}, []reg.GPVirtual{c}
	for r := 1; r < rows; r++ {
		x, y := copyOf(from[r-1]), copyOf(to[r-1])
		ADDQ(row, x)
		ADDQ(ldc, y)
		from, to = append(from, x), append(to, y)
	}
	acc, line, factor, product := s.vectors(rows*vectors), s.vectors(2), s.vector(), s.vector()
	for i, v := range acc {
		VMOVUPD(at(to[i/vectors], i%vectors*s.bytes), v)
	}
	Label("step")
	if rows > 1 {
		for v := range vectors {
			VMOVUPD(at(b, v*s.bytes), line[v])
		}
	}
	for r := range rows {
		VBROADCASTSD(at(from[r], 0), factor)
		ADDQ(column, from[r])
		for v := range vectors {
			if rows > 1 {
				VMULPD(line[v], factor, product)
			} else {
				VMULPD(at(b, v*s.bytes), factor, product)
			}
			sum := acc[r*vectors+v]
			VSUBPD(product, sum, sum)
		}
	}
	ADDQ(ldb, b)
	repeat(k, "step")
	for i, v := range acc {
		VMOVUPD(v, at(to[i/vectors], i%vectors*s.bytes))
	}
	finish()
}
