package train

import "time"

// A Progress is the progress of a training.
type Progress struct {
	Epoch, Epochs int     // current epoch, from 0, and the maximum
	Step, Steps   int     // bags of the current epoch that are finished, and all
	Train         Score   // mean score of the finished bags
	History       []Epoch // finished epochs; the training owns it, so callers must not change it
	Best          int     // index in History of the least validation loss
	Trial, Trials int     // current trial of a Search, from 0, and the number; else zeros
	Elapsed       time.Duration
	// Remaining estimates the time of all remaining epochs. An early stop shortens it.
	Remaining time.Duration
}

// report calls Config.Progress, if it is set.
func (t *training) report() {
	if t.Config.Progress == nil {
		return
	}
	p := Progress{
		Epoch: len(t.History), Epochs: t.Epochs, Step: t.Step, Steps: len(t.Split.Train),
		Train: t.Sum.mean(t.Step), History: t.History, Best: t.BestEpoch,
		Elapsed: time.Since(t.began),
	}
	left := (p.Epochs-p.Epoch)*p.Steps - p.Step
	p.Remaining = time.Duration(float64(p.Elapsed) / float64(max(t.steps, 1)) * float64(left))
	t.Config.Progress(p)
}
