package cohort

import (
	"encoding/json"
	"math"
	"math/big"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// TestMean holds sums to big.Float with room for every bit, whatever the order and however they
// were merged.
func TestMean(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	values := []float64{0, math.Copysign(0, -1), math.SmallestNonzeroFloat64,
		-math.SmallestNonzeroFloat64, 1e300, 1e300, 1, 1e-300, math.Pi}
	for range 200 {
		values = append(values, math.Ldexp(r.Float64()-.5, r.IntN(200)-100))
	}
	sum, squares := new(big.Float).SetPrec(5000), new(big.Float).SetPrec(5000)
	for _, v := range values {
		x := new(big.Float).SetPrec(5000).SetFloat64(v)
		sum.Add(sum, x)
		squares.Add(squares, new(big.Float).SetPrec(5000).Mul(x, x))
	}
	n := new(big.Float).SetPrec(5000).SetInt64(int64(len(values)))
	mean := new(big.Float).SetPrec(5000).Quo(sum, n)
	want, _ := mean.Float64()
	variance := new(big.Float).SetPrec(5000).Mul(mean, sum)
	variance.Sub(squares, variance).Quo(variance, n).Quo(variance,
		new(big.Float).SetInt64(int64(len(values)-1)))
	wantSEM, _ := variance.Sqrt(variance).Float64()

	var first []byte
	for round := range 5 {
		parts := [3]Mean{}
		for _, i := range r.Perm(len(values)) {
			parts[r.IntN(3)].Add(values[i])
		}
		var m Mean
		for _, i := range r.Perm(3) {
			m.Merge(&parts[i])
		}
		must.Equal(t, m.Mean(), want, round, m.SEM(), m.N, wantSEM)
		must.Equal(t, math.Abs(m.SEM()-wantSEM) <= 1e-15*wantSEM, true, round, m.Mean(), m.SEM(),
			m.N, want, wantSEM)
		must.Equal(t, m.N, int64(len(values)), round, m.Mean(), m.SEM(), want, wantSEM)
		data := must.Get(json.Marshal(&m))(t)
		if first == nil {
			first = data
		} else if string(first) != string(data) {
			t.Errorf("round %d: another order leaves other bytes", round)
		}
		var back Mean
		must.Equal(t, json.Unmarshal(data, &back) == nil, true, back.Mean())
		must.Equal(t, back.Mean(), want)
	}
	var none Mean
	must.Equal(t, math.IsNaN(none.Mean()), true, "the mean of nothing is a number")
	must.Equal(t, math.IsNaN(none.SEM()), true, "the mean of nothing is a number")
}

// TestAggregates merges the same aggregates in different orders.
func TestAggregates(t *testing.T) {
	aggregate := func(v float64) Aggregate {
		c := Aggregate{Count: 1, Predicted: 1}
		c.add(meanScore, v)
		return c
	}
	f := &mergeFn{}
	a := f.MergeAccumulators(f.AddInput(f.AddInput(f.CreateAccumulator(), aggregate(.1)),
		aggregate(.2)), f.AddInput(f.CreateAccumulator(), aggregate(.3)))
	b := f.MergeAccumulators(f.CreateAccumulator(),
		f.AddInput(f.MergeAccumulators(aggregate(.3), aggregate(.1)), aggregate(.2)))
	x := must.Get(encodeAggregate(a))(t)
	back, err := decodeAggregate(mustJSON(b))
	must.Do(t, err, x, mustJSON(back))
	must.Equal(t, reflect.DeepEqual(string(mustJSON(back)), string(x)), true, x, mustJSON(back))
	if a.Count != 3 || a.Predicted != 3 || a.Means[meanScore].Mean() != .2 {
		t.Errorf("%s", x)
	}
}
