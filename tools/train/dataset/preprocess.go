package dataset

import (
	"fmt"
	"math"
	"sync"

	"github.com/bagscope/bagscope/core"
)

// Preprocess turns bags as files have them into what a network is trained on: (v*Scale - Mean[c]) /
// Std[c], c being the place along the first axis of an instance, a colour of a picture or a single
// feature.
//
// A feature that is constant in all bags looked at has an infinite Std: it becomes 0, whatever its
// value elsewhere, as the paper's code makes of 0/0 and x/0.
type Preprocess struct {
	Scale     float64
	Mean, Std []float64
}

// Apply returns the bag as a network sees it. It leaves the bag as it is. A bag that contradicts
// itself, or has other features or colours than Mean and Std, is a *core.BagError.
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

// measure returns the mean and the sample deviation of each feature over all instances of the
// examples.
func measure(examples []Example) (Preprocess, error) {
	p := Preprocess{Scale: 1}
	var features []column
	for _, e := range examples {
		bag, err := e.Bag()
		if err != nil {
			return p, err
		}
		if features == nil {
			features = make([]column, bag.Shape[0])
		}
		for i, v := range bag.Values {
			features[i%len(features)].add(float64(v))
		}
	}
	for _, c := range features {
		p.Mean = append(p.Mean, c.mean)
		p.Std = append(p.Std, c.deviation())
	}
	return p, nil
}

// measurePictures returns the mean of each colour over all pixels of the examples, between 0 and 1,
// and as Std what the paper's code takes: the deviation of the instances' mean colours, about half
// of that of the pixels.
func measurePictures(examples []Example) (Preprocess, error) {
	p := Preprocess{Scale: 1. / 255}
	var colours []column
	for _, e := range examples {
		bag, err := e.Bag()
		if err != nil {
			return p, err
		}
		if colours == nil {
			colours = make([]column, bag.Shape[0])
		}
		for i := range bag.Len() {
			pixels := bag.Instance(i)
			plane := len(pixels) / len(colours)
			for c := range colours {
				sum := 0.0
				for _, v := range pixels[c*plane : (c+1)*plane] {
					sum += float64(v)
				}
				colours[c].add(sum / float64(plane) * p.Scale)
			}
		}
	}
	for _, c := range colours {
		p.Mean = append(p.Mean, c.mean)
		p.Std = append(p.Std, c.deviation())
	}
	return p, nil
}

// A column is the mean and variance of numbers that come one after another (Welford, 1962).
type column struct {
	n         float64
	mean, sum float64 // sum of squares around the mean
	low, high float64
}

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

// deviation is the sample deviation, infinite for a constant: found by comparison, since its
// squares need not sum to exactly 0.
func (c *column) deviation() float64 {
	if c.low == c.high {
		return math.Inf(1)
	}
	return math.Sqrt(c.sum / (c.n - 1))
}

// divided returns a split that divides examples, and measures those of the training part, or all,
// when asked.
func divided(
	examples []Example, p parts, o Options, measure func([]Example) (Preprocess, error),
) func(seed uint64) (*Split, error) {
	return func(seed uint64) (*Split, error) {
		s := p.divide(examples, seed)
		looked := s.Train
		if o.AllData {
			looked = examples
		}
		s.preprocess = sync.OnceValues(func() (Preprocess, error) { return measure(looked) })
		return s, nil
	}
}
