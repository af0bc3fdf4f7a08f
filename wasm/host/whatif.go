package host

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/wasm/wire"
)

// An asked bag is a game with the class of a what-if.
type asked struct {
	*core.Game
	class     int
	instances []int // instances of the request's bag, by their numbers in the game
	bag       *core.Bag
	model     *RequestModel
	options   core.GameOptions
	answer    wire.Answered
}

// ask binds the bag of a what-if and finds its class. members are the instances of the request's
// bag that the prediction is for, nil for all that are not removed. The caller must call closePool
// when the request ends.
func (h *Host) ask(ctx context.Context, id uint32, q wire.Ask, members []int) (*asked, error) {
	m, bag, indices, err := h.subject(q.Model, q.Bag, q.Without)
	if err != nil {
		return nil, err
	}
	helpers := h.helpers(id, q.Helpers, q.Eager)
	explain := wire.Explain{Model: q.Model, Bag: q.Bag, Without: q.Without, Watch: q.Watch}
	ev, err := h.evaluator(ctx, id, explain, m, bag, helpers, nil)
	if err != nil {
		return nil, err
	}
	options := core.GameOptions{Output: core.Output(q.Output), Seed: q.Seed, Budget: q.Budget,
		Workers: h.workers(m)}
	if q.Watch {
		options.Progress = paced(func(done, total int) {
			h.send(id, wire.Progress{Completed: done, Total: total})
		})
	}
	g, err := core.NewGame(ev, options)
	if err != nil {
		return nil, err
	}
	out := &asked{Game: g, instances: indices, bag: bag, options: options,
		model: &RequestModel{m, h, id, explain, bag}, answer: wire.Answered{Classes: m.Info().Classes,
			Units:  listOf(g.Units(), func(u core.Unit) string { return string(u) }),
			Output: string(g.Output()), Seed: q.Seed}}
	if members == nil {
		members = indices
	}
	if members, err = out.positions("members", members); err != nil {
		return nil, err
	}
	return out, out.predict(ctx, q.Class, members)
}

// positions returns the numbers in the game of instances of the request's bag. It returns a
// *core.SettingError for one that is listed twice, is removed or does not exist.
func (a *asked) positions(setting string, instances []int) ([]int, error) {
	out, seen := make([]int, len(instances)), make([]bool, a.Instances())
	for n, i := range instances {
		at, ok := slices.BinarySearch(a.instances, i)
		if !ok || seen[at] {
			return nil, &core.SettingError{Setting: setting, Reason: fmt.Sprintf(
				"instance %d is listed twice, is removed or does not exist", i)}
		}
		out[n], seen[at] = at, true
	}
	return out, nil
}

// predict fills in the prediction for the members and the class: by default the largest of the
// first head.
func (a *asked) predict(ctx context.Context, class *int, members []int) error {
	z := core.NewCoalitions(a.Instances(), 1)
	z.AppendMembers(members...)
	if z.Size(0) == 0 {
		return &core.SettingError{Setting: "members",
			Reason: "the bag is empty; list at least one instance"}
	}
	values, err := a.Values(ctx, z)
	if err != nil {
		return err
	}
	a.answer.Prediction = values
	if class != nil {
		a.class = *class
		return nil
	}
	first, end := a.Range(0)
	a.class = first + slices.Index(values[first:end], slices.Max(values[first:end]))
	return nil
}

// end completes the common part of an answer.
func (a *asked) end(notes []string) wire.Answered {
	a.Finish()
	a.answer.Class, a.answer.Evaluations, a.answer.Notes = a.class, a.Evaluations(), notes
	return a.answer
}

// original returns the numbers in the request's bag of instances of the game.
func (a *asked) original(instances []int) []int {
	return listOf(instances, func(i int) int { return a.instances[i] })
}

// decisive returns a set for the client.
func (a *asked) decisive(d core.Decisive) wire.DecisiveSet {
	return wire.DecisiveSet{Instances: a.original(d.Instances), Values: d.Values,
		Smallest: d.Smallest, Enumerated: d.Enumerated}
}

// sets answers wire.Sets.
func (h *Host) sets(ctx context.Context, id uint32, r wire.Sets) (any, error) {
	defer h.closePool(id)
	of, err := h.ask(ctx, id, r.Ask, nil)
	if err != nil {
		return nil, err
	}
	s, err := of.Sets(ctx, core.SetsQuestion{Kind: core.SetKind(r.Kind), Class: of.class,
		Level: r.Level, Several: r.Several})
	if err != nil {
		return nil, err
	}
	return wire.SetsFound{Answered: of.end(s.Notes), Kind: string(s.Kind), Level: s.Level,
		Sets: listOf(s.Found, of.decisive)}, nil
}

// curves answers wire.Curves.
func (h *Host) curves(ctx context.Context, id uint32, r wire.Curves) (any, error) {
	defer h.closePool(id)
	of, err := h.ask(ctx, id, r.Ask, nil)
	if err != nil {
		return nil, err
	}
	q := core.CurvesQuestion{Class: of.class}
	if r.Scores != nil {
		q.Scores = append([]float64{}, *r.Scores...) // not nil, so that no score is too few
	}
	c, err := of.Curves(ctx, q)
	if err != nil {
		return nil, err
	}
	return wire.CurvesFound{Answered: of.end(nil), Kept: listOf(c.Kept, curvePoint),
		Removed: listOf(c.Removed, curvePoint)}, nil
}

// curvePoint returns a point for the client.
func curvePoint(p core.CurvePoint) wire.CurvePoint {
	out := wire.CurvePoint{Instances: p.Instances, Best: p.Best, Random: p.Random}
	if !math.IsNaN(p.Map) {
		out.Map = &p.Map
	}
	return out
}

// pairs answers wire.Pairs. A program in a browser has little memory: all coalitions of a bag of 20
// under a model of many classes may exceed it.
func (h *Host) pairs(ctx context.Context, id uint32, r wire.Pairs) (any, error) {
	defer h.closePool(id)
	of, err := h.ask(ctx, id, r.Ask, nil)
	if err != nil {
		return nil, err
	}
	if h.config.Room != nil {
		ctx = quota.WithMemory(ctx, quota.NewMemory(h.config.Room()))
	}
	p, err := of.Pairs(ctx, core.PairsQuestion{Class: of.class,
		Index: core.PairIndex(r.Interaction), Among: r.Among, Contexts: r.Contexts})
	if err != nil {
		return nil, err
	}
	return wire.PairsFound{Answered: of.end(p.Notes), Interaction: string(p.Index),
		Unit: string(p.Unit), Among: of.original(p.Among), Alone: p.Alone,
		Pairs: listOf(p.List, func(pair core.Pair) wire.Pair {
			return wire.Pair{A: of.instances[pair.A], B: of.instances[pair.B], Value: pair.Value,
				Stderr: pair.StdErr, Evident: pair.Evident}
		}),
		Twins:    listOf(p.Twins, of.original),
		Contexts: p.Contexts, Freedom: p.Freedom}, nil
}

// turn answers wire.Turn.
func (h *Host) turn(ctx context.Context, id uint32, r wire.Turn) (any, error) {
	defer h.closePool(id)
	var members []int
	if r.Members != nil {
		members = append([]int{}, *r.Members...) // not nil, so that an empty bag is an error
	}
	of, err := h.ask(ctx, id, r.Ask, members)
	if err != nil {
		return nil, err
	}
	q := core.TurnQuestion{Class: of.class, Level: r.Level, Moves: core.Moves(r.Moves),
		Most: r.Most}
	if members != nil {
		if q.Bag, err = of.positions("members", members); err != nil {
			return nil, err
		}
	}
	t, err := of.Turn(ctx, q)
	if err != nil {
		return nil, err
	}
	out := wire.TurnFound{Level: t.Level, Above: t.Above, Turned: t.Turned,
		Steps: listOf(t.Steps, func(s core.TurnStep) wire.TurnStep {
			return wire.TurnStep{Instance: of.instances[s.Instance], Added: s.Added,
				Values: s.Values}
		})}
	if t.Fewest != nil {
		fewest := of.decisive(*t.Fewest)
		out.Fewest = &fewest
	}
	out.Answered = of.end(nil)
	return out, nil
}
