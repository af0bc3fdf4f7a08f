package core

import "context"

// RandomSHAP fits an additive surrogate to the values of random coalitions, weighted by the Shapley
// kernel (METHODS section 1; paper, section 3.1; Lundberg and Lee 2017). Each instance is in a
// coalition with probability 1/2. All 2^k - 2 proper coalitions give the Shapley values plus a
// constant, because the intercept is free; Efficiency determines the constant.
//
// Cost: n evaluations, and one more with Efficiency.
type RandomSHAP struct {
	Sampling
	Efficiency EmptyValue // "" for a free intercept
	Preset     Preset     // "reference": weights unscaled, ridge 1e-10
}

func (RandomSHAP) Name() string { return "random_shap" }

// sampling returns the sampling with the preset's default of n.
func (m RandomSHAP) sampling() Sampling { return m.under(m.Preset) }

// Memory implements [MemoryEstimator].
func (m RandomSHAP) Memory(t Task, _ int) MethodMemory { return m.sampling().memory(t) }

func (m RandomSHAP) Settings(k int) []Setting {
	return append(m.sampling().settings(k), shapSettings(m.Efficiency, m.Preset)...)
}

func (m RandomSHAP) Evaluations(k, _ int) int {
	return m.sampling().evaluations(k) + emptyCost(m.Efficiency, k)
}

func (m RandomSHAP) Attribute(ctx context.Context, g *Game, classes []int) (*Attribution, error) {
	f := fitter{m.Name(), m.Preset, m.Efficiency}
	if done, a, err := f.start(ctx, g, classes, m.sampling()); done {
		return a, err
	}
	drawn, err := m.sampling().within(g).draw(ctx, g.Instances(),
		fairCoin(g.Instances(), g.Rand("random")))
	if err != nil {
		return nil, err
	}
	return f.fit(ctx, g, classes, drawn, shapleyKernel(drawn.z))
}

// GuidedSHAP fits the same surrogate to the coalitions with the largest weights: sizes 1, k-1, 2,
// k-2 and so on (METHODS section 1). With n = 2k its ranking equals that of Combined.
//
// Cost: n evaluations, and one more with Efficiency.
type GuidedSHAP struct {
	Sampling
	Efficiency EmptyValue
	Preset     Preset // "reference": also lists an unfinished size in lexicographic order
}

func (GuidedSHAP) Name() string { return "guided_shap" }

// sampling returns the sampling with the preset's default of n.
func (m GuidedSHAP) sampling() Sampling { return m.under(m.Preset) }

// Memory implements [MemoryEstimator].
func (m GuidedSHAP) Memory(t Task, _ int) MethodMemory { return m.sampling().memory(t) }

func (m GuidedSHAP) Settings(k int) []Setting {
	return append(m.sampling().settings(k), shapSettings(m.Efficiency, m.Preset)...)
}

func (m GuidedSHAP) Evaluations(k, _ int) int {
	return m.sampling().evaluations(k) + emptyCost(m.Efficiency, k)
}

func (m GuidedSHAP) Attribute(ctx context.Context, g *Game, classes []int) (*Attribution, error) {
	f := fitter{m.Name(), m.Preset, m.Efficiency}
	if done, a, err := f.start(ctx, g, classes, m.sampling()); done {
		return a, err
	}
	drawn := m.sampling().within(g).guide(g, m.Name(), m.Preset, guided.shap)
	return f.fit(ctx, g, classes, drawn, shapleyKernel(drawn.z))
}

func shapSettings(efficiency EmptyValue, preset Preset) []Setting {
	return []Setting{{"efficiency", string(efficiency)}, {"preset", string(preset)}}
}

// emptyCost is the number of evaluations for the efficiency constraint: one, of the full bag. The
// report's prediction shares it.
func emptyCost(efficiency EmptyValue, k int) int {
	if efficiency == EmptyNone || k == 1 {
		return 0
	}
	return 1
}
