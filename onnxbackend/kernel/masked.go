package kernel

import (
	"math/bits"
	"sync"
)

//go:generate go -C ../../tools/gen/kernels/amd64 run . -kernel masked -pkg kernel -out ../../../../onnxbackend/kernel/masked_amd64.s -stubs ../../../../onnxbackend/kernel/masked_stubs_amd64.go
//go:generate go -C ../../tools/gen/kernels/arm64 run . -kernel masked -folder ../../../../onnxbackend/kernel

// A sum over the members of a coalition goes word by word (64 rows) and, within one, by 16 groups
// of 4 rows: the 16 sums of the subsets of a group are a table, and a coalition looks one up. That
// is half of the additions at half density, and a quarter of those of a dense product. Groups of 8
// halve them again, but their tables (128 KiB a word) leave the first-level cache and each costs
// two cycles. A thousand coalitions of 512 columns at half density: 1.15 ms for k = 264 and 3.2 ms
// for 1000 with AVX-512, as dense products 2.4 ms and 9.4 ms at the full rate of the processor, 15
// and 53 ms in Go.
const (
	wordRows  = 64
	groupRows = 4
	subsets   = 1 << groupRows
	groups    = wordRows / groupRows

	lanes32  = 16 // float32 of a line, 64 bytes: what a table holds of each sum
	lanes64  = 8  // float64 of a line
	tableLen = groups * subsets

	sumRows = 1024 // coalitions whose sums are in the scratch at once: 64 KiB of lines
	// sumWords is the number of words after which sums are added to dst: chains of additions stay
	// short.
	sumWords = 32
)

// sumScratch is the memory of one masked sum.
type sumScratch[T float] struct {
	words   [sumWords * sumRows]uint64 // (word, coalition)
	members [sumWords]int              // bits of each word, over all coalitions
	lanes   int                        // lanes of a line
	sums    []T                        // (coalition, lane)
	rows    []T                        // (row of a word, lane)
	table   []T
	addWord func(sums []T, words []uint64, members int, rows []T, stride int, table []T)
}

// newSumScratch returns scratch for lines of a number of lanes. All of its slices share one array.
func newSumScratch[T float](
	lanes int, addWord func(sums []T, words []uint64, members int, rows []T, stride int, table []T),
) *sumScratch[T] {
	lines := make([]T, (sumRows+wordRows+tableLen)*lanes)
	sums, lines := lines[:sumRows*lanes], lines[sumRows*lanes:]
	return &sumScratch[T]{lanes: lanes, sums: sums, rows: lines[:wordRows*lanes],
		table: lines[wordRows*lanes:], addWord: addWord}
}

var (
	sumPool   = sync.Pool{New: func() any { return newSumScratch(lanes32, addWord32) }}
	sumPool64 = sync.Pool{New: func() any { return newSumScratch(lanes64, addWord64) }}
)

// MaskedSum writes to row j of dst (n, d) the sum of the rows i of h (k, d) with bit i of row j of
// z set. z is (n, words), bit-packed, words >= k/64; bits beyond k do not count. A weighted sum is
// one over rows scaled beforehand.
//
// The order of additions depends on k alone: 4 rows, 8 groups of those, 32 words, then one block of
// 2048 rows after the other, so that the sum of a coalition does not depend on which others are
// with it, the longest chain is about 50 + k/2048, and the error of a sum of k = 100,000 is near
// 3e-7 of the sum of magnitudes. Cost is n·d·k/4 additions of a vector's lane each, less for sparse
// words. Rows of h that are in no coalition are not read.
func MaskedSum(dst []float32, z []uint64, words, n int, h []float32, k, d int) {
	s := sumPool.Get().(*sumScratch[float32])
	defer sumPool.Put(s)
	s.sum(dst, z, words, n, h, k, d)
}

// MaskedSum64 is MaskedSum in float64, in the same order.
func MaskedSum64(dst []float64, z []uint64, words, n int, h []float64, k, d int) {
	s := sumPool64.Get().(*sumScratch[float64])
	defer sumPool64.Put(s)
	s.sum(dst, z, words, n, h, k, d)
}

// TransposedSum64 writes to row i of dst (k, d) the sum of the rows j of r (n, d) with bit i of row
// j of z (n, words) set: MaskedSum64 with the sides of z exchanged. It allocates room for the bits
// of 1024 columns of z.
func TransposedSum64(dst []float64, z []uint64, words, n, k int, r []float64, d int) {
	height := (n + wordRows - 1) / wordRows
	turned := make([]uint64, min(sumRows, (k+wordRows-1)/wordRows*wordRows)*height)
	s := sumPool64.Get().(*sumScratch[float64])
	defer sumPool64.Put(s)
	for i := 0; i < k; i += sumRows {
		count := min(sumRows, k-i)
		turnColumns(turned, z, words, n, i/wordRows, (count+wordRows-1)/wordRows)
		s.sum(dst[i*d:(i+count)*d], turned, height, count, r, n, d)
	}
}

// turnColumns transposes bits: row i of turned gets bit i of all n rows of z, for count words from
// first on.
func turnColumns(turned, z []uint64, words, n, first, count int) {
	height := (n + wordRows - 1) / wordRows
	var square [wordRows]uint64
	for w := range count {
		for at := range height {
			rows := min(wordRows, n-at*wordRows)
			for r := range rows {
				square[r] = z[(at*wordRows+r)*words+first+w]
			}
			clear(square[rows:])
			transpose(&square)
			for i, bits := range square {
				turned[(w*wordRows+i)*height+at] = bits
			}
		}
	}
}

// sum computes a masked sum in blocks of sumRows coalitions and sumWords words.
func (s *sumScratch[T]) sum(dst []T, z []uint64, words, n int, h []T, k, d int) {
	if n <= 0 || d <= 0 {
		return
	}
	dst, h = dst[:n*d], h[:k*d]
	if k <= 0 {
		clear(dst)
		return
	}
	z = z[:n*words]
	_ = z[(k-1)/wordRows]
	for j := 0; j < n; j += sumRows {
		rows := min(sumRows, n-j)
		for i := 0; i < k; i += sumWords * wordRows {
			s.block(dst[j*d:(j+rows)*d], z[j*words:], words, rows, h, i, k, d)
		}
	}
}

// block adds the rows of h from i on, at most sumWords words of them, to n sums.
func (s *sumScratch[T]) block(dst []T, z []uint64, words, n int, h []T, i, k, d int) {
	w0, count := i/wordRows, min(sumWords, (k-i+wordRows-1)/wordRows)
	for w := range count {
		column := s.words[w*n : (w+1)*n]
		maskWords(column, z[w0+w:], words, min(wordRows, k-i-w*wordRows))
		s.members[w] = members(column)
	}
	for c := 0; c < d; c += s.lanes {
		sums := s.sums[:n*s.lanes]
		clear(sums)
		for w := range count {
			rows, stride := s.lines(h, i+w*wordRows, c, k, d)
			s.addWord(sums, s.words[w*n:(w+1)*n], s.members[w], rows, stride, s.table)
		}
		width := min(s.lanes, d-c)
		if i == 0 {
			copyLines(dst[c:], d, sums, s.lanes, n, width)
		} else {
			addLines(dst[c:], d, sums, s.lanes, n, width)
		}
	}
}

// maskWords copies a word of each coalition, every words-th of z, without the bits from valid on.
// Inlined into block, sums of few columns take 5 % longer natively (16 columns: 32.0 instead of
// 30.2 µs); in Node there is no difference.
//
//go:noinline
func maskWords(dst, z []uint64, words, valid int) {
	mask := ^uint64(0) >> (wordRows - valid)
	for j := range dst {
		dst[j] = z[j*words] & mask
	}
}

// copyLines copies n lines of a width, step apart in src, to lines stride apart in dst.
func copyLines[T float](dst []T, stride int, src []T, step, n, width int) {
	for j := range n {
		copy(dst[j*stride:][:width], src[j*step:])
	}
}

// addLines is copyLines that adds to dst.
func addLines[T float](dst []T, stride int, src []T, step, n, width int) {
	for j := range n {
		out, line := dst[j*stride:][:width], src[j*step:]
		for l := range out {
			out[l] += line[l]
		}
	}
}

// lines returns 64 rows of h from row i on, a line each from column c on, as they lie or, at the
// edges of h, padded with zeros.
func (s *sumScratch[T]) lines(h []T, i, c, k, d int) (rows []T, stride int) {
	if i+wordRows <= k && c+s.lanes <= d {
		return h[i*d+c : (i+wordRows-1)*d+c+s.lanes], d
	}
	clear(s.rows)
	width := min(s.lanes, d-c)
	for r := range min(wordRows, k-i) {
		copy(s.rows[r*s.lanes:][:width], h[(i+r)*d+c:])
	}
	return s.rows, s.lanes
}

// members counts the bits of words.
func members(words []uint64) int {
	n := 0
	for _, w := range words {
		n += bits.OnesCount64(w)
	}
	return n
}
