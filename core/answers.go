package core

import (
	"context"
	"errors"
	"math"
	"slices"
	"strconv"

	"github.com/bagscope/bagscope/core/internal/stats"
	"github.com/bagscope/bagscope/internal/msg"
)

// Some models have no answer for some coalitions: a model that selects instances and averages those
// computes 0/0 where it selects none. Methods that average over coalitions leave these out, and
// count them by Unanswered. Those that need one coalition of each instance leave the instance
// without a score, see [Attribution.SetUnscored]. What-ifs pass over such coalitions, and
// [Game.LeftOut] reports it. All other callers get a *NonFiniteError.

// Answers is [Game.Values] for methods that leave out coalitions without an answer: all values of a
// coalition are NaN if one of them is NaN or infinite. Other errors are those of Values.
func (g *Game) Answers(ctx context.Context, z *Coalitions) ([]float64, error) {
	return g.answers(g.values(ctx, z, true))
}

// AnswersOnce is Answers without the cache, as [Game.ValuesOnce].
func (g *Game) AnswersOnce(ctx context.Context, z *Coalitions) ([]float64, error) {
	return g.answers(g.valuesOnce(ctx, z, true))
}

// SingleAnswers is [Game.Singles] with NaN for instances that have no answer alone. If the smallest
// bag of the model has more than one instance, it is Singles.
func (g *Game) SingleAnswers(ctx context.Context) ([]float64, error) {
	if g.task.LeastBag() > 1 {
		return g.Singles(ctx)
	}
	return g.answers(g.instances(ctx, singlesTable, true))
}

// RemovedAnswers is [Game.Removed] with NaN for instances without which the bag has no answer.
func (g *Game) RemovedAnswers(ctx context.Context) ([]float64, error) {
	if err := g.Removable("one_removed"); err != nil {
		return nil, err
	}
	return g.answers(g.instances(ctx, removedTable, true))
}

// answers sets rows that are not finite to NaN.
func (g *Game) answers(values []float64, err error) ([]float64, error) {
	if err != nil {
		return nil, err
	}
	for row := range slices.Chunk(values, g.task.Classes) {
		unanswered(row)
	}
	return values, nil
}

// unanswered sets the values of a coalition (class) to NaN if one of them is NaN or infinite, and
// reports whether that is so.
func unanswered(row []float64) bool {
	if stats.NonFinite(row) < 0 {
		return false
	}
	for c := range row {
		row[c] = math.NaN()
	}
	return true
}

// CheckAnswer sets the values (class) of a coalition that was evaluated outside of the game to NaN
// if one of them is NaN or infinite, and counts that for LeftOut. It is safe for concurrent use.
func (g *Game) CheckAnswer(row []float64) {
	if unanswered(row) {
		g.leftOut.Add(1)
	}
}

// LeftOut counts the bags that were evaluated for this game, and those of them without an answer,
// which were left out.
func (g *Game) LeftOut() Unanswered {
	return Unanswered{int(g.leftOut.Load()), g.done, "evaluated bags"}
}

// checkFinite returns a *NonFiniteError for the first of values (row, class) that is not finite.
// name returns the coalition of a row.
func (g *Game) checkFinite(values []float64, name func(row int) string) error {
	if at := stats.NonFinite(values); at >= 0 {
		c := g.task.Classes
		return &NonFiniteError{Coalition: name(at / c), Class: at % c, Value: values[at]}
	}
	return nil
}

// Unanswered counts the coalitions that a method needed, and those without an answer.
type Unanswered struct {
	Missing, Of int
	What        string // what is counted, in the plural: "coalitions"
}

// String returns the numbers in words: "12 of 4,096 coalitions have no answer".
func (u Unanswered) String() string {
	return msg.Sprintf("%s of %s %s have no answer", grouped(u.Missing), grouped(u.Of), u.What)
}

// Most reports whether more than half have no answer: too few are left to score instances by them.
func (u Unanswered) Most() bool { return 2*u.Missing > u.Of }

// Notes returns the note about coalitions that were left out, if there are any.
func (u Unanswered) Notes() []string {
	if u.Missing == 0 {
		return nil
	}
	return []string{u.String() + ", because the model's scores are NaN or infinite: they are " +
		"left out"}
}

// AddUnanswered adds the note about coalitions that were left out, if there are any.
func (a *Attribution) AddUnanswered(u Unanswered) {
	for _, note := range u.Notes() {
		a.AddNote(note)
	}
}

// SetUnscored leaves instances without a score whose scores (class, instance) are NaN, because a
// coalition of theirs has no answer: their scores become the neutral point with an infinite error,
// so that nothing is drawn for them. The other scores get the error 0. A note counts them; where
// names the coalition of an instance: "each of them alone". all is true if no instance has a score.
// Neutral must be set before.
func (a *Attribution) SetUnscored(where string) (all bool) {
	missing, k := 0, len(a.Scores[0])
	for n, scores := range a.Scores {
		errors := make([]float64, k)
		missing = 0
		for i, v := range scores {
			if math.IsNaN(v) {
				missing++
				scores[i], errors[i] = ofClass(a.Neutral, n, 0), math.Inf(1)
			}
		}
		if missing > 0 {
			a.StdErr = append(a.StdErr, errors)
		}
	}
	if missing > 0 {
		a.AddNote(msg.Sprintf("%s of %s instances have no score, because the model's scores of "+
			"%s are NaN or infinite: nothing is drawn for them", grouped(missing), grouped(k),
			msg.Text(where)))
	}
	return missing == k
}

// TooFewAnswers returns a *NonFiniteError with the numbers of coalitions, for the first of z that
// has no answer.
func (g *Game) TooFewAnswers(ctx context.Context, z *Coalitions, u Unanswered) error {
	_, err := g.Values(ctx, z)
	var missing *NonFiniteError
	if errors.As(err, &missing) {
		missing.Unanswered = u
	}
	return err
}

// grouped returns a number with commas between thousands.
func grouped(n int) string {
	if n < 1000 {
		return strconv.Itoa(n)
	}
	return msg.Sprintf("%s,%03d", grouped(n/1000), n%1000)
}
