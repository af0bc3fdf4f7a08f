package masked

import (
	"math"

	"github.com/bagscope/bagscope/onnxbackend/internal/compute"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// A table has a row of numbers for each instance, which are summed over the members of a coalition.
// Results are the first sums, divided by the others.
type table struct {
	rows     []float32 // (instance, width + divisors)
	width    int       // numbers of the result
	divisors int       // sums that results are divided by
	divisor  []int     // (width) number of its divisor, if there are any
	mean     bool      // the result is divided by the number of members
	finish   func(sum float64, column int) float64
	exact    bool // sums must be positive: finish computes their logarithm
	logits   bool // rows end in logits, see logits.go
	by       *rowFactor
	infinite bool // some rows or biases are infinite or NaN, such as the logarithm of a factor 0
}

// A summand describes a reduction: the function of each instance that is summed, and the function
// of the sum.
type summand struct {
	of     func(x float64) float64
	finish func(sum float64) float64
}

// same is the identity.
func same(x float64) float64 { return x }

// logarithm is the logarithm of a factor. Zero has a finite logarithm whose exponential is zero.
// With -Inf the other factors would be lost in the sum of the bag, from which neighbours subtract.
func logarithm(x float64) float64 { return max(math.Log(x), -1<<14) }

// sumsOf has the reductions that are functions of sums.
var sumsOf = map[compute.Reduction]*summand{
	compute.Sum:       {same, nil},
	compute.Mean:      {same, nil},
	compute.L1:        {math.Abs, nil},
	compute.SumSquare: {func(x float64) float64 { return x * x }, nil},
	compute.L2:        {func(x float64) float64 { return x * x }, math.Sqrt},
	compute.LogSum:    {same, math.Log},
	compute.Prod:      {logarithm, math.Exp}, // requires numbers that are not negative
	compute.LogSumExp: {nil, nil},            // shifted by each column's largest value
}

// tableOf returns the table of a value's instances for a summand: their numbers, then their
// weights.
func (c *compiler) tableOf(x value, s *summand) (*table, error) {
	outer, k, inner := split(x.tensor.Shape, x.place.Axis)
	t := &table{width: outer * inner, logits: x.logits}
	if s.of == nil && c.Logits {
		s, t.logits = sumsOf[compute.Sum], true
	}
	v := tensor.Of[float32](x.tensor)
	var weights []float32
	if x.by != nil {
		t.by = x.by.along(x)
	}
	if x.weights != nil {
		weights = tensor.Of[float32](x.weights)
		wo, _, wi := split(x.weights.Shape, x.weightAxis)
		t.divisors = wo * wi
		t.divisor = divisorOf(x)
	}
	// A sum of exponentials is shifted by the largest value of each column, as in ReduceLogSumExp.
	shift := make([]float64, t.width)
	if s.of == nil {
		shift = largest(v, outer, k, inner)
		t.finish = func(sum float64, column int) float64 { return math.Log(sum) + shift[column] }
		t.exact = true
	} else if s.finish != nil {
		t.finish = func(sum float64, _ int) float64 { return s.finish(sum) }
	}
	var err error
	if t.rows, err = c.rows(t.width + t.divisors); err != nil {
		return nil, err
	}
	// Instances may be an inner axis of the value; rows of the table are contiguous.
	for i := range k {
		if err := c.Machine.Tick(4 * t.width); err != nil {
			return nil, err
		}
		for o := range outer {
			for j := range inner {
				value := float64(v[(o*k+i)*inner+j])
				if s.of == nil {
					value = math.Exp(value - shift[o*inner+j])
				} else {
					value = s.of(value)
				}
				t.rows = append(t.rows, float32(value))
			}
		}
		if weights != nil {
			wo, _, wi := split(x.weights.Shape, x.weightAxis)
			for o := range wo {
				t.rows = append(t.rows, weights[(o*k+i)*wi:(o*k+i+1)*wi]...)
			}
		}
	}
	return t, nil
}

// divisorOf returns the number of the weight for each number of a weighted instance: the one that
// broadcasting multiplies it by.
func divisorOf(x value) []int {
	var out []int
	shape, w := x.tensor.Shape, x.weights.Shape
	lead := len(shape) - len(w)
	// index is that of an element, counted up without the axis of instances.
	index := make([]int, len(shape))
	for {
		at := 0
		for d := range w {
			if d == x.weightAxis {
				continue
			}
			at *= w[d]
			if w[d] > 1 {
				at += index[lead+d]
			}
		}
		out = append(out, at)
		d := len(shape) - 1
		for ; d >= 0; d-- {
			if d == x.place.Axis {
				continue
			}
			if index[d]++; index[d] < shape[d] {
				break
			}
			index[d] = 0
		}
		if d < 0 {
			return out
		}
	}
}

// largest returns the largest value of each column over the instances, as finiteOrZero.
func largest(v []float32, outer, k, inner int) []float64 {
	out := make([]float64, outer*inner)
	for o := range outer {
		for j := range inner {
			top := math.Inf(-1)
			for i := range k {
				top = max(top, float64(v[(o*k+i)*inner+j]))
			}
			out[o*inner+j] = finiteOrZero(top)
		}
	}
	return out
}

// finiteOrZero returns v, or 0 for an infinite v: a shift by an infinity would make NaN of all.
func finiteOrZero(v float64) float64 {
	if math.IsInf(v, 0) {
		return 0
	}
	return v
}

// split returns the sizes before, at and after an axis.
func split(shape []int, axis int) (outer, n, inner int) {
	outer, inner = 1, 1
	for _, d := range shape[:axis] {
		outer *= d
	}
	for _, d := range shape[axis+1:] {
		inner *= d
	}
	return outer, shape[axis], inner
}
