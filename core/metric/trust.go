package metric

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/core/whatif"
)

// Settings of MeasureTrust.
const (
	TrustOrders = 10 // number of random orders for comparison
	trustCuts   = 32 // cuts of a curve if all cuts exceed mostTrustWork
	// mostTrustWork bounds evaluations times instances of a measurement with all cuts. A pooling
	// model takes about 0.1 s for it.
	mostTrustWork = 2_000_000
	fewestBeaten  = 9 // random orders that a good order must exceed
	// relative difference of AOPC-R from which another method's order is called better
	muchBetter = .1
)

// A Trust holds measurements of how far the scores of one method for one bag can be trusted.
type Trust struct {
	Method  string
	Classes []int // explained classes; the slices below have their order
	// AOPCR holds the AOPC-R of the method, then those of Single, One Removed and Inherent if the
	// model supports them. A random order has 0 by definition. AOPCR is empty if no instance can be
	// removed.
	AOPCR []TrustRow
	// (class) the number of the TrustOrders random orders with a lower AOPC than the method
	Beaten []int
	// Correlation (class) is the rank correlation (Spearman) of the scores with those of another
	// seed. Scores that are not evidence count as neutral, as in pictures. It is 1 for methods that
	// do not sample, and NaN for a bag of one instance.
	Correlation []float64
	Kept        []whatif.Kept // (class) what the shown instances do, and how many keep the answer
	Cuts        int           // number of bag sizes of the curves, not counting the whole bag
	Sentences   []string      // (class) a summary in words
}

// A TrustRow is the AOPC-R of one method.
type TrustRow struct {
	Method string
	Values []float64 // (class)
}

// trustReferences returns the methods for comparison.
func trustReferences() []core.Method {
	return []core.Method{methods.Single{}, methods.OneRemoved{}, methods.Inherent{}}
}

// TrustEvaluations returns an upper bound of the additional model evaluations of MeasureTrust, for
// an explanation of a bag of k instances by the methods for the given number of classes.
func TrustEvaluations(methods []core.Method, k, classes int) int {
	rankings := len(methods) + len(trustReferences())
	total := trustPoints(k, k, rankings, classes) * (TrustOrders + rankings*classes)
	for _, m := range slices.Concat(methods, trustReferences()) {
		total += m.Evaluations(k, classes)
	}
	return total + len(methods)*classes*whatif.KeptEvaluations(k)
}

// trustPoints returns the number of points of a removal curve, at most most: all if their work is
// within mostTrustWork.
func trustPoints(most, k, rankings, classes int) int {
	work := float64(most) * float64(TrustOrders+rankings*classes) * float64(k)
	if work <= mostTrustWork {
		return most
	}
	return min(most, trustCuts+1)
}

// ExplainWithTrust is [core.Game.Explain] followed by MeasureTrust. If the measurement fails, for
// example because the budget is used up, it returns the report without trust, and a note in the
// report states the reason.
func ExplainWithTrust(
	ctx context.Context, g *core.Game, req core.Request,
) (*core.Report, []Trust, error) {
	if err := g.Check(req); err != nil {
		return nil, nil, err
	}
	classes := len(req.Classes)
	if req.Classes == nil {
		classes = g.Classes()
	}
	after := req.Later
	req.Later += TrustEvaluations(req.Methods, g.Instances(), classes)
	report, err := g.Explain(ctx, req)
	if err != nil {
		return report, nil, err
	}
	trust, err := MeasureTrust(ctx, g, req.Methods, report)
	report.Evaluations = g.Evaluations()
	if ctx.Err() != nil {
		return report, nil, err
	}
	if err != nil {
		trust = nil
		const unmeasured = "how far the scores can be trusted could not be measured: "
		report.Notes = append(report.Notes, unmeasured+err.Error())
	}
	if after == 0 {
		g.Finish()
	}
	return report, trust, nil
}

// MeasureTrust returns a Trust for each method of a report (METHODS section 5). g must be the
// report's game. It measures:
//
//   - AOPC-R of each method, and of Single, One Removed and Inherent, against ten random orders.
//     Removal curves have every cut down to the model's least bag if evaluations times instances
//     are at most two million, else 32 cuts.
//   - the rank correlation of the scores with those of the same method with another seed;
//   - what the instances do that stand out for the answer, and how many keep it, see
//     [whatif.KeptQuestion].
//
// methods are those of the request; methods that the report lists as skipped are ignored. Equal
// games and reports give equal results.
//
// Errors: those of core.Method.Attribute and (*core.Game).Values.
func MeasureTrust(
	ctx context.Context, g *core.Game, methods []core.Method, report *core.Report,
) ([]Trust, error) {
	m := &trustMeter{game: g, ties: g.Rand("trust ties").Perm(g.Instances())}
	methods = slices.DeleteFunc(slices.Clone(methods), func(method core.Method) bool {
		return method == nil || len(explanationsBy(report, method)) == 0
	})
	if len(methods) == 0 {
		return nil, nil
	}
	for _, e := range explanationsBy(report, methods[0]) {
		m.classes = append(m.classes, e.Class)
	}
	if err := m.prepare(ctx, len(methods)); err != nil {
		return nil, err
	}
	var out []Trust
	for _, method := range methods {
		t, err := m.trust(ctx, method, explanationsBy(report, method))
		if err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	return out, nil
}

// explanationsBy returns the explanations of one method.
func explanationsBy(report *core.Report, method core.Method) []core.Explanation {
	return slices.DeleteFunc(slices.Clone(report.Explanations),
		func(e core.Explanation) bool { return e.Method != method.Name() })
}

// A trustMeter holds the data that the methods of a report share.
type trustMeter struct {
	game    *core.Game
	classes []int
	ties    []int
	points  int         // points of a curve; fewer than two if no instance can be removed
	removed int         // 1 + the number of instances that can be removed
	random  [][]float64 // (order, class of the model) AOPC of random orders
	mean    []float64   // (class)
	others  []TrustRow
}

// prepare measures the random orders and the methods for comparison.
func (m *trustMeter) prepare(ctx context.Context, methods int) error {
	g := m.game
	k := g.Instances()
	m.removed = max(0, k-g.LeastBag()+1)
	m.points = trustPoints(m.removed, k, methods+len(trustReferences()), len(m.classes))
	if m.points < 2 {
		return nil
	}
	rng := g.Rand("trust orders")
	for range TrustOrders {
		a, err := m.areas(ctx, rng.Perm(k))
		if err != nil {
			return err
		}
		m.random = append(m.random, a)
	}
	for _, c := range m.classes {
		sum := 0.0
		for _, a := range m.random {
			sum += a[c]
		}
		m.mean = append(m.mean, sum/TrustOrders)
	}
	for _, method := range trustReferences() {
		a, err := method.Attribute(ctx, g, m.classes)
		if errors.As(err, new(*core.UnavailableError)) {
			continue
		}
		if err != nil {
			return err
		}
		row, err := m.row(ctx, method.Name(), a.Scores)
		if err != nil {
			return err
		}
		m.others = append(m.others, row)
	}
	return nil
}

// areas returns the AOPC of an order for each class of the model.
func (m *trustMeter) areas(ctx context.Context, order []int) ([]float64, error) {
	size := func(s int) int { return s * m.removed / m.points }
	values, err := removal(ctx, m.game, order, m.points, size)
	if err != nil {
		return nil, err
	}
	out := make([]float64, m.game.Classes())
	for c := range out {
		out[c], _ = AOPC(column(values, len(out), c), false)
	}
	return out, nil
}

// row returns the AOPC-R of scores shaped (class, instance).
func (m *trustMeter) row(ctx context.Context, method string, scores [][]float64) (TrustRow, error) {
	row := TrustRow{Method: method}
	for n, c := range m.classes {
		areas, err := m.areas(ctx, Order(scores[n], m.ties))
		if err != nil {
			return row, err
		}
		row.Values = append(row.Values, areas[c]-m.mean[n])
	}
	return row, nil
}

// trust measures one method.
func (m *trustMeter) trust(
	ctx context.Context, method core.Method, explanations []core.Explanation,
) (Trust, error) {
	t := Trust{Method: method.Name(), Classes: m.classes, Cuts: max(0, m.points-1)}
	again, err := m.game.ExplainAgain(ctx, method, m.classes)
	if err != nil {
		return t, err
	}
	var scores [][]float64
	for n, e := range explanations {
		scores = append(scores, e.Scores)
		t.Correlation = append(t.Correlation, Spearman(withoutNoise(e), withoutNoise(again[n])))
	}
	if m.points >= 2 {
		aopcr, err := m.row(ctx, t.Method, scores)
		if err != nil {
			return t, err
		}
		t.AOPCR = append(t.AOPCR, aopcr)
		t.Beaten = m.beaten(aopcr.Values)
		for _, row := range m.others {
			if row.Method != t.Method {
				t.AOPCR = append(t.AOPCR, row)
			}
		}
	}
	for n := range explanations {
		kept, err := whatif.KeptQuestion{Explanation: &explanations[n]}.Answer(ctx, m.game)
		if err != nil {
			return t, err
		}
		t.Kept = append(t.Kept, *kept)
	}
	units := m.game.Units()
	for n, c := range m.classes {
		t.Sentences = append(t.Sentences, t.sentence(n, units[c]))
	}
	return t, nil
}

// beaten returns, for each class, the number of random orders with a lower AOPC than the given
// AOPC-R.
func (m *trustMeter) beaten(values []float64) []int {
	out := make([]int, len(values))
	for n, c := range m.classes {
		for _, a := range m.random {
			if a[c]-m.mean[n] < values[n] {
				out[n]++
			}
		}
	}
	return out
}

// withoutNoise returns the scores with those at the neutral point that chance or rounding explains.
// Trifles of methods without errors keep their values, which have ranks, and so do scores whose
// errors are unknown.
func withoutNoise(e core.Explanation) []float64 {
	out, largest := slices.Clone(e.Scores), 0.0
	if e.Unit == core.UnitLogOdds || e.Unit == core.UnitProbability {
		largest = 1 // rounding of these does not shrink with the scores
	}
	for _, v := range out {
		largest = max(largest, math.Abs(v-e.Neutral))
	}
	for i, evident := range e.Evident {
		noise := !evident
		if e.StdErr == nil || !(e.StdErr[i] < math.Inf(1)) {
			noise = math.Abs(out[i]-e.Neutral) < 1e-6*largest
		}
		if noise {
			out[i] = e.Neutral
		}
	}
	return out
}
