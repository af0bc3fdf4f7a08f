package suffix

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/tolerance"
)

// verifySizes are the sizes of the random coalitions that are compared. They are small because each
// of their instances is encoded again for the first bag of a program: 8 beside the 30 of a bag of
// digits.
var verifySizes = [3]int{1, 2, 5}

// verify compares a fast strategy with a slow one: on random coalitions, of half the bag if the
// model takes no small ones, and on the whole bag if its run has scored it. It returns what the
// fast strategy does wrong if they differ, or if nothing could be compared, as words that follow
// its name.
//
// The slow strategy is the plain one until the suffix s is verified: until the instances of a
// coalition, run by themselves, have given what is gathered at the boundary. This is a statement
// about operators and shapes, which bags of one program have in common. From the next bag on the
// slow strategy is to gather, which encodes nothing. What depends on the numbers of a bag, such as
// underflow in a weighted sum of all its instances, happens in the suffix and is compared for every
// bag.
func (e *Evaluator) verify(ctx context.Context, fast strategy, s, plain *Suffix) (string, error) {
	slow, verified, least := plain, &s.verified[0], 0.
	if e.OnDevice {
		verified = &s.verified[1]
	}
	gathers := fast == strategy(s)
	p, pools := fast.(*Pooled)
	onDevice := e.OnDevice || pools && p.device.Used()
	if onDevice {
		least = tolerance.Device
	}
	if verified.Load() { // an earlier bag of this program has compared s with the whole graph
		if slow = s; gathers {
			return "", nil
		}
	}
	z, y, err := e.examples(ctx, slow)
	if err != nil {
		return "", err
	}
	if len(y) == 0 {
		return "could not be compared with the whole graph", nil
	}
	compared := len(y)
	if !gathers { // else the scores for the whole bag are those of its run by definition
		z.AppendWithout()
		all, err := e.Whole[e.Output.ID].Float64s()
		if err != nil {
			return "", err
		}
		y = append(y, all...)
	}
	x := make([]float64, len(y))
	if err := fast.evaluate(ctx, x, z); err != nil {
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		return msg.Sprintf("fails on this model (%v)", err), nil
	}
	// The tolerance follows the number of terms in a sum, which is smaller for the random
	// coalitions.
	largest := 0 // size of the largest random coalition
	for j := range compared / e.Task.Classes {
		largest = max(largest, z.Size(j))
	}
	some := tolerance.Within(x[:compared], y[:compared], max(least, tolerance.For(largest)))
	whole := tolerance.Within(x[compared:], y[compared:],
		max(least, tolerance.For(e.Task.Instances)))
	if onDevice && !(some && whole) {
		return "", ErrDeviates // the bag is bound again on the CPU alone
	}
	if !some {
		a, b := farthest(x[:compared], y[:compared])
		return msg.Sprintf("changes the scores of this model (%.6g instead of %.6g on a random "+
			"coalition)", a, b), nil
	}
	if !whole {
		a, b := farthest(x[compared:], y[compared:])
		return msg.Sprintf("changes the scores of this bag (%.6g instead of %.6g)", a, b), nil
	}
	if slow == plain && conclusive(y[:compared], e.Task.Classes) {
		verified.Store(true)
	}
	return "", nil
}

// farthest returns the score of x that differs most from that of y, and the other one.
func farthest(x, y []float64) (a, b float64) {
	most := -1.0
	for i, v := range x {
		d := math.Abs(v - y[i])
		if math.IsNaN(v) != math.IsNaN(y[i]) {
			d = math.Inf(1)
		}
		if d > most {
			most, a, b = d, v, y[i]
		}
	}
	return a, b
}

// examples returns random coalitions that the model takes, with their scores (coalition, class) by
// the slow strategy: those of verifySizes or, if the model takes none of them, one of half the bag
// or of the whole bag. Both are empty if the model takes none. The same k gives the same
// coalitions.
func (e *Evaluator) examples(
	ctx context.Context, slow strategy,
) (z *core.Coalitions, y []float64, err error) {
	k := e.Task.Instances
	random := rand.New(rand.NewPCG(uint64(k), 0x6261677363))
	z = core.NewCoalitions(k, len(verifySizes)+1)
	row := make([]float64, e.Task.Classes)
	for _, size := range append(verifySizes[:], (k+1)/2, k) {
		if size > verifySizes[2] && len(y) > 0 {
			break
		}
		one := core.NewCoalitions(k, 1)
		one.AppendMembers(random.Perm(k)[:min(size, k)]...)
		err := slow.evaluate(ctx, row, one)
		if ctx.Err() != nil {
			return nil, nil, context.Cause(ctx)
		}
		if err == nil { // else the model takes no bag of this size
			z.Append(one.Row(0))
			y = append(y, row...)
		}
	}
	return z, y, nil
}

// conclusive reports whether agreement on the scores, shaped (coalition, class), holds for other
// bags. On a bag of equal instances all coalitions have the same scores, and a wrong boundary would
// not show.
func conclusive(y []float64, classes int) bool {
	return tolerance.NonFinite(y) < 0 && !tolerance.Agree(y[classes:], y[:len(y)-classes], 1)
}
