package core

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
)

// Sampling says how the coalitions of a surrogate are drawn. Empty and full coalitions are never drawn.
type Sampling struct {
	Samples    int         // n; 0 means a default that follows k, see samples
	Paired     bool        // each draw is followed by its complement (the paper's own next step)
	Repeats    bool        // repeated coalitions are kept, as Musk, Tiger, Elephant and Fox need; else redrawn
	Coalitions *Coalitions // takes the place of the sampler, or nil

	published bool // a preset's default of n

	least  int        // instances of the smallest coalition, 0 for 1; see within
	filler *rand.Rand // draws what smaller ones are filled up with
}

// within returns the sampling of a game, whose model may take no small bag. A random draw below the least size is filled up
// with instances drawn alike, a guided sampler leaves smaller sizes out, and a complement that is too small is no pair.
func (s Sampling) within(g *Game) Sampling {
	if s.least = g.task.LeastBag(); s.least > 1 {
		s.filler = g.Rand("filling up")
	}
	return s
}

// under returns the sampling with the default of n that belongs to a preset.
func (s Sampling) under(p Preset) Sampling {
	s.published = p != PresetDefault
	return s
}

// mostDetermined is the largest bag for which the default of n determines the scores. To solve for 1,000 scores takes about
// 2 s of one processor and 24 MB, for 3,512 a minute and 300 MB: too much to spend without being asked to.
const mostDetermined = 1000

// Bounds of the default of n.
const (
	fewestSamples = 200
	mostSamples   = 1000 // under a preset, and for bags above mostDetermined
)

// samples returns n for a bag of k instances. The default is 4k, at least 200, up to mostDetermined instances, and 1000 for
// larger bags, where it determines no scores and a note says how many do. Under a preset it is 4k between 200 and 1000.
func (s Sampling) samples(k int) int {
	switch n := max(fewestSamples, 4*k); {
	case s.Coalitions != nil:
		return s.Coalitions.Len()
	case s.Samples > 0:
		return s.Samples
	case s.published || k > mostDetermined:
		return min(n, mostSamples)
	default:
		return n
	}
}

// settings lists the sampler's values in force for a bag of k instances.
func (s Sampling) settings(k int) []Setting {
	return []Setting{{"samples", s.samples(k)}, {"paired", s.Paired}, {"repeats", s.Repeats}, {"given", s.Coalitions != nil}}
}

// validate reports a setting that makes no sense for a bag of k instances.
func (s Sampling) validate(method string, k int) error {
	if s.Samples < 0 {
		return &SettingError{method, "samples", fmt.Sprintf("%d coalitions cannot be drawn; give a positive number, or 0 for the default", s.Samples)}
	}
	if z := s.Coalitions; z != nil {
		if z.k != k {
			return &SettingError{method, "coalitions", fmt.Sprintf("they are over %d instances, but the bag has %d", z.k, k)}
		}
		if z.Len() == 0 {
			return &SettingError{method, "coalitions", "the list is empty"}
		}
		for j := range z.Len() {
			n := z.Size(j)
			if n > 0 && n < s.least {
				return &SettingError{method, "coalitions", fmt.Sprintf("number %d has %d instances, but the model takes bags of at least %d", j+1, n, s.least)}
			}
			if n == 0 || n == k {
				return &SettingError{method, "coalitions", fmt.Sprintf("number %d is %s; a surrogate uses neither the empty nor the full coalition", j+1, map[bool]string{true: "empty", false: "full"}[n == 0])}
			}
		}
		return nil
	}
	return s.checkSize(method, k)
}

// maxSampleWords bounds the memory of a sample, in 64-bit words: half a gigabyte.
const maxSampleWords = 1 << 26

// checkSize reports a sample that memory would not hold: each coalition takes its bits, and about four
// words for its value and weight.
func (s Sampling) checkSize(method string, k int) error {
	n := s.samples(k)
	if !s.Repeats {
		n = min(n, properSubsets(k))
	}
	if most := maxSampleWords / ((k+63)/64 + 4); n > most {
		return &SettingError{method, "samples", fmt.Sprintf("%d coalitions of %d instances do not fit into memory; use at most %d", s.samples(k), k, most)}
	}
	return nil
}

// evaluations is an upper bound of the distinct coalitions drawn from k instances.
func (s Sampling) evaluations(k int) int { return min(s.samples(k), properSubsets(k)) }

// A sample is what a sampler gave.
type sample struct {
	z        *Coalitions
	complete bool     // z is every proper coalition: nothing was left to chance
	notes    []string // what a reader must know about the draw
}

// draw collects n coalitions from a source that fills one row at a time. When no more than n proper
// coalitions exist and repeats are not wanted, it lists them all instead: drawing would not end.
func (s Sampling) draw(ctx context.Context, k int, fill func(row []uint64)) (sample, error) {
	if s.Coalitions != nil {
		return sample{z: s.Coalitions}, nil
	}
	n := s.samples(k)
	if !s.Repeats && subsetsFrom(k, s.least, n+1) <= n {
		return sample{z: allFrom(k, s.least), complete: true}, nil
	}
	return s.drawSome(ctx, k, n, fill)
}

// maxRejections bounds how many draws are thrown away for one that is kept: a skewed curve over a small
// bag may reach fewer distinct coalitions than were asked for.
const maxRejections = 200

// looksOver returns how many coalitions of k instances are drawn between two looks at the context: drawing one
// takes microseconds, or up to 6 ns of a browser for each instance.
func looksOver(k int) int { return min(256, max(1, bitsAtOnce/2/max(k, 1))) }

func (s Sampling) drawSome(ctx context.Context, k, n int, fill func(row []uint64)) (sample, error) {
	out := NewCoalitions(k, n)
	var seen *coalitionSet
	if !s.Repeats {
		seen = newCoalitionSet(k, n)
		out = seen.rows
	}
	row := NewCoalitions(k, 1).AppendEmpty()
	fill = s.filledUp(k, fill)
	keep := func() {
		switch {
		case out.Len() == n:
		case s.Repeats:
			out.Append(row)
		default:
			seen.enter(row)
		}
	}
	for tries := 0; out.Len() < n && tries < maxRejections*n; tries++ {
		if tries%looksOver(k) == 0 && ctx.Err() != nil {
			return sample{}, context.Cause(ctx)
		}
		clear(row)
		fill(row)
		if !proper(row, k) {
			continue
		}
		keep()
		if s.Paired {
			if complement(row, k); overlap(row, row) >= s.least {
				keep()
			}
		}
	}
	var notes []string
	if m := out.Len(); m < n {
		notes = append(notes, fmt.Sprintf("only %d different coalitions of the %d requested were found in %d draws", m, n, maxRejections*n))
	}
	return sample{z: out, notes: notes}, nil
}

// fairCoin fills rows with each instance in by a fair coin.
func fairCoin(k int, rng *rand.Rand) func(row []uint64) {
	return func(row []uint64) {
		fillRow(row, k)
		for w := range row {
			row[w] &= rng.Uint64()
		}
	}
}

// filledUp is fill with as many instances added, drawn alike, as a coalition lacks of the least size. Empty draws
// stay empty where one instance is enough: they are drawn again.
func (s Sampling) filledUp(k int, fill func(row []uint64)) func(row []uint64) {
	if s.least <= 1 {
		return fill
	}
	return func(row []uint64) {
		fill(row)
		for n := overlap(row, row); n < s.least; {
			i := s.filler.IntN(k)
			if bit := uint64(1) << (i % 64); row[i/64]&bit == 0 {
				row[i/64] |= bit
				n++
			}
		}
	}
}

// subsetsFrom returns how many coalitions there are of least or more instances and fewer than k, or limit where that is less.
func subsetsFrom(k, least, limit int) int {
	if least <= 1 {
		return min(properSubsets(k), limit)
	}
	total := 0
	for size := k - 1; size >= least && total < limit; size-- {
		total += binomial(k, size, limit)
	}
	return min(total, limit)
}

// allFrom lists them, when they are few.
func allFrom(k, least int) *Coalitions {
	if least <= 1 {
		return allProper(k)
	}
	z := NewCoalitions(k, 0)
	for size := least; size < k; size++ {
		appendLexicographic(z, size, binomial(k, size, math.MaxInt32), nil)
	}
	return z
}

// properSubsets returns 2^k - 2, the number of coalitions neither empty nor full, or the largest int.
func properSubsets(k int) int {
	if k >= 31 {
		return math.MaxInt32
	}
	return 1<<k - 2
}

// allProper lists every coalition of k < 31 instances that is neither empty nor full.
func allProper(k int) *Coalitions {
	n := properSubsets(k)
	z := NewCoalitions(k, n)
	for bits := range n {
		z.AppendEmpty()[0] = uint64(bits + 1)
	}
	return z
}

func proper(row []uint64, k int) bool {
	n := overlap(row, row)
	return n > 0 && n < k
}

func complement(row []uint64, k int) {
	for w := range row {
		row[w] = ^row[w]
	}
	if rest := k % 64; rest != 0 {
		row[len(row)-1] &= 1<<rest - 1
	}
}
