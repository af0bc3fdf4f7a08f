package train

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/bagscope/bagscope/tools/train/dataset"
	"github.com/bagscope/bagscope/tools/train/network"
)

// A Result is a network that was trained: its parameters are those of the epoch with the least
// validation loss.
type Result struct {
	Network *network.Network
	History []Epoch
	Best    int // which of the epochs, from 0
}

// An Epoch is what one pass over the training bags came to.
type Epoch struct {
	Train      Score // while it was trained: with dropout, and parameters that changed
	Validation Score // after it
}

// Run trains a network. When ctx ends it returns the cause; where there is a checkpoint it first
// puts down where it stands, and the next Run of an equal Config goes on from there and ends with
// the same parameters, bit for bit, as if it had never stopped.
//
// Errors: those of a Config that makes no sense, of bags that do not fit it, of a checkpoint that
// cannot be read or is of another training (*CheckpointError), of a training that diverged
// (*DivergedError), and ctx's cause.
func Run(ctx context.Context, c Config) (*Result, error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	t, err := newTraining(c)
	if err != nil {
		return nil, err
	}
	if err := t.resume(); err != nil {
		return nil, err
	}
	for !t.done() {
		if err := t.epoch(ctx); err != nil {
			return nil, err
		}
	}
	if t.BestLoss == diverged {
		return nil, &DivergedError{c.Recipe.Rate}
	}
	for i, p := range t.net.Parameters {
		copy(p.Values, t.Best[i])
	}
	return &Result{Network: t.net, History: t.History, Best: t.BestEpoch}, nil
}

// A DivergedError means that no epoch of a training had a finite validation loss.
type DivergedError struct{ Rate float64 }

func (e *DivergedError) Error() string {
	return fmt.Sprintf(
		"the training diverged: no epoch has a finite validation loss; try a lower rate than %v",
		e.Rate)
}

// A training is one run: what a checkpoint holds, and what follows from its Config.
type training struct {
	state
	Config
	net   *network.Network
	adam  *adam
	saved time.Time
	pace  pace
}

func newTraining(c Config) (*training, error) {
	net, err := network.New(c.Recipe.Architecture, c.Seed)
	if err != nil {
		return nil, err
	}
	t := &training{Config: c, net: net, adam: newAdam(c.Recipe, c.Betas, net.Parameters),
		saved: time.Now()}
	t.BestLoss = diverged
	for _, p := range net.Parameters {
		t.Best = append(t.Best, append([]float32(nil), p.Values...))
	}
	t.pace.start()
	return t, nil
}

// done reports whether the last epoch is over.
func (t *training) done() bool {
	n := len(t.History)
	return n >= t.Epochs || n-1-t.BestEpoch >= t.Patience
}

// The purposes of random streams: each epoch has one for its order, each step one for dropout and
// augmentation, so that a checkpoint needs to keep none.
const (
	forOrder = 1 << 62
	forStep  = 2 << 62
)

// epoch goes over the training bags from where the state stands, then validates.
func (t *training) epoch(ctx context.Context) error {
	bags := t.Split.Train
	order := rand.New(rand.NewPCG(t.Seed, forOrder|uint64(len(t.History)))).Perm(len(bags))
	for t.Step < len(bags) {
		if ctx.Err() != nil {
			return t.interrupted(ctx)
		}
		if err := t.step(bags[order[t.Step]]); err != nil {
			return err
		}
		if err := t.saveNow(time.Minute); err != nil {
			return err
		}
	}
	validation, err := Evaluate(ctx, t.net, t.Split.Validation, t.Preprocess)
	if ctx.Err() != nil {
		return t.interrupted(ctx)
	}
	if err != nil {
		return err
	}
	t.History = append(t.History, Epoch{Train: t.Sum.mean(t.Step), Validation: validation})
	t.Step, t.Sum = 0, Score{}
	if validation.Loss < t.BestLoss {
		t.BestLoss, t.BestEpoch = validation.Loss, len(t.History)-1
		for i, p := range t.net.Parameters {
			copy(t.Best[i], p.Values)
		}
	}
	t.report()
	return t.saveNow(0)
}

// step trains on one bag.
func (t *training) step(e dataset.Example) error {
	r := rand.New(rand.NewPCG(t.Seed, forStep|uint64(t.adam.steps)))
	bag, err := e.Bag()
	if err != nil {
		return err
	}
	if t.Augment {
		bag = dataset.Augment(bag, r)
	}
	if bag, err = t.Preprocess.Apply(bag); err != nil {
		return err
	}
	loss, logits, err := t.net.Train(bag, e.Target, r, t.adam)
	if err != nil {
		return err
	}
	t.Sum.add(scoreOf(t.Recipe.Scale, loss, logits, e.Target))
	t.Step++
	t.pace.steps++
	t.report()
	return nil
}

// interrupted puts the state down and returns why the training ended.
func (t *training) interrupted(ctx context.Context) error {
	if err := t.saveNow(0); err != nil {
		return err
	}
	return context.Cause(ctx)
}
