package methods

import (
	"cmp"
	"context"
	"math"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/internal/sampling"
	"github.com/bagscope/bagscope/core/internal/stats"
)

// MILLI fits an additive surrogate to coalitions drawn by the importance of instances (METHODS
// section 1; paper, section 3.2). Instances are ranked by their single predictions. A coalition
// contains instance i with probability pi_R(rank of i), the sampling curve. Equal instances share
// the mean of their probabilities. Those without an answer alone count as the least important. The
// weight of a coalition is the mean pi_R of its members.
//
// Cost: k + n evaluations; k + n for each class if instances are ranked for each class.
type MILLI struct {
	Sampling
	Alpha float64 // probability of the most important instance, in (0, 1); 0 means .05
	Beta  float64 // bend of the curve; 0 means a straight line from Alpha to 1-Alpha
	Rank  Rank    // "" means negative-class if the model has one, else explained-class
}

// presetRanks are the ranks of the presets.
var presetRanks = map[Preset]Rank{PresetPaper: RankExplained, PresetReference: RankNegative}

// Name implements [core.Method].
func (MILLI) Name() string { return "milli" }

// Settings implements [core.Method].
func (m MILLI) Settings(k int) []core.Setting {
	return m.settings(k, core.Setting{Name: "alpha", Value: m.curve().Alpha},
		core.Setting{Name: "beta", Value: m.Beta},
		core.Setting{Name: "rank", Value: string(m.rank())})
}

// Evaluations implements [core.Method].
func (m MILLI) Evaluations(k, classes int) int {
	if k == 1 {
		return 1
	}
	return min(k+m.coalitions(core.Task{Instances: k, Negative: -1}, classes),
		sampling.ProperSubsets(k))
}

// coalitions returns the largest number of coalitions of the surrogates: n for each order of the
// instances.
func (m MILLI) coalitions(t core.Task, classes int) int {
	if rank := m.rank(); rank == RankNegative || rank == "" && t.Negative >= 0 {
		classes = 1
	}
	return classes * m.samples(t.Instances)
}

// Memory implements [core.MemoryEstimator]. Several orders are sampled and fitted one after
// another.
func (m MILLI) Memory(t core.Task, classes int) core.MethodMemory {
	need := m.Sampling.Memory(t, classes)
	need.Coalitions = m.coalitions(t, classes)
	return need
}

// curve returns the sampling curve with defaults filled in.
func (m MILLI) curve() MILLICurve {
	return MILLICurve{Alpha: cmp.Or(m.Alpha, .05), Beta: m.Beta, Printed: m.Preset == PresetPaper}
}

// rank returns the requested ranking, or "" if it depends on the game.
func (m MILLI) rank() Rank { return cmp.Or(m.Rank, presetRanks[m.Preset]) }

func (m MILLI) fitter() fitter { return fitter{Sampling: m.Sampling, method: m.Name()} }

// Validate implements [core.Validator]. A ranking that the model does not support is invalid.
func (m MILLI) Validate(g *core.Game) error {
	if err := checkOption(m.Name(), "alpha", m.curve().Alpha); err != nil {
		return err
	}
	if err := checkOption(m.Name(), "beta", m.Beta); err != nil {
		return err
	}
	if m.rank() == RankNegative && g.Negative() < 0 {
		return &core.SettingError{
			Method:  m.Name(),
			Setting: "rank",
			Reason: "the model has no negative class; rank by " +
				"explained-class, or name the negative class in the model card",
		}
	}
	if err := checkWord(m.Name(), "rank", string(m.Rank)); err != nil {
		return err
	}
	return m.fitter().validate(g)
}

// Adaptive implements [core.Adaptive]: single instances rank the others.
func (MILLI) Adaptive() {}

// Attribute implements [core.Method].
func (m MILLI) Attribute(
	ctx context.Context, g *core.Game, classes []int,
) (*core.Attribution, error) {
	f := m.fitter()
	if err := m.Validate(g); err != nil {
		return nil, err
	}
	if done, a, err := f.start(ctx, g, classes); done {
		return a, err
	}
	singles, err := g.SingleAnswers(ctx)
	if err != nil {
		return nil, err
	}
	if rank := m.rank(); rank == RankNegative || rank == "" && g.Negative() >= 0 {
		importance := g.ByClass(singles, []int{g.Negative()})[0]
		for i, v := range importance {
			importance[i] = 1 - v
		}
		return m.fitRanked(ctx, g, f, classes, importance)
	}
	all := &core.Attribution{}
	for _, c := range classes {
		of := []int{c}
		importance := g.ByClass(singles, of)[0]
		a, err := m.fitRanked(ctx, g, f, of, importance)
		if err != nil {
			return nil, err
		}
		appendClasses(all, a)
	}
	return all, nil
}

// fitRanked draws coalitions and fits the surrogate for one ranking of the instances.
func (m MILLI) fitRanked(
	ctx context.Context, g *core.Game, f fitter, classes []int, importance []float64,
) (*core.Attribution, error) {
	k := g.Instances()
	p := make([]float64, k)
	order := core.Order(stats.Fill(importance, math.Min), g.Rand("milli ties"))
	for r, v := range m.curve().ranked(importance, order, 0) {
		p[order[r]] = v
	}
	drawn, err := m.draw(ctx, g, sampling.Bernoulli(p, g.Rand("milli")))
	if err != nil {
		return nil, err
	}
	kernel, err := milliKernel(ctx, g.Arithmetic(), drawn.Coalitions, p)
	if err != nil {
		return nil, err
	}
	return f.fit(ctx, g, classes, drawn, kernel)
}

// appendClasses appends the classes of b to a.
func appendClasses(a, b *core.Attribution) {
	a.Scores = append(a.Scores, b.Scores...)
	a.StdErr = append(a.StdErr, b.StdErr...)
	a.Freedom = append(a.Freedom, b.Freedom...)
	a.Neutral = append(a.Neutral, b.Neutral...)
	a.R2 = append(a.R2, b.R2...)
	for _, note := range b.Notes {
		a.AddNote(note)
	}
}
