package dataset

import (
	"fmt"
	"math"
	"sync"

	"github.com/bagscope/bagscope/core"
)

// Preprocess converts the values of files to the input of a network: (v*Scale - Mean[c]) / Std[c].
// The index c runs along the first axis of an instance: a colour of a picture, or a single feature.
//
// A feature that is constant in all measured bags has an infinite Std. It becomes 0 whatever its
// value in other bags is; the paper's code does the same with 0/0 and x/0.
type Preprocess struct {
	Scale     float64
	Mean, Std []float64 // (C); in units of v*Scale
}

// Apply returns a converted copy of the bag.
//
// Errors: *core.BagError for a bag that core.Bag.Validate rejects, and for one whose number of
// features or colours differs from that of Mean and Std.
func (p Preprocess) Apply(bag *core.Bag) (*core.Bag, error) {
	if err := bag.Validate(); err != nil {
		return nil, err
	}
	if len(bag.Shape) == 0 || len(p.Mean) != bag.Shape[0] || len(p.Std) != bag.Shape[0] {
		return nil, &core.BagError{Bag: bag.Name,
			Reason: fmt.Sprintf("its instances have the shape %v, but the preprocessing is for "+
				"%d features or colours", bag.Shape, len(p.Mean))}
	}
	out := *bag
	out.Raw = false
	out.Values = make([]float32, len(bag.Values))
	inner := bag.Stride() / bag.Shape[0]
	for i, v := range bag.Values {
		c := i / inner % bag.Shape[0]
		out.Values[i] = float32((float64(v)*p.Scale - p.Mean[c]) / p.Std[c])
	}
	return &out, nil
}

// measure returns a Preprocess with the given scale, and the statistics of each feature or colour
// over all instances of the examples.
//
// Std is the sample deviation of the instances' mean values, as in the paper's code. For pictures
// it is therefore about half of the deviation of the pixels.
func measure(examples []Example, scale float64) (Preprocess, error) {
	p := Preprocess{Scale: scale}
	var columns []column
	for _, e := range examples {
		bag, err := e.Bag()
		if err != nil {
			return p, err
		}
		if columns == nil {
			columns = make([]column, bag.Shape[0])
		}
		for i := range bag.Len() {
			values := bag.Instance(i)
			plane := len(values) / len(columns) // 1 for features
			for c := range columns {
				sum := 0.0
				for _, v := range values[c*plane : (c+1)*plane] {
					sum += float64(v)
				}
				columns[c].add(sum / float64(plane) * scale)
			}
		}
	}
	for _, c := range columns {
		p.Mean = append(p.Mean, c.mean)
		p.Std = append(p.Std, c.deviation())
	}
	return p, nil
}

// A column accumulates the mean and variance of one feature (Welford, 1962). One pass suffices, and
// large means lose no digits.
type column struct {
	n         float64 // number of values
	mean, sum float64 // sum is of squares around the mean
	low, high float64 // least and greatest value
}

// add adds one number.
func (c *column) add(v float64) {
	if c.n == 0 {
		c.low, c.high = v, v
	}
	c.n++
	c.low, c.high = min(c.low, v), max(c.high, v)
	off := v - c.mean
	c.mean += off / c.n
	c.sum += off * (v - c.mean)
}

// deviation returns the sample deviation, or infinity for a constant. It finds constants by
// comparison, because rounding can leave a sum of squares above 0.
func (c *column) deviation() float64 {
	if c.low == c.high {
		return math.Inf(1)
	}
	return math.Sqrt(c.sum / (c.n - 1))
}

// divided returns a function that divides examples by a seed, for Set.split. See parts.divide for
// p, and measure for scale.
func divided(
	examples []Example, p parts, o Options, scale float64,
) func(seed uint64) (*Split, error) {
	return func(seed uint64) (*Split, error) {
		s := p.divide(examples, seed)
		s.measureLater(o, examples, scale)
		return s, nil
	}
}

// measureLater makes s.Preprocess measure the training bags on its first call, or all bags if the
// options say so. Many callers need no statistics, and those of pictures take seconds.
func (s *Split) measureLater(o Options, all []Example, scale float64) {
	measured := s.Train
	if o.AllData {
		measured = all
	}
	s.preprocess = sync.OnceValues(func() (Preprocess, error) { return measure(measured, scale) })
}
