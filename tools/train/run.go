package train

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/bagscope/bagscope/tools/train/dataset"
	"github.com/bagscope/bagscope/tools/train/network"
)

// A Result is a trained network. Its parameters are those of the epoch with the least validation
// loss.
type Result struct {
	Network *network.Network
	History []Epoch
	Best    int // index in History of that epoch
}

// An Epoch holds the scores of one pass over the training bags.
type Epoch struct {
	Train      Score // during the pass, with dropout and changing parameters
	Validation Score // measured after the pass, without dropout
}

// Run trains a network. If ctx ends, Run writes a checkpoint, if Config names one, and returns the
// cause. The next Run of an equal Config continues from the checkpoint. It returns the same
// parameters, bit for bit, as a Run without an interruption.
//
// Errors: an invalid Config; bags that contradict it; *CheckpointError for a checkpoint that cannot
// be read or belongs to another training; *DivergedError; the cause of ctx.
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
	// Later epochs may be worse than the best one.
	for i, p := range t.net.Parameters {
		copy(p.Values, t.Best[i])
	}
	return &Result{Network: t.net, History: t.History, Best: t.BestEpoch}, nil
}

// A DivergedError means that no epoch of a training had a finite validation loss.
type DivergedError struct{ Rate float64 }

// Error implements error.
func (e *DivergedError) Error() string {
	return fmt.Sprintf(
		"the training diverged: no epoch has a finite validation loss; try a lower rate than %v",
		e.Rate)
}

// A training is one call of Run.
type training struct {
	state
	Config
	net   *network.Network
	adam  *adam
	saved time.Time // time of the last checkpoint
	began time.Time
	steps int // steps since began; a resumed training must not count those of earlier processes
}

// newTraining returns a training with initial parameters.
func newTraining(c Config) (*training, error) {
	net, err := network.New(c.Recipe.Architecture, c.Seed)
	if err != nil {
		return nil, err
	}
	t := &training{Config: c, net: net, adam: newAdam(c.Recipe, c.Betas, net.Parameters),
		saved: time.Now(), began: time.Now()}
	t.BestLoss = diverged
	for _, p := range net.Parameters {
		t.Best = append(t.Best, slices.Clone(p.Values))
	}
	return t, nil
}

// done reports whether the training has reached its last epoch or run out of patience.
func (t *training) done() bool {
	n := len(t.History)
	return n >= t.Epochs || n-1-t.BestEpoch >= t.Patience
}

// The purposes of random streams. Each epoch has a stream for its order, and each step has one for
// dropout and augmentation. So a checkpoint does not need to hold the state of a stream.
const (
	forOrder = 1 << 62
	forStep  = 2 << 62
)

// epoch trains on the bags that the current epoch has not seen, then evaluates validation bags.
func (t *training) epoch(ctx context.Context) error {
	bags := t.Split.Train
	// The order depends only on the seed and the epoch, so a resumed epoch continues with the same
	// bags.
	order := rand.New(rand.NewPCG(t.Seed, forOrder|uint64(len(t.History)))).Perm(len(bags))
	for t.Step < len(bags) {
		if ctx.Err() != nil {
			return t.interrupted(ctx)
		}
		if err := t.step(bags[order[t.Step]]); err != nil {
			return err
		}
		if err := t.save(time.Minute); err != nil {
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
	return t.save(0)
}

// step trains on one bag.
func (t *training) step(e dataset.Example) error {
	r := rand.New(rand.NewPCG(t.Seed, forStep|uint64(t.adam.steps)))
	bag, err := e.Bag()
	if err != nil {
		return err
	}
	// Augmentation comes before Preprocess, which gives the pixels their final values.
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
	t.steps++
	t.report()
	return nil
}

// interrupted writes a checkpoint and returns the cause of ctx.
func (t *training) interrupted(ctx context.Context) error {
	if err := t.save(0); err != nil {
		return err
	}
	return context.Cause(ctx)
}
