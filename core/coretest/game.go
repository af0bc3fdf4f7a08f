// Package coretest tests attribution methods on games with known Shapley values.
//
// Each game is a [core.Evaluator], so that a method treats it like a bag under a model: the value
// of a coalition is the class score, on [core.ScaleRaw]. Every game has two classes, its value and
// the negated value, so that tests detect a method that confuses classes.
//
//	additive   v(z) = sum of the members' worths
//	glove      number of pairs of left and right gloves of the members
//	majority   1 if there are at least q members: a bag with q or more positive instances
//	airport    the largest cost among the members: max pooling
//	noisy-or   1 - prod(1 - p_i): a smooth form of the classical MIL assumption
//	unanimity  1 if all key players are members: an 8 and a 9 together
package coretest

import (
	"context"
	"math"
	"slices"

	"github.com/bagscope/bagscope/core"
	"gonum.org/v1/gonum/integrate/quad"
)

// A Game is a cooperative game with known Shapley values.
type Game struct {
	Name    string
	Players int
	Value   func(members []int) float64 // value of a coalition, including the empty one
	// (player) Shapley values of class 0; those of class 1 are negated
	Shapley []float64
}

// Task implements core.Evaluator: two classes, raw scores, class 1 as the negative class.
func (g *Game) Task() core.Task {
	return core.Task{Instances: g.Players, Classes: 2, Scale: core.ScaleRaw, Negative: 1}
}

// Evaluate implements core.Evaluator.
func (g *Game) Evaluate(ctx context.Context, dst []float64, z *core.Coalitions) error {
	var members []int
	for j := range z.Len() {
		if err := ctx.Err(); err != nil {
			return err
		}
		members = z.Members(members[:0], j)
		v := g.Value(members)
		dst[2*j], dst[2*j+1] = v, -v
	}
	return nil
}

// EmptyValue implements core.EmptyEvaluator: the value of the empty coalition.
func (g *Game) EmptyValue() []float64 {
	v := g.Value(nil)
	return []float64{v, -v}
}

// Games returns one game of each kind, with at most eight players, so that all coalitions can be
// evaluated.
func Games() []*Game {
	return []*Game{
		Additive(.5, -.25, 0, 1, .125),
		Glove(2, 4),
		Majority(7, 3),
		Airport(1, 1, 3, 0, 2, 5),
		NoisyOr(.9, .1, 0, .5, .5, .01),
		Unanimity(6, 1, 4),
	}
}

// Additive returns the game with the sum of worths as its value; each player's Shapley value is its
// worth.
func Additive(worths ...float64) *Game {
	return &Game{
		Name: "additive", Players: len(worths), Shapley: slices.Clone(worths),
		Value: func(members []int) (v float64) {
			for _, i := range members {
				v += worths[i]
			}
			return v
		},
	}
}

// Glove returns a game of players with one left glove each, followed by players with one right
// glove each. The value of a coalition is its number of pairs. A left player adds a pair if more
// right than left gloves precede it: its Shapley value is that probability over random orders.
func Glove(left, right int) *Game {
	k := left + right
	g := &Game{
		Name: "glove", Players: k,
		Value: func(members []int) float64 {
			l := 0
			for _, i := range members {
				if i < left {
					l++
				}
			}
			return float64(min(l, len(members)-l))
		},
	}
	for i := range k {
		same, other := left, right
		if i >= left {
			same, other = right, left
		}
		p := 0.0
		for a := range same {
			for b := a + 1; b <= other; b++ {
				p += choose(same-1, a) * choose(other, b) / (choose(k-1, a+b) * float64(k))
			}
		}
		g.Shapley = append(g.Shapley, p)
	}
	return g
}

// Majority returns the game with value 1 from q members on; by symmetry all Shapley values are
// equal.
func Majority(players, q int) *Game {
	return &Game{
		Name: "majority", Players: players,
		Shapley: slices.Repeat([]float64{1 / float64(players)}, players),
		Value: func(members []int) float64 {
			if len(members) >= q {
				return 1
			}
			return 0
		},
	}
}

// Airport returns the game with the largest cost among the members as its value; costs must not be
// negative. The difference between two consecutive costs is shared equally by all players with at
// least the higher cost (Littlechild and Owen 1973).
func Airport(costs ...float64) *Game {
	k := len(costs)
	// A player shares each step of the cost up to its own cost with all players that need it too.
	sorted := slices.Sorted(slices.Values(costs))
	shapley := make([]float64, k)
	for i, cost := range costs {
		before := 0.0
		for rank, c := range sorted[:slices.Index(sorted, cost)+1] {
			shapley[i] += (c - before) / float64(k-rank)
			before = c
		}
	}
	return &Game{
		Name: "airport", Players: k, Shapley: shapley,
		Value: func(members []int) (v float64) {
			for _, i := range members {
				v = math.Max(v, costs[i])
			}
			return v
		},
	}
}

// NoisyOr returns the game 1 - prod(1 - p_i). Its Shapley values are the integral over t in [0, 1]
// of the gradient of its multilinear extension, p_i prod_{j != i} (1 - t p_j) (Owen 1972): a
// polynomial, which Gauss-Legendre quadrature integrates exactly.
func NoisyOr(p ...float64) *Game {
	shapley := make([]float64, len(p))
	for i := range p {
		shapley[i] = quad.Fixed(func(t float64) float64 {
			v := p[i]
			for j, q := range p {
				if j != i {
					v *= 1 - t*q
				}
			}
			return v
		}, 0, 1, len(p), quad.Legendre{}, 0)
	}
	return &Game{
		Name: "noisy-or", Players: len(p), Shapley: shapley,
		Value: func(members []int) float64 {
			none := 1.0
			for _, i := range members {
				none *= 1 - p[i]
			}
			return 1 - none
		},
	}
}

// Unanimity returns the game with value 1 if all keys are members. The keys have equal Shapley
// values; the other players are null players.
func Unanimity(players int, keys ...int) *Game {
	g := &Game{
		Name: "unanimity", Players: players, Shapley: make([]float64, players),
		Value: func(members []int) float64 {
			for _, i := range keys {
				if !slices.Contains(members, i) {
					return 0
				}
			}
			return 1
		},
	}
	for _, i := range keys {
		g.Shapley[i] = 1 / float64(len(keys))
	}
	return g
}

// choose returns the binomial coefficient C(n, m), exact for the sizes of these games.
func choose(n, m int) float64 {
	c := 1.0
	for i := range m {
		c = c * float64(n-i) / float64(i+1)
	}
	return c
}
