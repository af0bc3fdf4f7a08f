package core

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
)

// Output says what scores are measured in.
type Output string

const (
	OutputProbability Output = "prob"  // the default: softmax or sigmoid of logits, or as the model gives it
	OutputLogit       Output = "logit" // logits, unsquashed
	OutputRaw         Output = "raw"   // what a model on ScaleRaw gives, whichever of the two was asked for
)

// GameOptions are the conditions of a game. The zero value works.
type GameOptions struct {
	Output   Output                // "" means OutputProbability; a raw model is taken as it is
	Seed     uint64                // of every random stream
	Budget   int                   // most model evaluations, 0 for no limit
	Workers  int                   // goroutines that evaluate, 0 for GOMAXPROCS; no result depends on it
	Progress func(done, total int) // called as evaluations finish, never concurrently; total is an upper bound
}

// A Game is a bag under a model seen as a cooperative game: a coalition of instances has a value for
// every class. It remembers each value, so that no coalition is evaluated twice, whatever
// asks: methods, classes and metrics share it. It is not safe for concurrent use.
type Game struct {
	ev      Evaluator
	task    Task
	options GameOptions
	output  Output

	known  *coalitionSet // every coalition evaluated, in order
	values []float64     // (coalition in known, class)
	asker  int           // number of the method that asks now
	asked  []int         // (coalition in known) the last asker

	total int // upper bound shown to Progress
	mu    sync.Mutex
	done  int
}

// NewGame returns the game of a bound bag.
func NewGame(ev Evaluator, o GameOptions) (*Game, error) {
	task := ev.Task()
	output, err := task.Scale.output(o.Output)
	if err != nil {
		return nil, err
	}
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	return &Game{
		ev: ev, task: task, options: o, output: output,
		known: newCoalitionSet(task.Instances),
	}, nil
}

// Instances returns k.
func (g *Game) Instances() int { return g.task.Instances }

// Classes returns the number of classes of the model.
func (g *Game) Classes() int { return g.task.Classes }

// Negative returns the negative class, -1 when there is none.
func (g *Game) Negative() int { return g.task.Negative }

// Output returns what values are measured in.
func (g *Game) Output() Output { return g.output }

// Evaluations returns the number of coalitions that the model has scored.
func (g *Game) Evaluations() int { return g.known.rows.Len() }

// Rand returns a random stream of its own for a purpose. Equal seeds and names give equal streams,
// on every machine and whatever was drawn from other streams.
func (g *Game) Rand(name string) *rand.Rand {
	// FNV-1a of the name: stable across runs, which hash/maphash is not.
	h := uint64(14695981039346656037)
	for i := range len(name) {
		h = (h ^ uint64(name[i])) * 1099511628211
	}
	return rand.New(rand.NewPCG(g.options.Seed, h))
}

// Attention returns the model's own score of each instance for a class, or an *UnavailableError.
func (g *Game) Attention(ctx context.Context, class int) ([]float64, error) {
	a, ok := g.ev.(Attender)
	if !ok {
		return nil, &UnavailableError{Method: "inherent", Reason: "the model gives no score to single instances"}
	}
	return a.Attention(ctx, class)
}

// Void returns the value of the empty coalition per class where the game knows it.
func (g *Game) Void() ([]float64, bool) {
	v, ok := g.ev.(Voider)
	if !ok {
		return nil, false
	}
	out := slices.Clone(v.Void())
	g.task.Scale.convert(out, g.output)
	return out, true
}

// Full returns F(X), the value of the whole bag per class.
func (g *Game) Full(ctx context.Context) ([]float64, error) {
	z := NewCoalitions(g.task.Instances, 1)
	z.AppendWithout()
	return g.Values(ctx, z)
}

// Values returns the value of every coalition, shaped (coalition, class). Those that the game knows
// already cost nothing. It returns a *BudgetError before it evaluates anything when the budget does
// not reach, a *NonFiniteError when a value is NaN or infinite, and the cause when ctx ends.
func (g *Game) Values(ctx context.Context, z *Coalitions) ([]float64, error) {
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	rows, start := g.enter(z)
	fresh := g.Evaluations() - start
	if fresh > 0 {
		if b := g.options.Budget; b > 0 && start+fresh > b {
			g.forget(start)
			return nil, &BudgetError{Spent: start, Wanted: fresh, Budget: b}
		}
		if err := g.evaluate(ctx, start); err != nil {
			g.forget(start)
			return nil, err
		}
		g.asked = slices.Grow(g.asked, fresh)[:start+fresh]
	}
	c := g.task.Classes
	out := make([]float64, 0, len(rows)*c)
	for _, r := range rows {
		g.asked[r] = g.asker
		out = append(out, g.values[r*c:(r+1)*c]...)
	}
	return out, nil
}

// count returns how many different coalitions were asked for while f ran.
func (g *Game) count(f func()) int {
	g.asker++
	f()
	n := 0
	for _, a := range g.asked {
		if a == g.asker {
			n++
		}
	}
	return n
}

// enter finds each coalition among the known ones, adding those that are new. It returns their rows
// and the first new row.
func (g *Game) enter(z *Coalitions) (rows []int, start int) {
	start = g.Evaluations()
	rows = make([]int, z.Len())
	for j := range rows {
		rows[j], _ = g.known.enter(z.Row(j))
	}
	return rows, start
}

// forget drops the rows from start on, whose values are not known.
func (g *Game) forget(start int) {
	g.known.truncate(start)
	g.values = g.values[:start*g.task.Classes]
	g.done = start
}

// batch is how many coalitions an evaluator gets at once: enough to keep it busy, few enough for
// progress to move and for workers to end together.
const batch = 64

// evaluate scores the known coalitions from start on, in batches, on all workers.
func (g *Game) evaluate(ctx context.Context, start int) error {
	c := g.task.Classes
	n := g.Evaluations() - start
	g.values = slices.Grow(g.values, n*c)[:(start+n)*c]
	size := min(batch, (n+g.options.Workers-1)/g.options.Workers)
	batches := (n + size - 1) / size

	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var (
		wg   sync.WaitGroup
		next = make(chan int)
	)
	for range min(g.options.Workers, batches) {
		wg.Go(func() {
			for b := range next {
				lo := start + b*size
				hi := min(lo+size, start+n)
				if err := g.evaluateRows(ctx, lo, hi); err != nil {
					cancel(err)
				}
			}
		})
	}
feed:
	for b := range batches {
		select {
		case next <- b:
		case <-ctx.Done():
			break feed
		}
	}
	close(next)
	wg.Wait()
	return context.Cause(ctx)
}

func (g *Game) evaluateRows(ctx context.Context, lo, hi int) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	c := g.task.Classes
	values := g.values[lo*c : hi*c]
	if err := g.ev.Evaluate(ctx, values, g.known.rows.Slice(lo, hi)); err != nil {
		return err
	}
	for j := range hi - lo {
		row := values[j*c : (j+1)*c]
		g.task.Scale.convert(row, g.output)
		for class, v := range row {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return &NonFiniteError{Coalition: g.known.rows.String(lo + j), Class: class, Value: v}
			}
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.done += hi - lo
	if g.options.Progress != nil {
		g.options.Progress(g.done, max(g.total, g.done))
	}
	return nil
}
