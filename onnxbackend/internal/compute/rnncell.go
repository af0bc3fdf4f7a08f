package compute

import (
	"math"
	"strings"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/kernel"
)

// A cell is one step of a recurrent layer, in float32 and in float64.
type cell struct {
	// gates is the number of blocks of hidden units in the weights.
	gates    int
	defaults []string // activations of one direction
	step     func(l *layer, x, r, h, c []float32)
	step64   func(s *steps64, next []float64)
}

var (
	lstmCell = cell{4, []string{"sigmoid", "tanh", "tanh"}, stepLSTM, (*steps64).lstm}
	gruCell  = cell{3, []string{"sigmoid", "tanh"}, stepGRU, (*steps64).gru}
	rnnCell  = cell{1, []string{"tanh"}, stepRNN, (*steps64).rnn}
)

// An activate applies an activation to one number, or to each element; dst may be src.
type activate struct {
	one  func(x float64) float64
	each func(dst, src []float32)
}

// activations returns the activations of all directions: those that the node names, or the
// defaults. Lists activation_alpha and activation_beta hold the parameters of those that have some,
// in order.
func (n *Node) activations(c cell, directions int) ([]activate, error) {
	var names []string
	for range directions {
		names = append(names, c.defaults...)
	}
	if a := n.find("activations"); a != nil {
		if len(a.Strings) != len(names) {
			n.fail("%d activations are named instead of %d", len(a.Strings), len(names))
			return nil, nil
		}
		names = a.Strings
	}
	alphas, betas := n.Floats("activation_alpha"), n.Floats("activation_beta")
	// The lists hold parameters only for the activations that have one.
	next := func(list *[]float64, def float64) float64 {
		if len(*list) == 0 {
			return def
		}
		v := (*list)[0]
		*list = (*list)[1:]
		return v
	}
	var acts []activate
	for _, name := range names {
		a, ok := recurrentActivations[strings.ToLower(name)]
		if !ok {
			return nil, msg.Errorf("its activation %q is not computed by this engine; export the "+
				"layer with its usual activations", name)
		}
		if a.params > 0 {
			a.alpha = next(&alphas, a.alpha)
		}
		if a.params > 1 {
			a.beta = next(&betas, a.beta)
		}
		one := func(x float64) float64 { return a.f(x, a.alpha, a.beta) }
		each := a.fast
		if each == nil {
			each = func(dst, src []float32) {
				for i, v := range src {
					dst[i] = float32(one(float64(v)))
				}
			}
		}
		acts = append(acts, activate{one, each})
	}
	return acts, nil
}

// recurrentActivations holds the activations of recurrent layers by their lower-case names.
var recurrentActivations = map[string]struct {
	f           func(x, alpha, beta float64) float64
	params      int     // 1: it has alpha; 2: it has alpha and beta
	alpha, beta float64 // the defaults
	fast        func(dst, src []float32)
}{
	"sigmoid":  {f: func(x, _, _ float64) float64 { return Sigmoid(x) }, fast: kernel.Sigmoid},
	"tanh":     {f: func(x, _, _ float64) float64 { return math.Tanh(x) }, fast: kernel.Tanh},
	"relu":     {f: func(x, _, _ float64) float64 { return max(x, 0) }},
	"softsign": {f: func(x, _, _ float64) float64 { return Softsign(x) }},
	"softplus": {f: func(x, _, _ float64) float64 { return Softplus(x) }},
	"leakyrelu": {f: func(x, alpha, _ float64) float64 { return leaky(alpha)(x) }, params: 1,
		alpha: 0.01},
	"elu": {f: func(x, alpha, _ float64) float64 { return max(x, 0) + alpha*math.Expm1(min(x, 0)) },
		params: 1, alpha: 1},
	"thresholdedrelu": {f: func(x, alpha, _ float64) float64 { return threshold(alpha)(x) },
		params: 1,
		alpha:  1},
	"affine": {f: func(x, alpha, beta float64) float64 { return alpha*x + beta }, params: 2,
		alpha: 1},
	"scaledtanh": {f: func(x, alpha, beta float64) float64 { return alpha * math.Tanh(beta*x) },
		params: 2, alpha: 1, beta: 1},
	"hardsigmoid": {f: func(x, alpha, beta float64) float64 { return max(0, min(1, alpha*x+beta)) },
		params: 2, alpha: 0.2, beta: 0.5},
}

// leaky returns the function x for x ≥ 0, else alpha·x.
func leaky(alpha float64) func(float64) float64 {
	return func(x float64) float64 {
		if x < 0 {
			return alpha * x
		}
		return x
	}
}

// act applies activation i to x, which it clips first if attribute clip is set.
func (l *layer) act(i int, dst, x []float32) {
	if l.clip > 0 {
		for j, v := range x {
			dst[j] = max(-l.clip, min(l.clip, v))
		}
		x = dst
	}
	l.acts[i].each(dst, x)
}

// add adds r to the first elements of x.
func add(x, r []float32) {
	for i, v := range r {
		x[i] += v
	}
}

// stepLSTM: c = f·c + i·tanh(g), h = o·tanh(c), with gates in the order i, o, f, g.
func stepLSTM(l *layer, x, r, h, c []float32) {
	n := l.hidden
	add(x, r)
	// Without peepholes the first three gates are one run of elements.
	if l.peep == nil {
		l.act(0, x[:3*n], x[:3*n])
	} else {
		for i, v := range c {
			x[i] += l.peep[i] * v
			x[2*n+i] += l.peep[2*n+i] * v
		}
		l.act(0, x[:n], x[:n])
		l.act(0, x[2*n:3*n], x[2*n:3*n])
	}
	// The last gate is the new content of the cell.
	l.act(1, x[3*n:], x[3*n:])
	for i := range n {
		forget := x[2*n+i]
		if l.coupled {
			forget = 1 - x[i]
		}
		c[i] = forget*c[i] + x[i]*x[3*n+i]
	}
	if l.peep != nil {
		for i, v := range c {
			x[n+i] += l.peep[n+i] * v
		}
		l.act(0, x[n:2*n], x[n:2*n])
	}
	l.act(2, h, c)
	for i := range n {
		h[i] *= x[n+i]
	}
}

// stepGRU: h = (1-z)·tanh(g) + z·h, with gates in the order z, r, g. The gate r scales the state
// before the product that contributes to g, or after it (linear_before_reset).
func stepGRU(l *layer, x, r, h, _ []float32) {
	n := l.hidden
	add(x, r[:2*n])
	l.act(0, x[:2*n], x[:2*n])
	// z is the update gate, g the new state.
	z, reset, g := x[:n], x[n:2*n], x[2*n:]
	if l.resetLate {
		add(r[2*n:], l.bias)
		for i, v := range reset {
			g[i] += v * r[2*n+i]
		}
	} else {
		for i, v := range reset {
			l.scratch[i] = v * h[i]
		}
		kernel.Gemv(r[:n], l.scratch, l.transposedR[2*n:], n, 3*n)
		add(g, r[:n])
	}
	l.act(1, g, g)
	for i, v := range g {
		h[i] = (1-z[i])*v + z[i]*h[i]
	}
}

// stepRNN: h = tanh(x + r).
func stepRNN(l *layer, x, r, h, _ []float32) {
	add(x, r)
	l.act(0, h, x)
}
