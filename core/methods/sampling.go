package methods

import (
	"context"
	"fmt"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/internal/sampling"
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
	Coalitions *core.Coalitions // coalitions to use instead of a sampler, or nil

	Preset Preset // conventions where the paper's text and its code differ
}

// sampler returns the sampler of coalitions in a game, whose model may have a least bag.
func (s Sampling) sampler(g *core.Game) sampling.Sampler {
	out := sampling.Sampler{
		Instances: g.Instances(),
		Number:    s.samples(g.Instances()),
		Paired:    s.Paired,
		Repeats:   s.Repeats,
		Least:     g.LeastBag(),
		Step:      g.Step(),
	}
	if out.Least > 1 {
		out.Filler = g.Rand("filling up")
	}
	return out
}

// draw returns the given coalitions or, without any, draws them.
func (s Sampling) draw(
	ctx context.Context, g *core.Game, coins sampling.Coins,
) (sampling.Sample, error) {
	if s.Coalitions != nil {
		return sampling.Sample{Coalitions: s.Coalitions}, nil
	}
	return s.sampler(g).Draw(ctx, coins)
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
func (s Sampling) settings(k int, more ...core.Setting) []core.Setting {
	return slices.Concat(
		[]core.Setting{{Name: "samples", Value: s.samples(k)}, {Name: "paired", Value: s.Paired},
			{Name: "repeats", Value: s.Repeats}, {Name: "given", Value: s.Coalitions != nil}},
		more,
		[]core.Setting{{Name: "preset", Value: string(s.Preset)}},
	)
}

// validate returns a *SettingError for a setting that is invalid for the bag of a game.
func (s Sampling) validate(method string, g *core.Game) error {
	k := g.Instances()
	if s.Samples != 0 {
		if err := checkOption(method, "samples", s.Samples); err != nil {
			return err
		}
	}
	if s.Coalitions != nil {
		return s.validateGiven(method, g)
	}
	return s.checkSize(method, k)
}

// validateGiven is validate for given coalitions.
func (s Sampling) validateGiven(method string, g *core.Game) error {
	k := g.Instances()
	refuse := func(format string, args ...any) error {
		return &core.SettingError{Method: method, Setting: "coalitions",
			Reason: msg.Sprintf(format, args...)}
	}
	z := s.Coalitions
	switch {
	case z.Instances() != k:
		return refuse("they are over %d instances, but the bag has %d", z.Instances(), k)
	case z.Len() == 0:
		return refuse("the list is empty")
	}
	for j := range z.Len() {
		switch n := z.Size(j); {
		case n == 0:
			return refuse(neitherEnd, j+1, "empty")
		case n == k:
			return refuse(neitherEnd, j+1, "full")
		case !g.Takes(n):
			return refuse("number %d has %d instances, but the model takes bags of %s", j+1, n,
				g.Sizes())
		}
	}
	return nil
}

// neitherEnd is the message about a given coalition that is empty or full.
const neitherEnd = "number %d is %s; a surrogate uses neither the empty nor the full coalition"

// maxSampleWords bounds the memory of a sample, in 64-bit words: half a gigabyte.
const maxSampleWords = 1 << 26

// checkSize returns a *SettingError if the sample exceeds maxSampleWords. Each coalition takes its
// bits and about four words for its value and weight.
func (s Sampling) checkSize(method string, k int) error {
	n := s.samples(k)
	if !s.Repeats {
		n = min(n, sampling.ProperSubsets(k))
	}
	if most := maxSampleWords / ((k+63)/64 + 4); n > most {
		return &core.SettingError{Method: method, Setting: "samples",
			Reason: fmt.Sprintf(
				"%d coalitions of %d instances do not fit into memory; use at most %d",
				s.samples(k), k, most)}
	}
	return nil
}

// Evaluations implements [core.Method] for methods that evaluate nothing but their sample. It
// returns an upper bound of the number of distinct coalitions.
func (s Sampling) Evaluations(k, _ int) int { return min(s.samples(k), sampling.ProperSubsets(k)) }

// Memory implements [core.MemoryEstimator] for a surrogate of drawn coalitions. With n coalitions
// and m = min(n, k), the sample needs 4 n 8 words bytes, the system of equations 3 m² 8 and its
// solutions 4 k C 8.
func (s Sampling) Memory(t core.Task, _ int) core.MethodMemory {
	k, n := float64(t.Instances), float64(s.samples(t.Instances))
	words, system := float64(8*((t.Instances+63)/64)), min(n, k)
	return core.MethodMemory{
		Coalitions: s.samples(t.Instances),
		Bytes:      4*n*words + 3*8*system*system + 4*k*float64(8*t.Classes),
	}
}
