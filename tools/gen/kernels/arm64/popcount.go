package main

import "fmt"

// popcount writes the size of an intersection of bit sets.
func popcount() []*function {
	f := begin("andCountNEON", "(a *uint64, b *uint64, lines int) int",
		"andCountNEON counts the bits that a and b share in lines times 8 words. lines is at",
		"least 1.")
	a, b, lines := f.param("a"), f.param("b"), f.param("lines")
	total := f.op(zero)
	f.label("loop")
	const vectors = lineBytes / vectorBytes
	x, y := f.loads(vectors, a, 0), f.loads(vectors, b, 0)
	counts := make([]vec, vectors) // of each byte, at most 8
	for i := range counts {
		counts[i] = f.op(cnt, f.op(and, x[i], y[i]))
	}
	sum := f.op(add16, f.op(add16, counts[0], counts[1]), f.op(add16, counts[2], counts[3]))
	f.into(addPairs, total, f.op(pairs16, f.op(pairs8, sum)))
	f.ins("ADD $%d, %v", lineBytes, a)
	f.ins("ADD $%d, %v", lineBytes, b)
	f.repeat(lines, "loop")
	result := f.gp()
	f.with(fmt.Sprintf("FMOVD F%%d, %v", result), f.op(addp2, total, total))
	f.ins("MOVD %v, %s", result, f.params["ret"])
	f.ins("RET")
	return []*function{f}
}
