package coretest

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/internal/must"
)

// A recorder is a test that keeps its failures.
type recorder struct {
	testing.TB
	failures []string
}

func (r *recorder) Errorf(format string, args ...any) {
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}

func (r *recorder) Error(args ...any) { r.failures = append(r.failures, fmt.Sprint(args...)) }

// An altered is OneRemoved that answers bags of some sizes in another way.
type altered struct {
	methods.OneRemoved
	answer func(k int) (*core.Attribution, error) // nil and nil for that of OneRemoved
}

func (m altered) Attribute(
	ctx context.Context, g *core.Game, classes []int,
) (*core.Attribution, error) {
	if a, err := m.answer(g.Instances()); a != nil || err != nil {
		return a, err
	}
	return m.OneRemoved.Attribute(ctx, g, classes)
}

// TestCheckContract checks which methods it accepts, and that it fails the test for others.
func TestCheckContract(t *testing.T) {
	unavailable := func(k int) (*core.Attribution, error) {
		return nil, &core.UnavailableError{Reason: "no such bag"}
	}
	when := func(
		some func(k int) bool, f func(k int) (*core.Attribution, error),
	) func(k int) (*core.Attribution, error) {
		return func(k int) (*core.Attribution, error) {
			if some(k) {
				return f(k)
			}
			return nil, nil
		}
	}
	short := func(int) (*core.Attribution, error) {
		return &core.Attribution{Scores: [][]float64{{1}, {1}}}, nil
	}
	for name, c := range map[string]struct {
		answer func(k int) (*core.Attribution, error)
		fails  string // a part of a failure, or "" for none
	}{
		"as it is":           {when(func(int) bool { return false }, nil), ""},
		"not for small bags": {when(func(k int) bool { return k <= 3 }, unavailable), ""},
		"not for large bags": {when(func(k int) bool { return k > 9 }, unavailable), ""},
		"for no bag":         {unavailable, "neither a bag of 9 instances nor one of 40"},
		"only for one":       {when(func(k int) bool { return k > 1 }, unavailable), "neither"},
		"too few scores": {when(func(k int) bool { return k == 9 }, short),
			"9 players: method one_removed returned 1 score for 9 instances"},
		"other errors": {when(func(k int) bool { return k == 2 },
			func(int) (*core.Attribution, error) { return nil, context.Canceled }), "2 players"},
	} {
		t.Run(name, func(t *testing.T) {
			r := &recorder{TB: t}
			CheckContract(r, altered{answer: c.answer})
			all := strings.Join(r.failures, "\n")
			must.Equal(t, c.fails == "", all == "")
			must.Contain(t, all, c.fails)
		})
	}
}

// An errorless is RandomSHAP without its standard errors.
type errorless struct{ methods.RandomSHAP }

func (m errorless) Attribute(
	ctx context.Context, g *core.Game, classes []int,
) (*core.Attribution, error) {
	a, err := m.RandomSHAP.Attribute(ctx, g, classes)
	if err == nil {
		a.StdErr, a.Freedom = nil, nil
	}
	return a, err
}

// TestCheckContractNeedsErrors checks that random scores must not pass for exact ones.
func TestCheckContractNeedsErrors(t *testing.T) {
	CheckContract(t, methods.RandomSHAP{})
	r := &recorder{TB: t}
	CheckContract(r, errorless{})
	must.Contain(t, strings.Join(r.failures, "\n"), "9 players: scores change with the seed")
}
