package metric

import (
	"context"
	"errors"
	"slices"

	"github.com/bagscope/bagscope/core"
)

const (
	TrustOrders = 10 // random orders that a Trust compares with
	trustCuts   = 32 // of a curve where all cuts would cost too much
	// mostTrustWork bounds evaluations times instances of a trust measured from all cuts. A pooled
	// model takes about 0.1 s for them.
	mostTrustWork = 2_000_000
	fewestBeaten  = 9  // random orders that an order worth its name is above
	muchBetter    = .1 // of AOPC-R, by which another method's order is called better
)

// A Trust says how far the scores of one method can be trusted for one bag.
type Trust struct {
	Method  string
	Classes []int // those that are explained; the lists below are in their order
	// AOPCR holds the method's own AOPC-R first, then that of Single, One Removed and Inherent, as
	// far as the model serves them. A random order has 0 by definition. It is empty if there are no
	// two cuts of the bag to compare.
	AOPCR  []TrustRow
	Beaten []int // (class) how many of TrustOrders random orders have a lower AOPC than the method
	// Correlation (class) is the rank correlation (Spearman) of the scores with those under another
	// seed. Scores that are not evidence count as neutral, as they are drawn. It is 1 for methods that
	// draw nothing, NaN for a bag of one instance.
	Correlation []float64
	Cuts        int      // sizes of bag at which the curves were measured, beside the whole bag
	Sentences   []string // (class) all of that in words
}

// A TrustRow is the AOPC-R of one method.
type TrustRow struct {
	Method string
	Values []float64 // (class)
}

// trustReferences are the methods that a map is compared with.
func trustReferences() []core.Method {
	return []core.Method{core.Single{}, core.OneRemoved{}, core.Inherent{}}
}

// TrustEvaluations returns an upper bound of the model evaluations that MeasureTrust adds to an
// explanation by the methods of a bag of k instances for so many classes.
func TrustEvaluations(methods []core.Method, k, classes int) int {
	rankings := len(methods) + len(trustReferences())
	total := trustPoints(k, k, rankings, classes) * (TrustOrders + rankings*classes)
	for _, m := range slices.Concat(methods, trustReferences()) {
		total += m.Evaluations(k, classes)
	}
	return total
}

// trustPoints returns how many points a curve of removal has that could have most of them.
func trustPoints(most, k, rankings, classes int) int {
	work := float64(most) * float64(TrustOrders+rankings*classes) * float64(k)
	if work <= mostTrustWork {
		return most
	}
	return min(most, trustCuts+1)
}

// ExplainWithTrust is core.Explain with MeasureTrust in the same game. An explanation whose trust
// cannot be measured, as where the budget ends, is returned without, and a note in the report says why.
func ExplainWithTrust(
	ctx context.Context, ev core.Evaluator, req core.Request,
) (*core.Report, []Trust, error) {
	g, err := core.NewGame(ev, req.GameOptions)
	if err != nil {
		return nil, nil, err
	}
	classes := len(req.Classes)
	if req.Classes == nil {
		classes = g.Classes()
	}
	req.Later = TrustEvaluations(req.Methods, g.Instances(), classes)
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
	g.Finish()
	return report, trust, nil
}

// MeasureTrust measures how far the explanations of a report can be trusted, one Trust for each of
// its methods, in the report's game (METHODS section 5). It measures:
//
//   - AOPC-R of each method, and of Single, One Removed and Inherent, against ten random orders. The
//     curves of removal have every cut down to the model's least bag where evaluations times
//     instances stay below two million, else 32 cuts.
//   - the rank correlation of the scores with those of the same method under another seed.
//
// methods are those of the request; the ones that the report lists as skipped are left out. Equal
// games and reports give equal results.
//
// Errors: those of core.Method.Attribute and (*core.Game).Values.
func MeasureTrust(
	ctx context.Context, g *core.Game, methods []core.Method, report *core.Report,
) ([]Trust, error) {
	m := &trustMeter{game: g, ties: g.Rand("trust ties").Perm(g.Instances())}
	var explained [][]core.Explanation
	for _, method := range methods {
		if e := of(report, method.Name()); len(e) > 0 {
			explained = append(explained, e)
		}
	}
	if len(explained) == 0 {
		return nil, nil
	}
	for _, e := range explained[0] {
		m.classes = append(m.classes, e.Class)
	}
	if err := m.prepare(ctx, len(explained)); err != nil {
		return nil, err
	}
	var out []Trust
	for _, method := range methods {
		if e := of(report, method.Name()); len(e) > 0 {
			t, err := m.trust(ctx, method, e)
			if err != nil {
				return nil, err
			}
			out = append(out, t)
		}
	}
	return out, nil
}

// of returns the explanations of one method.
func of(report *core.Report, method string) (out []core.Explanation) {
	for _, e := range report.Explanations {
		if e.Method == method {
			out = append(out, e)
		}
	}
	return out
}

// A trustMeter holds what the methods of a report share.
type trustMeter struct {
	game    *core.Game
	classes []int
	ties    []int
	points  int         // of a curve; fewer than two if there is nothing to compare
	removed int         // instances that the model allows to remove, and one
	random  [][]float64 // (order, class of the model) AOPC of random orders
	mean    []float64   // (class)
	others  []TrustRow
}

// prepare measures the random orders and the methods to compare with.
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

// areas returns AOPC of an order for every class of the model.
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

// row returns AOPC-R of scores shaped (class, instance).
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
		t.Correlation = append(t.Correlation, Spearman(asDrawn(e), asDrawn(again[n])))
	}
	if m.points >= 2 {
		own, err := m.row(ctx, t.Method, scores)
		if err != nil {
			return t, err
		}
		t.AOPCR = append(t.AOPCR, own)
		t.Beaten = m.beaten(own.Values)
		for _, row := range m.others {
			if row.Method != t.Method {
				t.AOPCR = append(t.AOPCR, row)
			}
		}
	}
	for n := range m.classes {
		t.Sentences = append(t.Sentences, t.sentence(n, m.game.Output()))
	}
	return t, nil
}

// beaten counts the random orders that an AOPC-R of each class is above.
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

// asDrawn returns the scores with those that are not evidence at the neutral point.
func asDrawn(e core.Explanation) []float64 {
	out := slices.Clone(e.Scores)
	for i, evident := range e.Evident {
		if !evident {
			out[i] = e.Neutral
		}
	}
	return out
}
