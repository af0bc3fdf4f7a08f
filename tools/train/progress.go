package train

import "time"

// A Progress is the progress of a training.
type Progress struct {
	Epoch, Epochs int // the one under way, from 0, and how many there are at most
	Step, Steps   int // bags of it that are done
	Train         Score
	History       []Epoch // of the epochs before; shared with the training
	Best          int     // which of them is the best so far
	// of a search: which is under way, from 0, and how many it makes; zeros elsewhere
	Trial, Trials int
	Elapsed       time.Duration
	// Remaining is how long all epochs take at the pace so far; stopping early makes it less.
	Remaining time.Duration
}

// pace measures how fast this process trains: what an earlier one did before a checkpoint does not
// count.
type pace struct {
	began time.Time
	steps int
}

func (p *pace) start() { p.began = time.Now() }

// report tells the caller how far the training is.
func (t *training) report() {
	if t.Config.Progress == nil {
		return
	}
	p := Progress{
		Epoch: len(t.History), Epochs: t.Epochs, Step: t.Step, Steps: len(t.Split.Train),
		Train: t.Sum.mean(t.Step), History: t.History, Best: t.BestEpoch,
		Elapsed: time.Since(t.pace.began),
	}
	left := (p.Epochs-p.Epoch)*p.Steps - p.Step
	p.Remaining = time.Duration(float64(p.Elapsed) / float64(max(t.pace.steps, 1)) * float64(left))
	t.Config.Progress(p)
}
