package main

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"strings"
	"sync"
	"time"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
	"github.com/bagscope/bagscope/tools/train"
	"github.com/bagscope/bagscope/tools/train/network"
)

// A trainLog prints the progress of trainings: a line for each epoch and, on a terminal with one
// worker, the position within the epoch.
type trainLog struct {
	mu   sync.Mutex
	w    io.Writer
	line *cli.Progress
}

// newTrainLog returns a log for trainings with this number of workers.
func newTrainLog(w io.Writer, workers int) *trainLog {
	l := &trainLog{w: w}
	// Several workers would overwrite each other's line.
	if workers == 1 {
		l.line = cli.NewProgress(w, "")
	}
	return l
}

// of returns the progress function of one training, or of the successive trainings of a search. It
// is safe for concurrent use, because several networks can train at the same time.
func (l *trainLog) of(what string) func(train.Progress) {
	printed := 0 // epochs of the current training that have a line
	return func(p train.Progress) {
		l.mu.Lock()
		defer l.mu.Unlock()
		what := what
		if p.Trials > 0 {
			what = fmt.Sprintf("%s, trial %d of %d", what, p.Trial+1, p.Trials)
		}
		// A new trial begins with an empty history, so that min restarts the count.
		for printed = min(printed, len(p.History)); printed < len(p.History); printed++ {
			l.line.End()
			e := p.History[printed]
			fmt.Fprintf(l.w, "%s: epoch %d, loss %.4f, accuracy %.3f, validation loss %.4f, "+
				"accuracy %.3f; at most %s left\n",
				what, printed+1, e.Train.Loss, e.Train.Accuracy, e.Validation.Loss,
				e.Validation.Accuracy, p.Remaining.Round(time.Second))
		}
		// The line of the current epoch is replaced several times per second.
		if l.line.Due() {
			l.line.Show(fmt.Sprintf(
				"%s: epoch %d, %d of %d bags, loss %.4f, accuracy %.3f; at most %s left",
				what, p.Epoch+1, p.Step, p.Steps, p.Train.Loss, p.Train.Accuracy,
				p.Remaining.Round(time.Second)))
		}
	}
}

// end removes the line.
func (l *trainLog) end() { l.line.End() }

// reportColumns are columns of the table of trainings: their headings and their values in a report.
type reportColumns struct {
	heads  []string
	values func(*train.Report) []float64
}

// accuracies are the columns of classifications, regressionErrors those of regressions: mean
// absolute errors, next to the error of a constant prediction for the test bags.
var (
	accuracies = reportColumns{[]string{"train", "validation", "test"},
		func(r *train.Report) []float64 {
			return []float64{r.Train.Accuracy, r.Validation.Accuracy, r.Test.Accuracy}
		}}
	regressionErrors = reportColumns{
		[]string{"train error", "validation error", "test error", "constant"},
		func(r *train.Report) []float64 {
			return []float64{r.Train.Error, r.Validation.Error, r.Test.Error, r.Baseline.Error}
		}}
)

// printTrained appends a line for each training and, for several repeats, the mean of each network
// with its standard error. Notes list the trainings that failed and the networks that did not
// learn.
func printTrained(to *bytes.Buffer, kinds []network.Kind, done []trained) {
	// All trainings of a call have the same data set, and therefore the same columns.
	columns := accuracies
	values := map[network.Kind][][]float64{} // the figures of each repeat
	var rows [][]string
	for _, t := range done {
		r := t.report
		if t.failed != nil {
			continue
		}
		if r.Recipe.Scale == core.ScaleRaw {
			columns = regressionErrors
		}
		row := columns.values(r)
		values[r.Model] = append(values[r.Model], row)
		rows = append(rows, append([]string{string(r.Model), fmt.Sprint(r.Repeat),
			fmt.Sprint(len(r.History))}, ask.ListOf(row, threeDecimals)...))
	}
	// The columns are known after all reports were seen.
	var table cli.Table
	table.Add(append([]string{"model", "repeat", "epochs"}, columns.heads...)...)
	for _, row := range rows {
		table.Add(row...)
	}
	// A single repeat has no standard error, and its row would repeat the line above.
	for _, k := range kinds {
		if len(values[k]) < 2 {
			continue
		}
		row := []string{string(k), "mean", ""}
		for i := range columns.heads {
			row = append(row, meanError(ask.ListOf(values[k],
				func(repeat []float64) float64 { return repeat[i] })))
		}
		table.Add(row...)
	}
	table.Write(to)
	printNotes(to, done)
}

// threeDecimals formats accuracies and errors in tables.
func threeDecimals(v float64) string { return fmt.Sprintf("%.3f", v) }

// printNotes lists the trainings that failed and the networks that did not learn.
func printNotes(to *bytes.Buffer, done []trained) {
	for _, t := range done {
		switch {
		case t.failed != nil:
			fmt.Fprintf(to, "  %s: failed: %v\n", t.name(), t.failed)
		case !t.report.BeatsBaseline:
			fmt.Fprintf(to, "  %s: did not learn: in %d epochs the validation loss was never "+
				"below that of guessing; try other rates and decays with --search\n",
				t.name(), len(t.report.History))
		}
	}
}

// printTrials appends a line for each trial of a search. Trials are numbered from 1, as in the
// progress.
func printTrials(to *bytes.Buffer, trials []train.Trial) {
	var rows cli.Table
	// The columns are the scores and the settings that a search varies.
	rows.Add("trial", "validation", "loss", "epochs", "rate", "decay", "dropout", "encoder",
		"graph", "attention", "head", "pool")
	for _, t := range trials {
		// A trial differs from the others only in its recipe.
		r := t.Recipe
		accuracy, loss := threeDecimals(t.Validation.Accuracy),
			fmt.Sprintf("%.4f", t.Validation.Loss)
		// A diverged trial has no meaningful scores.
		if t.Failed != "" {
			accuracy, loss = "diverged", ""
		}
		rows.Add(fmt.Sprint(t.Number+1), accuracy, loss, fmt.Sprint(t.Epochs), fmt.Sprint(r.Rate),
			fmt.Sprint(r.Decay), fmt.Sprintf("%.2f", r.Dropout),
			layers(r.Encoder), layers(r.Graph), layers([]int{r.Attention}), layers(r.Head),
			string(r.Pool))
	}
	rows.Write(to)
}

// layers formats the widths of layers, for example as 64-128. It omits zeros.
func layers(widths []int) string {
	var words []string
	for _, n := range widths {
		if n > 0 {
			words = append(words, fmt.Sprint(n))
		}
	}
	return strings.Join(words, "-")
}

// meanError returns the mean of two or more values and its standard error as text. The standard
// error is the sample standard deviation over the square root of the number of values.
func meanError(values []float64) string {
	// The deviations are summed in a second pass, which is more accurate than the difference of
	// sums.
	n, sum, squares := float64(len(values)), 0.0, 0.0
	for _, v := range values {
		sum += v
	}
	for _, v := range values {
		squares += (v - sum/n) * (v - sum/n)
	}
	return fmt.Sprintf("%.3f ± %.3f", sum/n, math.Sqrt(squares/(n-1)/n))
}
