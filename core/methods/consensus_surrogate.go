package methods

import (
	"context"
	"math"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/internal/linear"
	"github.com/bagscope/bagscope/core/internal/rows"
	"github.com/bagscope/bagscope/core/internal/sampling"
	"github.com/bagscope/bagscope/core/internal/stats"
	"github.com/bagscope/bagscope/core/internal/surrogate"
	"github.com/bagscope/bagscope/internal/msg"
)

// mostSurrogate is the largest bag whose scores come from a surrogate. The solve for 2,000 unknowns
// takes 8 s of one processor, that for twice as many eight times as long.
const mostSurrogate = 2000

// surrogateSamples returns n, the coalitions of a curve.
func surrogateSamples(k int) int { return min(max(16*k, 800), 8000) }

// separate is the estimator of models without neighbours: each coalition is evaluated on its own.
// The coefficients of an unweighted additive surrogate estimate the same marginal contributions as
// contexts, and so does Cov(f, z_i) / Var(z_i), with larger errors but in linear time (METHODS
// section 4).
type separate struct {
	g       *core.Game
	classes []int
}

// estimate implements estimator. n is a number of contexts; of fewestContexts, it draws the same
// share of surrogateSamples coalitions.
func (s *separate) estimate(
	ctx context.Context, name string, in sampling.Inclusion, n int,
) (*estimate, error) {
	k := s.g.Instances()
	curve := Sampling{Samples: surrogateSamples(k) * n / sampling.FewestContexts, Repeats: true}
	if err := curve.checkSize("consensus", k); err != nil {
		return nil, err
	}
	drawn, err := curve.draw(ctx, s.g, sampling.Bernoulli(in.ByRank, s.g.Rand("consensus "+name)))
	if err != nil {
		return nil, err
	}
	drawn.Coalitions = renamed(drawn.Coalitions, in.Order)
	if k > mostSurrogate {
		return s.covariances(ctx, drawn, in.Probabilities())
	}
	return s.surrogate(ctx, drawn)
}

// surrogateNote returns how separate estimates the scores of a bag of k instances.
func surrogateNote(k int) string {
	by := "an additive surrogate"
	if k > mostSurrogate {
		by = "covariances, whose errors are large,"
	}
	const text = "each coalition needs a run of the model, so that the scores come from %s of %d " +
		"coalitions for each curve"
	return msg.Sprintf(text, by, surrogateSamples(k))
}

// Surrogate fits the unweighted surrogate.
func (s *separate) surrogate(ctx context.Context, drawn sampling.Sample) (*estimate, error) {
	unweighted := func(int) float64 { return 0 }
	system, y, err := fitter{method: "consensus"}.system(ctx, s.g, s.classes, drawn, unweighted)
	if err != nil {
		return nil, err
	}
	s.g.LogOdds(y)
	fits, err := system.Solve(ctx, y)
	if err != nil {
		return nil, err
	}
	e := &estimate{}
	for n := range fits {
		fits[n].SetUnknown()
		e.phi = append(e.phi, fits[n].Phi)
		e.squares = append(e.squares, fits[n].StdErr)
		e.freedom = fits[n].Freedom
		for i, v := range fits[n].StdErr {
			fits[n].StdErr[i] = v * v
		}
	}
	return e, nil
}

// covariances returns the mean over the draws of (f - mean f)(z_i - p_i) / (p_i (1 - p_i)), which
// is Cov / Var.
func (s *separate) covariances(
	ctx context.Context, drawn sampling.Sample, p []float64,
) (*estimate, error) {
	z, k, n := drawn.Coalitions, s.g.Instances(), drawn.Coalitions.Len()
	values, err := s.g.Values(ctx, z)
	if err != nil {
		return nil, err
	}
	e := &estimate{freedom: float64(n - 1)}
	for _, class := range s.classes {
		f := linear.Column(values, s.g.Classes(), class)
		s.g.LogOdds(f)
		center := stats.Mean(f)
		// Sums of the centred f and of its square: over the coalitions that contain an instance,
		// and over all.
		sum, square, present := make([]float64, k), make([]float64, k), make([]float64, k)
		all, allSquare := 0.0, 0.0
		var members []int
		err := surrogate.EachRow(ctx, z, func(j int) {
			v := f[j] - center
			all += v
			allSquare += v * v
			members = z.Members(members[:0], j)
			for _, i := range members {
				sum[i] += v
				square[i] += v * v
				present[i]++
			}
		})
		if err != nil {
			return nil, err
		}
		phi, squares := make([]float64, k), make([]float64, k)
		for i, q := range p {
			phi[i] = (sum[i] - q*all) / (float64(n) * q * (1 - q))
			// The influence of a draw is v/q if it has the instance, and -v/(1-q) if not.
			second := square[i]/(q*q) + (allSquare-square[i])/((1-q)*(1-q))
			squares[i] = max(0, second/float64(n)-phi[i]*phi[i]) / float64(n-1)
			if present[i] == 0 || present[i] == float64(n) {
				phi[i], squares[i] = 0, math.Inf(1)
			}
		}
		e.phi, e.squares = append(e.phi, phi), append(e.squares, squares)
	}
	return e, nil
}

// renamed returns the coalitions with bit r moved to order[r].
func renamed(z *core.Coalitions, order []int) *core.Coalitions {
	out := core.NewCoalitions(z.Instances(), z.Len())
	for j := range z.Len() {
		rows.Permute(out.AppendEmpty(), z.Row(j), order)
	}
	return out
}
