package metric

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/bagscope/bagscope/core"
)

const (
	trustOrders = 10 // random orders that AOPC-R compares with
	trustCuts   = 32 // of a curve where all cuts would cost too much
	// mostTrustWork bounds evaluations times instances of a trust measured from all cuts. A pooled
	// model takes about 0.1 s for them.
	mostTrustWork = 2_000_000
)

// A Trust says how far the scores of one method can be trusted for one bag.
type Trust struct {
	Method  string
	Classes []int // those that are explained; the lists below are in their order
	// AOPCR holds the method's own AOPC-R first, then that of Single, One Removed and Inherent, as
	// far as the model serves them. A random order has 0 by definition. It is empty if there are no
	// two cuts of the bag to compare.
	AOPCR []TrustRow
	// Spread (class) is the standard deviation of AOPC over random orders. Differences of AOPC-R
	// below it say nothing.
	Spread []float64
	// Correlation (class) is the rank correlation (Spearman) of the scores with those under another
	// seed: 1 for methods that draw nothing, NaN for a bag of one instance.
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
	total := trustPoints(k, k, rankings, classes) * (trustOrders + rankings*classes)
	for _, m := range slices.Concat(methods, trustReferences()) {
		total += m.Evaluations(k, classes)
	}
	return total
}

// trustPoints returns how many points a curve of removal has that could have most of them.
func trustPoints(most, k, rankings, classes int) int {
	if work := float64(most) * float64(trustOrders+rankings*classes) * float64(k); work <= mostTrustWork {
		return most
	}
	return min(most, trustCuts+1)
}

// ExplainWithTrust is core.Explain with MeasureTrust in the same game. An explanation whose trust cannot
// be measured, as where the budget ends, is returned without, and a note in the report says why.
func ExplainWithTrust(ctx context.Context, ev core.Evaluator, req core.Request) (*core.Report, []Trust, error) {
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
		report.Notes = append(report.Notes, "how far the scores can be trusted could not be measured: "+err.Error())
	}
	g.Finish()
	return report, trust, nil
}

// MeasureTrust measures how far the explanations of a report can be trusted, one Trust for each of
// its methods, in the report's game (METHODS §7). It measures:
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
func MeasureTrust(ctx context.Context, g *core.Game, methods []core.Method, report *core.Report) ([]Trust, error) {
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
	points  int       // of a curve; fewer than two if there is nothing to compare
	removed int       // instances that the model allows to remove, and one
	mean    []float64 // (class) AOPC of random orders
	spread  []float64 // (class)
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
	var areas moments
	rng := g.Rand("trust orders")
	for range trustOrders {
		a, err := m.areas(ctx, rng.Perm(k))
		if err != nil {
			return err
		}
		areas.add(a)
	}
	for _, c := range m.classes {
		m.mean = append(m.mean, areas.mean[c])
		m.spread = append(m.spread, areas.deviation(c))
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
	values, err := removal(ctx, m.game, order, m.points, func(s int) int { return s * m.removed / m.points })
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
func (m *trustMeter) trust(ctx context.Context, method core.Method, explanations []core.Explanation) (Trust, error) {
	t := Trust{Method: method.Name(), Classes: m.classes, Spread: m.spread, Cuts: max(0, m.points-1)}
	var scores [][]float64
	for _, e := range explanations {
		scores = append(scores, e.Scores)
	}
	again, err := m.game.AttributeAgain(ctx, method, m.classes)
	if err != nil {
		return t, err
	}
	for n := range scores {
		t.Correlation = append(t.Correlation, Spearman(scores[n], again.Scores[n]))
	}
	if m.points >= 2 {
		own, err := m.row(ctx, t.Method, scores)
		if err != nil {
			return t, err
		}
		t.AOPCR = append(t.AOPCR, own)
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

// Spearman returns the rank correlation of two lists of scores, with mean ranks for ties. It is 1 if
// the ranks are equal, also if all are tied, 0 if only one list is tied, and NaN for fewer than two
// scores.
func Spearman(a, b []float64) float64 {
	if len(a) < 2 {
		return math.NaN()
	}
	x, y := meanRanks(a), meanRanks(b)
	if slices.Equal(x, y) {
		return 1
	}
	middle := float64(len(a)-1) / 2
	var xx, yy, xy float64
	for i := range x {
		dx, dy := x[i]-middle, y[i]-middle
		xx += dx * dx
		yy += dy * dy
		xy += dx * dy
	}
	if xx == 0 || yy == 0 {
		return 0
	}
	return xy / math.Sqrt(xx*yy)
}

// meanRanks returns the rank of each score from the highest, 0 first, equal scores with their mean.
func meanRanks(scores []float64) []float64 {
	order := core.OrderTies(scores, upTo(len(scores)))
	out := make([]float64, len(scores))
	for lo := 0; lo < len(order); {
		hi := lo + 1
		for hi < len(order) && scores[order[hi]] == scores[order[lo]] {
			hi++
		}
		for _, i := range order[lo:hi] {
			out[i] = float64(lo+hi-1) / 2
		}
		lo = hi
	}
	return out
}

func upTo(k int) []int {
	out := make([]int, k)
	for i := range out {
		out[i] = i
	}
	return out
}

// sentence says in words how far the map of one class can be trusted.
func (t *Trust) sentence(n int, output core.Output) string {
	if len(t.AOPCR) == 0 {
		return "The bag has no two sizes to compare, so that no order of its instances can be tested."
	}
	own := t.AOPCR[0].Values[n]
	var others, better []string
	for _, row := range t.AOPCR[1:] {
		title := titleOf(row.Method)
		others = append(others, fmt.Sprintf("%s %.2g", title, row.Values[n]))
		if row.Values[n] > own+t.Spread[n] {
			better = append(better, title)
		}
	}
	beside := ""
	if len(others) > 0 {
		beside = " (" + strings.Join(others, ", ") + ")"
	}
	text := fmt.Sprintf("Removing the highest scores first lowers the %s by %.2g more than a random order does%s",
		measure(output), own, beside)
	if own <= 2*t.Spread[n] {
		text += fmt.Sprintf(", which chance explains (±%.2g)", 2*t.Spread[n])
	}
	if len(better) > 0 {
		text += "; " + better[0] + " gives a better order"
	}
	return text + "; " + agreement(t.Correlation[n]) + "."
}

func measure(o core.Output) string {
	switch o {
	case core.OutputProbability:
		return "probability"
	case core.OutputLogit:
		return "logit"
	}
	return "score"
}

// agreement says how two seeds compare.
func agreement(correlation float64) string {
	if correlation == 1 {
		return "another seed gives the same order"
	}
	how := "another order: use more samples"
	switch {
	case correlation >= .95:
		how = "nearly the same order"
	case correlation >= .8:
		how = "a similar order"
	case correlation >= .5:
		how = "a partly different order"
	}
	return fmt.Sprintf("another seed gives %s (correlation %.2f)", how, correlation)
}

func titleOf(method string) string {
	for _, m := range core.Methods() {
		if m.Name == method {
			return m.Title
		}
	}
	return method
}
