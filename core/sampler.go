package core

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/bagscope/bagscope/internal/msg"
)

// Sampling holds the settings that draw the coalitions of a surrogate. Empty and full coalitions
// are never drawn.
type Sampling struct {
	Samples int // n; 0 means a default that depends on k, see samples
	// add the complement after each draw (proposed in the paper as future work)
	Paired bool
	// count repeated coalitions again, as the paper does for Musk, Tiger, Elephant and Fox
	Repeats    bool
	Coalitions *Coalitions // coalitions to use instead of a sampler, or nil

	Preset Preset // conventions where the paper's text and its code differ

	least  int        // instances of the smallest coalition, 0 for 1; see within
	filler *rand.Rand // draws the instances that fill up coalitions that are too small
}

// within returns the sampling for a game, whose model may have a least bag. A random draw below the
// least size is filled up with random instances, a guided sampler skips smaller sizes, and a
// complement that is too small is not added.
func (s Sampling) within(g *Game) Sampling {
	if s.least = g.task.LeastBag(); s.least > 1 {
		s.filler = g.Rand("filling up")
	}
	return s
}

// mostDetermined is the largest bag for which the default of n determines the scores. The solve for
// 1,000 scores takes about 2 s of one processor and 24 MB; for 3,512 scores it takes a minute and
// 300 MB, too much for a default.
const mostDetermined = 1000

// Bounds of the default of n.
const (
	fewestSamples = 200
	mostSamples   = 1000 // largest default of n with a preset, and for bags above mostDetermined
)

// samples returns n for a bag of k instances. The default is 4k, at least 200, for bags of up to
// mostDetermined instances. For larger bags it is 1000, which does not determine the scores; a note
// states the number that does. With a preset it is 4k, limited to 200 to 1000.
func (s Sampling) samples(k int) int {
	switch n := max(fewestSamples, 4*k); {
	case s.Coalitions != nil:
		return s.Coalitions.Len()
	case s.Samples > 0:
		return s.Samples
	case s.Preset != PresetDefault || k > mostDetermined:
		return min(n, mostSamples)
	default:
		return n
	}
}

// settings returns the settings of a method for a bag of k instances: those of the sampler with
// defaults filled in, more of the method, and the preset.
func (s Sampling) settings(k int, more ...Setting) []Setting {
	return slices.Concat([]Setting{{"samples", s.samples(k)}, {"paired", s.Paired},
		{"repeats", s.Repeats}, {"given", s.Coalitions != nil}}, more,
		[]Setting{{"preset", string(s.Preset)}})
}

// validate returns a *SettingError for a setting that is invalid for a bag of k instances.
func (s Sampling) validate(method string, k int) error {
	if s.Samples != 0 {
		if err := checkOption(method, "samples", s.Samples); err != nil {
			return err
		}
	}
	if z := s.Coalitions; z != nil {
		if z.k != k {
			return &SettingError{method, "coalitions",
				fmt.Sprintf("they are over %d instances, but the bag has %d", z.k, k)}
		}
		if z.Len() == 0 {
			return &SettingError{method, "coalitions", "the list is empty"}
		}
		for j := range z.Len() {
			n := z.Size(j)
			if n > 0 && n < s.least {
				return &SettingError{method, "coalitions",
					fmt.Sprintf("number %d has %d instances, but the model takes bags of at "+
						"least %d", j+1, n, s.least)}
			}
			if n == 0 || n == k {
				return &SettingError{method, "coalitions",
					msg.Sprintf("number %d is %s; a surrogate uses neither the empty nor the "+
						"full coalition", j+1, map[bool]string{true: "empty",
						false: "full"}[n == 0])}
			}
		}
		return nil
	}
	return s.checkSize(method, k)
}

// maxSampleWords bounds the memory of a sample, in 64-bit words: half a gigabyte.
const maxSampleWords = 1 << 26

// checkSize returns a *SettingError if the sample exceeds maxSampleWords. Each coalition takes its
// bits and about four words for its value and weight.
func (s Sampling) checkSize(method string, k int) error {
	n := s.samples(k)
	if !s.Repeats {
		n = min(n, properSubsets(k))
	}
	if most := maxSampleWords / ((k+63)/64 + 4); n > most {
		return &SettingError{method, "samples",
			fmt.Sprintf("%d coalitions of %d instances do not fit into memory; use at most %d",
				s.samples(k), k, most)}
	}
	return nil
}

// Evaluations implements [Method] for methods that evaluate nothing but their sample. It returns an
// upper bound of the number of distinct coalitions.
func (s Sampling) Evaluations(k, _ int) int { return min(s.samples(k), properSubsets(k)) }

// A sample holds the coalitions that a sampler drew.
type sample struct {
	z *Coalitions
	// the coalitions are not random: all proper ones, given ones, or those of a guided sampler
	complete bool
	notes    []string // notes about the draw for the reader
}

// draw returns n coalitions from a source that fills one row at a time. If at most n proper
// coalitions exist and Repeats is not set, it returns all of them instead.
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

// maxRejections bounds the number of draws for each requested coalition. A skewed curve over a
// small bag may have fewer distinct coalitions than requested.
const maxRejections = 200

// drawsPerCheck returns the number of coalitions of k instances to draw between two checks of the
// context. A draw takes microseconds; in a browser up to 6 ns for each instance.
func drawsPerCheck(k int) int { return min(256, max(1, bitsPerCheck/2/max(k, 1))) }

// drawSome draws until there are n coalitions, or until a limit of draws is reached.
func (s Sampling) drawSome(ctx context.Context, k, n int, fill func(row []uint64)) (sample, error) {
	out := NewCoalitions(k, n)
	var seen *coalitionSet
	if !s.Repeats {
		seen = newCoalitionSet(k, n)
		out = seen.rows
	}
	row := NewCoalitions(k, 1).AppendEmpty()
	fill = s.filledUp(k, fill)
	add := func() {
		switch {
		case out.Len() == n:
		case s.Repeats:
			out.Append(row)
		default:
			seen.enter(row)
		}
	}
	for tries := 0; out.Len() < n && tries < maxRejections*n; tries++ {
		if tries%drawsPerCheck(k) == 0 && ctx.Err() != nil {
			return sample{}, context.Cause(ctx)
		}
		clear(row)
		fill(row)
		if !proper(row, k) {
			continue
		}
		add()
		if s.Paired {
			if complement(row, k); overlap(row, row) >= s.least {
				add()
			}
		}
	}
	var notes []string
	if m := out.Len(); m < n {
		notes = append(notes, fmt.Sprintf(
			"only %d different coalitions of the %d requested were found in %d draws", m, n,
			maxRejections*n))
	}
	return sample{z: out, notes: notes}, nil
}

// fairCoin fills rows with independent members, each with probability 1/2.
func fairCoin(k int, rng *rand.Rand) func(row []uint64) {
	return func(row []uint64) {
		fillRow(row, k)
		for w := range row {
			row[w] &= rng.Uint64()
		}
	}
}

// filledUp returns a fill that adds random instances to coalitions below the least size. If the
// least size is 1, empty draws remain empty and are redrawn.
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

// subsetsFrom returns the number of coalitions of at least least and fewer than k instances, at
// most limit.
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

// allFrom returns all coalitions that subsetsFrom counts; their number must be small.
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

// properSubsets returns 2^k - 2, the number of coalitions neither empty nor full, or the largest
// int.
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

// proper reports whether a coalition of k instances is neither empty nor full.
func proper(row []uint64, k int) bool {
	n := overlap(row, row)
	return n > 0 && n < k
}

// complement replaces a coalition of k instances by the instances that it lacks.
func complement(row []uint64, k int) {
	for w := range row {
		row[w] = ^row[w]
	}
	if rest := k % 64; rest != 0 {
		row[len(row)-1] &= 1<<rest - 1
	}
}
