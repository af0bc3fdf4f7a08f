package methods

import (
	"cmp"
	"context"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/internal/sampling"
	"github.com/bagscope/bagscope/core/internal/surrogate"
)

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
}

// Name implements [core.Method].
func (RandomLIME) Name() string { return "random_lime" }

// Settings implements [core.Method].
func (m RandomLIME) Settings(k int) []core.Setting {
	return m.Sampling.settings(k, m.LIMEKernel.settings(k)...)
}

func (m RandomLIME) fitter() fitter { return fitter{Sampling: m.Sampling, method: m.Name()} }

// Validate implements [core.Validator].
func (m RandomLIME) Validate(g *core.Game) error {
	if err := m.LIMEKernel.validate(m.Name()); err != nil {
		return err
	}
	return m.fitter().validate(g)
}

// Attribute implements [core.Method].
func (m RandomLIME) Attribute(
	ctx context.Context, g *core.Game, classes []int,
) (*core.Attribution, error) {
	if err := m.Validate(g); err != nil {
		return nil, err
	}
	return m.fitter().random(ctx, g, classes, m.kernel)
}

// GuidedLIME fits the same surrogate to the coalitions with the largest weights: sizes k-1 down to
// 1 (METHODS section 1). With n = k its ranking equals that of One Removed.
//
// Cost: n evaluations.
type GuidedLIME struct {
	Sampling
	LIMEKernel
}

// Name implements [core.Method].
func (GuidedLIME) Name() string { return "guided_lime" }

// Settings implements [core.Method].
func (m GuidedLIME) Settings(k int) []core.Setting { return RandomLIME(m).Settings(k) }

func (m GuidedLIME) fitter() fitter { return fitter{Sampling: m.Sampling, method: m.Name()} }

// Validate implements [core.Validator].
func (m GuidedLIME) Validate(g *core.Game) error {
	if err := m.LIMEKernel.validate(m.Name()); err != nil {
		return err
	}
	return m.fitter().validate(g)
}

// Attribute implements [core.Method].
func (m GuidedLIME) Attribute(
	ctx context.Context, g *core.Game, classes []int,
) (*core.Attribution, error) {
	if err := m.Validate(g); err != nil {
		return nil, err
	}
	return m.fitter().guided(ctx, g, classes, sampling.Sampler.GuidedLIME, m.kernel)
}

// settings returns the kernel's settings for a bag of k instances, with defaults filled in.
func (l LIMEKernel) settings(k int) []core.Setting {
	distance := cmp.Or(l.Distance, DistanceL2)
	return []core.Setting{
		{Name: "mean_bag", Value: cmp.Or(l.MeanBag, k)},
		{Name: "distance", Value: string(distance)},
	}
}

// validate returns a *SettingError for an invalid setting.
func (l LIMEKernel) validate(method string) error {
	if l.MeanBag != 0 {
		if err := checkOption(method, "mean-bag", l.MeanBag); err != nil {
			return err
		}
	}
	return checkWord(method, "distance", string(l.Distance))
}

// Kernel returns the kernel of coalitions. Its weight depends only on the size of a coalition.
func (l LIMEKernel) kernel(z *core.Coalitions) surrogate.LogKernel {
	meanBag := cmp.Or(l.MeanBag, z.Instances())
	return kernelBySize(z, func(s int) float64 {
		return limeLogWeight(l.Distance, meanBag, z.Instances(), s)
	})
}
