package linear

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/bagscope/bagscope/internal/must"
)

// positive returns XᵀX plus a ridge on the diagonal, for X with the given number of random rows.
func positive(rng *rand.Rand, n, rows int, ridge float64) *Symmetric {
	x := mat.NewDense(rows, n, nil)
	x.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, x)
	var g mat.Dense
	g.Mul(x.T(), x)
	m := NewSymmetric(n)
	for i := range n {
		for l := i; l < n; l++ {
			m.Values[i*n+l] = g.At(i, l)
		}
		for l := range i {
			m.Values[i*n+l] = math.NaN() // not to be looked at
		}
	}
	m.AddRidge(ridge)
	return m
}

// dense returns the same matrix for gonum.
func (m *Symmetric) dense() *mat.SymDense {
	s := mat.NewSymDense(m.N, nil)
	for i := range m.N {
		for l, v := range m.Upper(i) {
			s.SetSym(i, i+l, v)
		}
	}
	return s
}

// sides are below, at and above the edges of panels.
var sides = []int{1, 2, 5, 31, 32, 33, 64, 70, 101}

func TestCholeskyEqualsGonum(t *testing.T) {
	rng := rand.New(rand.NewPCG(61, 62))
	ctx := context.Background()
	for _, n := range sides {
		m := positive(rng, n, 2*n, 1)
		c, err := Factorize(ctx, m, loops{})
		must.Do(t, err, n, c)
		must.Equal(t, c != nil, true, n, c)
		var want mat.Cholesky
		var u mat.TriDense
		var inverse mat.SymDense
		must.Equal(t, want.Factorize(m.dense()), true, "gonum cannot factorise it")
		must.Equal(t, want.InverseTo(&inverse) == nil, true, "gonum cannot factorise it")
		want.UTo(&u)
		got := must.Get(c.Inverse(ctx))(t)
		for i := range n {
			for l := range n {
				near(t, "factor", c.u[i*n+l], u.At(min(i, l), max(i, l)), 1e-10)
				near(t, "inverse", got[i*n+l], inverse.At(i, l), 1e-10)
			}
		}
		const rhs = 5
		x, b := make([]float64, rhs*n), mat.NewDense(n, rhs, nil)
		for r := range rhs {
			for i := range n {
				x[r*n+i] = rng.NormFloat64()
				b.Set(i, r, x[r*n+i])
			}
		}
		var solved mat.Dense
		must.Do(t, want.SolveTo(&solved, b))
		c.Solve(x, rhs)
		for r := range rhs {
			for i := range n {
				near(t, "solution", x[r*n+i], solved.At(i, r), 1e-10)
			}
		}
	}
}

// loops is a Subtracter of three loops.
type loops struct{}

func (loops) Subtract(
	c []float64, ldc int, a []float64, row, column int, b []float64, ldb, m, n, k int,
) {
	for i := range m {
		for j := range n {
			for p := range k {
				c[i*ldc+j] -= a[i*row+p*column] * b[p*ldb+j]
			}
		}
	}
}

// ended is a context that ends when it has been looked at a number of times.
type ended struct {
	context.Context
	looks int
}

func (e *ended) Err() error {
	if e.looks--; e.looks < 0 {
		return context.Canceled
	}
	return nil
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	must.Equal(t, math.Abs(got-want) <= tolerance, true, what, got, want, tolerance)
}

// TestCholeskyCondition checks that the estimate of the condition number is a lower bound and
// close, also for huge condition numbers.
func TestCholeskyCondition(t *testing.T) {
	rng := rand.New(rand.NewPCG(63, 64))
	for _, n := range sides {
		for _, ridge := range []float64{1, 1e-3, 1e-6} {
			m := positive(rng, n, max(n/2, 1), ridge)
			c, err := Factorize(context.Background(), m, loops{})
			if err != nil || c == nil {
				t.Fatalf("n = %d, ridge %g: %v, %v", n, ridge, c, err)
			}
			var inverse mat.Dense
			if err := inverse.Inverse(m.dense()); err != nil && ridge > 1e-6 {
				t.Fatal(err)
			}
			want := mat.Norm(m.dense(), 1) * mat.Norm(&inverse, 1)
			if got := c.Condition(); !(got <= want*1.001 && got >= want/3) {
				t.Errorf("n = %d, ridge %g: condition %g, want %g", n, ridge, got, want)
			}
		}
	}
}

func TestCholeskyRejectsIndefinite(t *testing.T) {
	rng := rand.New(rand.NewPCG(65, 66))
	negative := positive(rng, 40, 80, 0)
	negative.Values[37*40+37] = -1
	for name, m := range map[string]*Symmetric{
		"zero":         NewSymmetric(3),
		"negative":     negative,
		"not a number": {1, []float64{math.NaN()}},
		"infinite":     {1, []float64{math.Inf(1)}},
	} {
		t.Run(name, func(t *testing.T) {
			if c, err := Factorize(context.Background(), m, loops{}); c != nil || err != nil {
				t.Errorf("%s: %v, %v", name, c, err)
			}
		})
	}
}

// TestCholeskyStopsWithItsContext checks that a factorisation and an inverse end soon after their
// context.
func TestCholeskyStopsWithItsContext(t *testing.T) {
	m := positive(rand.New(rand.NewPCG(67, 68)), 200, 400, 0)
	if c, err := Factorize(&ended{context.Background(), 3}, m, loops{}); c != nil || err == nil {
		t.Errorf("the factorisation came back with %v and %v", c, err)
	}
	c := must.Get(Factorize(context.Background(), m, loops{}))(t)
	must.Fail(t, must.Err(c.Inverse(&ended{context.Background(), 3})))
}
