package core

import "context"

// LIMEKernel is the kernel of LIME: the weight of a coalition decreases with its distance from the
// bag.
type LIMEKernel struct {
	MeanBag  int      // mean bag size of the data set, which determines the width; 0 means k
	Distance Distance // "" means l2
}

// RandomLIME fits an additive surrogate to the values of random coalitions. The weight of a
// coalition decreases with its distance from the full bag (METHODS section 1; paper, section 3.1;
// Ribeiro et al. 2016).
//
// Cost: n evaluations.
type RandomLIME struct {
	Sampling
	LIMEKernel
	Preset Preset // "reference": weights unscaled, ridge 1e-10
}

func (RandomLIME) Name() string { return "random_lime" }

// sampling returns the sampling with the preset's default of n.
func (m RandomLIME) sampling() Sampling { return m.under(m.Preset) }

// Memory implements [MemoryEstimator].
func (m RandomLIME) Memory(t Task, _ int) MethodMemory { return m.sampling().memory(t) }

func (m RandomLIME) Settings(k int) []Setting {
	return append(m.sampling().settings(k), m.LIMEKernel.settings(k, m.Preset)...)
}

func (m RandomLIME) Evaluations(k, _ int) int { return m.sampling().evaluations(k) }

func (m RandomLIME) Attribute(ctx context.Context, g *Game, classes []int) (*Attribution, error) {
	f := fitter{method: m.Name(), preset: m.Preset}
	if err := m.LIMEKernel.validate(m.Name()); err != nil {
		return nil, err
	}
	if done, a, err := f.start(ctx, g, classes, m.sampling()); done {
		return a, err
	}
	drawn, err := m.sampling().within(g).draw(ctx, g.Instances(),
		fairCoin(g.Instances(), g.Rand("random")))
	if err != nil {
		return nil, err
	}
	return f.fit(ctx, g, classes, drawn, m.kernel(drawn.z))
}

// GuidedLIME fits the same surrogate to the coalitions with the largest weights: sizes k-1 down to
// 1 (METHODS section 1). With n = k its ranking equals that of One Removed.
//
// Cost: n evaluations.
type GuidedLIME struct {
	Sampling
	LIMEKernel
	Preset Preset // "reference": also lists an unfinished size in lexicographic order
}

func (GuidedLIME) Name() string { return "guided_lime" }

// sampling returns the sampling with the preset's default of n.
func (m GuidedLIME) sampling() Sampling { return m.under(m.Preset) }

// Memory implements [MemoryEstimator].
func (m GuidedLIME) Memory(t Task, _ int) MethodMemory { return m.sampling().memory(t) }

func (m GuidedLIME) Settings(k int) []Setting {
	return append(m.sampling().settings(k), m.LIMEKernel.settings(k, m.Preset)...)
}

func (m GuidedLIME) Evaluations(k, _ int) int { return m.sampling().evaluations(k) }

func (m GuidedLIME) Attribute(ctx context.Context, g *Game, classes []int) (*Attribution, error) {
	f := fitter{method: m.Name(), preset: m.Preset}
	if err := m.LIMEKernel.validate(m.Name()); err != nil {
		return nil, err
	}
	if done, a, err := f.start(ctx, g, classes, m.sampling()); done {
		return a, err
	}
	drawn := m.sampling().within(g).guide(g, m.Name(), m.Preset, guided.lime)
	return f.fit(ctx, g, classes, drawn, m.kernel(drawn.z))
}

func (l LIMEKernel) settings(k int, preset Preset) []Setting {
	distance := l.Distance
	if distance == "" {
		distance = DistanceL2
	}
	return []Setting{{"mean_bag", l.meanBag(k)}, {"distance", string(distance)},
		{"preset", string(preset)}}
}

func (l LIMEKernel) meanBag(k int) int {
	if l.MeanBag == 0 {
		return k
	}
	return l.MeanBag
}

func (l LIMEKernel) validate(method string) error {
	if l.MeanBag != 0 {
		if err := checkOption(method, "mean-bag", l.MeanBag); err != nil {
			return err
		}
	}
	return checkWord(method, "distance", string(l.Distance))
}

func (l LIMEKernel) kernel(z *Coalitions) logKernel {
	return limeKernel(z, l.Distance, l.meanBag(z.Instances()))
}
