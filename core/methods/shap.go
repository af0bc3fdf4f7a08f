package methods

import (
	"context"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/internal/sampling"
)

// RandomSHAP fits an additive surrogate to the values of random coalitions, weighted by the Shapley
// kernel (METHODS section 1; paper, section 3.1; Lundberg and Lee 2017). Each instance is in a
// coalition with probability 1/2. All 2^k - 2 proper coalitions give the Shapley values plus a
// constant, because the intercept is free; Efficiency determines the constant.
//
// Cost: n evaluations, and one more with Efficiency.
type RandomSHAP struct {
	Sampling
	Efficiency EmptyValue // "" for a free intercept
}

// Name implements [core.Method].
func (RandomSHAP) Name() string { return "random_shap" }

// Settings implements [core.Method].
func (m RandomSHAP) Settings(k int) []core.Setting {
	return m.settings(k, core.Setting{Name: "efficiency", Value: string(m.Efficiency)})
}

func (m RandomSHAP) fitter() fitter { return fitter{m.Sampling, m.Name(), m.Efficiency} }

// Evaluations implements [core.Method].
func (m RandomSHAP) Evaluations(k, classes int) int {
	return m.Sampling.Evaluations(k, classes) + emptyCost(m.Efficiency, k)
}

// Validate implements [core.Validator].
func (m RandomSHAP) Validate(g *core.Game) error { return m.fitter().validate(g) }

// Attribute implements [core.Method].
func (m RandomSHAP) Attribute(
	ctx context.Context, g *core.Game, classes []int,
) (*core.Attribution, error) {
	if err := m.Validate(g); err != nil {
		return nil, err
	}
	return m.fitter().random(ctx, g, classes, shapleyKernel)
}

// GuidedSHAP fits the same surrogate to the coalitions with the largest weights: sizes 1, k-1, 2,
// k-2 and so on (METHODS section 1). With n = 2k its ranking equals that of Combined.
//
// Cost: n evaluations, and one more with Efficiency.
type GuidedSHAP struct {
	Sampling
	Efficiency EmptyValue // "" for a free intercept
}

// Name implements [core.Method].
func (GuidedSHAP) Name() string { return "guided_shap" }

// Settings implements [core.Method].
func (m GuidedSHAP) Settings(k int) []core.Setting { return RandomSHAP(m).Settings(k) }

func (m GuidedSHAP) fitter() fitter { return fitter{m.Sampling, m.Name(), m.Efficiency} }

// Evaluations implements [core.Method].
func (m GuidedSHAP) Evaluations(k, classes int) int { return RandomSHAP(m).Evaluations(k, classes) }

// Validate implements [core.Validator].
func (m GuidedSHAP) Validate(g *core.Game) error { return m.fitter().validate(g) }

// Attribute implements [core.Method].
func (m GuidedSHAP) Attribute(
	ctx context.Context, g *core.Game, classes []int,
) (*core.Attribution, error) {
	if err := m.Validate(g); err != nil {
		return nil, err
	}
	return m.fitter().guided(ctx, g, classes, sampling.Sampler.GuidedSHAP, shapleyKernel)
}

// emptyCost is the number of evaluations for the efficiency constraint: one, of the full bag. The
// report's prediction shares it.
func emptyCost(efficiency EmptyValue, k int) int {
	if efficiency == EmptyNone || k == 1 {
		return 0
	}
	return 1
}
