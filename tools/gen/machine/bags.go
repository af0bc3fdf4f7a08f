package main

import (
	"math/rand/v2"

	"github.com/bagscope/bagscope/core"
)

// The conditions of the machine. A measurement has one of the first three as its label; a bag has
// any as its class.
const (
	sound = iota
	hot
	worn
	both
)

// moments is the number of measurements in a bag.
const moments = 24

// newBags draws a bag for each of four days, which differ in the numbers of hot moments and of
// moments with vibration.
func newBags(seed uint64) []*core.Bag {
	days := []struct {
		name      string
		hot, worn int
		class     int
	}{
		{"two hot moments", 2, 0, hot},
		{"two hot moments and one of vibration", 2, 1, both},
		{"three moments of vibration", 0, 3, worn},
		{"an ordinary day", 0, 0, sound},
	}
	var bags []*core.Bag
	for d, day := range days {
		r := rand.New(rand.NewPCG(seed, uint64(d)))
		labels := make([]int, moments)
		places := r.Perm(moments)
		// The first places are hot, the next ones have vibration.
		for i, at := range places[:day.hot+day.worn] {
			labels[at] = hot
			if i >= day.hot {
				labels[at] = worn
			}
		}
		bag := &core.Bag{Name: day.name, Shape: []int{2}, Class: []int{day.class}, Labels: labels}
		for _, label := range labels {
			x, y := measure(r, label)
			bag.Values = append(bag.Values, float32(x), float32(y))
		}
		bags = append(bags, bag)
	}
	return bags
}

// measure draws temperature and vibration, as deviations from their usual values. Ordinary values
// are below 1.8, faulty ones are between 2.5 and 3.5.
func measure(r *rand.Rand, label int) (temperature, vibration float64) {
	within := func(middle, spread, width float64) float64 {
		return middle + min(max(spread*r.NormFloat64(), -width), width)
	}
	temperature, vibration = within(0, .8, 1.8), within(0, .8, 1.8)
	switch label {
	case hot:
		temperature = within(3, .25, .5)
	case worn:
		vibration = within(3, .25, .5)
	}
	return temperature, vibration
}
