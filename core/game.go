package core

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/bagscope/bagscope/core/internal/rows"
)

// Output is the scale of the values of a game.
type Output string

const (
	// the default: softmax or sigmoid of logits, or the model's probabilities
	OutputProbability Output = "prob"
	OutputLogit       Output = "logit" // logits
	OutputRaw         Output = "raw"   // scores of a model on ScaleRaw, for either requested output
)

// GameOptions are the conditions of a game. The zero value works.
type GameOptions struct {
	Output Output // "" means OutputProbability; a model on ScaleRaw ignores it
	Seed   uint64 // seed of all random streams
	Budget int    // maximum number of model evaluations, 0 for no limit
	// number of goroutines, 0 for GOMAXPROCS; results do not depend on it
	Workers int
	// called as evaluations finish, never concurrently; total is an upper bound, 0 if none is known
	Progress func(done, total int)
}

// A Game is a bag under a model as a cooperative game: a coalition of instances has a value for
// every class. It caches all values, so that methods, classes and metrics share them and no
// coalition is evaluated twice. The neighbours of a context, which a NeighbourEvaluator evaluates
// together, are not cached. A Game is not safe for concurrent use.
type Game struct {
	ev      Evaluator
	task    Task
	options GameOptions
	output  Output // scale of the values of the head that is explained
	heads   []playedHead
	head    *playedHead // the head that is explained; task has its scale and negative class
	folds   int         // models of an ensemble whose classes follow those of the mean

	cache *valueCache
	user  int32 // number of the method that runs now
	// neighbours counts evaluations whose values are not cached, as those of neighbours.
	neighbours int

	// companions are the instances that single instances are scored with if the model does not take
	// single instances; see companions.go. It is nil until they are chosen.
	companions []int

	total int // upper bound shown to Progress, 0 if none is known
	mu    sync.Mutex
	done  int

	leftOut atomic.Int64 // number of evaluated coalitions without an answer
}

// NewGame returns the game of a bound bag. It returns a *BagError if the bag has fewer instances
// than the model takes, a *SettingError for an output that the model does not have, and an
// *EvaluatorError for a task that no model has.
func NewGame(ev Evaluator, o GameOptions) (*Game, error) {
	if err := CheckEvaluator(ev); err != nil {
		return nil, err
	}
	task := ev.Task()
	if k, least := task.Instances, task.LeastBag(); k < least {
		return nil, &BagError{Reason: fmt.Sprintf(
			"it has %d instances, but the model takes bags of at least %d", k, least)}
	}
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	g := &Game{ev: ev, task: task, options: o,
		cache: newValueCache(task.Instances, task.Classes)}
	if e, ok := ev.(*ensembleBag); ok && e.apart {
		g.folds = len(e.folds)
	}
	if err := g.takeHeads(o.Output); err != nil {
		return nil, err
	}
	return g, nil
}

// Evaluator returns the evaluator of the bag.
func (g *Game) Evaluator() Evaluator { return g.ev }

// Options returns the conditions of the game, with the number of workers filled in.
func (g *Game) Options() GameOptions { return g.options }

// Instances returns k.
func (g *Game) Instances() int { return g.task.Instances }

// Classes returns the number of classes of the model, with those of its folds, see [Apart].
func (g *Game) Classes() int { return g.task.Classes }

// Negative returns the negative class of the head that is explained, or -1.
func (g *Game) Negative() int { return g.task.Negative }

// Evaluations returns the number of coalitions that the model has scored.
func (g *Game) Evaluations() int { return g.cache.count + g.neighbours }

// Rand returns the random stream with the given name. Equal seeds and names give equal streams on
// every machine, and streams do not depend on each other.
func (g *Game) Rand(name string) *rand.Rand {
	return rand.New(rand.NewPCG(g.options.Seed, fnv1a(fnvOffset, name)))
}

// Attention returns the model's own score of each instance for a class, or an *UnavailableError.
func (g *Game) Attention(ctx context.Context, class int) ([]float64, error) {
	a, ok := g.ev.(Attender)
	if !ok {
		return nil, &UnavailableError{Method: "inherent",
			Reason: "the model has no output of instance scores"}
	}
	scores, err := a.Attention(ctx, class)
	if err != nil {
		return nil, err
	}
	return scores, checkInherent(scores, class, g.task.Instances)
}

// Arithmetic returns the Arithmetic of the evaluator, or plain.
func (g *Game) Arithmetic() Arithmetic {
	if c, ok := g.ev.(Calculator); ok {
		if by := c.Arithmetic(); by != nil {
			return by
		}
	}
	return plain{}
}

// EmptyValue returns the value of the empty coalition per class. It returns false if the evaluator
// has none.
func (g *Game) EmptyValue() ([]float64, bool) {
	v, ok := g.ev.(EmptyEvaluator)
	if !ok {
		return nil, false
	}
	out := slices.Clone(v.EmptyValue())
	g.Convert(out)
	return out, true
}

// Full returns F(X), the value of the whole bag per class. Errors are those of Values, and an
// *EvaluatorError for probabilities outside of 0..1.
func (g *Game) Full(ctx context.Context) ([]float64, error) {
	z := NewCoalitions(g.task.Instances, 1)
	z.AppendWithout()
	full, err := g.Values(ctx, z)
	if err != nil {
		return nil, err
	}
	return full, g.checkPrediction(full)
}

// Values returns the value of every coalition, shaped (coalition, class). Cached values cost
// nothing. It returns a *BudgetError before any evaluation if the budget is too small, an
// *UnavailableError if the model takes no bag of a coalition's size, a *NonFiniteError if a value
// is NaN or infinite, and the cause if ctx ends. [Game.Answers] is for methods that leave out
// coalitions without a value.
func (g *Game) Values(ctx context.Context, z *Coalitions) ([]float64, error) {
	values, err := g.values(ctx, z, false)
	if err != nil {
		return nil, err
	}
	return values, g.checkFinite(values, z.String) // the cache may hold rows of Answers
}

// values returns the values of coalitions. With partial, scores that are not finite are no error.
func (g *Game) values(ctx context.Context, z *Coalitions, partial bool) ([]float64, error) {
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	if err := g.checkSizes(z); err != nil {
		return nil, err
	}
	slots, claimed, fresh, err := g.claim(ctx, z)
	if err != nil {
		return nil, err
	}
	if len(claimed) > 0 {
		values, err := g.spend(ctx, g.masks(fresh, partial))
		if err != nil {
			g.cache.release(claimed)
			g.done = g.Evaluations()
			return nil, err
		}
		g.cache.store(claimed, values)
	}
	return g.recall(slots), nil
}

// ValuesOnce returns the values of coalitions as [Game.Values] does, without the cache: for so many
// that their values would take too much memory.
func (g *Game) ValuesOnce(ctx context.Context, z *Coalitions) ([]float64, error) {
	return g.valuesOnce(ctx, z, false)
}

// valuesOnce is values without the cache.
func (g *Game) valuesOnce(ctx context.Context, z *Coalitions, partial bool) ([]float64, error) {
	values, err := g.spend(ctx, g.masks(z, partial))
	if err == nil {
		g.neighbours += z.Len()
	}
	return values, err
}

// AddEvaluations counts n evaluations that were made outside of the game, such as those of changed
// bags.
func (g *Game) AddEvaluations(n int) { g.neighbours += n }

// claim returns the slot of each coalition in the cache, the slots of those without values
// (claimed), and these coalitions themselves (fresh), which is z if there are no others.
func (g *Game) claim(
	ctx context.Context, z *Coalitions,
) (slots, claimed []slot, fresh *Coalitions, err error) {
	slots, claimed, fresh = make([]slot, z.Len()), make([]slot, 0, z.Len()), z
	for j := range slots {
		if j%rows.PerCheck(z.k) == 0 && ctx.Err() != nil {
			g.cache.release(claimed)
			return nil, nil, nil, context.Cause(ctx)
		}
		slots[j] = g.cache.locate(z, j)
		switch claim := g.cache.claim(slots[j]); {
		case claim:
			claimed = append(claimed, slots[j])
			if fresh != z {
				fresh.Append(z.Row(j))
			}
		case fresh == z:
			fresh = NewCoalitions(z.k, z.Len()-1)
			fresh.bits = append(fresh.bits, z.bits[:j*z.words]...)
		}
	}
	return slots, claimed, fresh, nil
}

// recall returns the values of slots and records that the current method uses them.
func (g *Game) recall(slots []slot) []float64 {
	out := make([]float64, 0, len(slots)*g.task.Classes)
	for _, s := range slots {
		g.cache.touch(s, g.user)
		out = append(out, g.cache.at(s)...)
	}
	return out
}

// count returns the number of coalitions whose values f uses. Those with cached values count once.
func (g *Game) count(f func()) int {
	g.user++
	before := g.neighbours
	f()
	return g.cache.usedBy(g.user) + g.neighbours - before
}
