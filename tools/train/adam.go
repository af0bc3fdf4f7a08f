package train

import (
	"fmt"
	"math"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"github.com/bagscope/bagscope/tools/train/network"
)

// adam is the solver of Kingma and Ba (2015), with weight decay as part of the gradient. Gorgonia's
// own Adam does not expose its moments, so that a checkpoint could not hold them.
type adam struct {
	rate, decay  float64
	beta1, beta2 float64
	steps        int         // updates so far
	m, v         [][]float32 // first and second moments (parameter)(value), in Step's order
}

// adamEpsilon prevents a division by 0; it is the default of PyTorch, which the paper uses.
const adamEpsilon = 1e-8

// newAdam returns a solver with moments of 0 for the parameters.
func newAdam(r network.Recipe, betas [2]float64, parameters []*network.Parameter) *adam {
	s := &adam{rate: r.Rate, decay: r.Decay, beta1: betas[0], beta2: betas[1]}
	for _, p := range parameters {
		s.m = append(s.m, make([]float32, len(p.Values)))
		s.v = append(s.v, make([]float32, len(p.Values)))
	}
	return s
}

// Step implements G.Solver. It updates the parameters in place.
func (s *adam) Step(parameters []G.ValueGrad) error {
	if len(parameters) != len(s.m) {
		return fmt.Errorf("the solver has %d parameters but received %d", len(s.m), len(parameters))
	}
	s.steps++
	// Both moments begin at 0; the two divisors correct that bias.
	rate := float32(s.rate / (1 - math.Pow(s.beta1, float64(s.steps))))
	root := float32(1 / math.Sqrt(1-math.Pow(s.beta2, float64(s.steps))))
	b1, b2, decay := float32(s.beta1), float32(s.beta2), float32(s.decay)
	for i, p := range parameters {
		grad, err := p.Grad()
		if err != nil {
			return err
		}
		w := p.Value().(*tensor.Dense).Float32s()
		g := grad.(*tensor.Dense).Float32s()[:len(w)]
		m, v := s.m[i][:len(w)], s.v[i][:len(w)]
		for j := range w {
			d := g[j] + decay*w[j]
			m[j] = b1*m[j] + (1-b1)*d
			v[j] = b2*v[j] + (1-b2)*(d*d)
			w[j] -= rate * m[j] / (float32(math.Sqrt(float64(v[j])))*root + adamEpsilon)
		}
	}
	return nil
}
