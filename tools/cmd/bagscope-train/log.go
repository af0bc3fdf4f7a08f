package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/bagscope/bagscope/core"
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

func newTrainLog(w io.Writer, workers int) *trainLog {
	l := &trainLog{w: w}
	if workers == 1 {
		l.line = cli.NewProgress(w, "")
	}
	return l
}

// of returns the progress function of one training, or of the successive trainings of a search.
func (l *trainLog) of(what string) func(train.Progress) {
	told := 0 // epochs
	return func(p train.Progress) {
		l.mu.Lock()
		defer l.mu.Unlock()
		what := what
		if p.Trials > 0 {
			what = fmt.Sprintf("%s, trial %d of %d", what, p.Trial+1, p.Trials)
		}
		for told = min(told, len(p.History)); told < len(p.History); told++ {
			l.line.End()
			e := p.History[told]
			fmt.Fprintf(l.w, "%s: epoch %d, loss %.4f, accuracy %.3f, validation loss %.4f, "+
				"accuracy %.3f; at most %s left\n",
				what, told+1, e.Train.Loss, e.Train.Accuracy, e.Validation.Loss,
				e.Validation.Accuracy, p.Remaining.Round(time.Second))
		}
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

// printTrained prints a line for each training and, for several repeats, the mean of each network
// with its standard error. The values are accuracies. For regressions they are mean absolute
// errors, next to the error of a constant prediction for the test bags. Notes list the
// trainings that failed and the networks that learnt nothing.
func printTrained(w io.Writer, kinds []network.Kind, done []trained) error {
	var reports []*train.Report
	for _, t := range done {
		if t.failed == nil {
			reports = append(reports, t.report)
		}
	}
	regression := slices.ContainsFunc(reports,
		func(r *train.Report) bool { return r.Recipe.Scale == core.ScaleRaw })
	head, figures := []string{"train", "validation", "test"}, func(r *train.Report) []float64 {
		return []float64{r.Train.Accuracy, r.Validation.Accuracy, r.Test.Accuracy}
	}
	if regression {
		head, figures = []string{"train error", "validation error", "test error", "constant"},
			func(r *train.Report) []float64 {
				return []float64{r.Train.Error, r.Validation.Error, r.Test.Error, r.Blind.Error}
			}
	}
	var rows cli.Table
	rows.Add(append([]string{"model", "repeat", "epochs"}, head...)...)
	for _, r := range reports {
		row := []string{string(r.Model), fmt.Sprint(r.Repeat), fmt.Sprint(len(r.History))}
		for _, v := range figures(r) {
			row = append(row, fmt.Sprintf("%.3f", v))
		}
		rows.Add(row...)
	}
	for _, k := range kinds {
		columns := make([][]float64, len(head))
		for _, r := range reports {
			if r.Model != k {
				continue
			}
			for i, v := range figures(r) {
				columns[i] = append(columns[i], v)
			}
		}
		if len(columns[0]) > 1 {
			row := []string{string(k), "mean", ""}
			for _, values := range columns {
				row = append(row, meanError(values))
			}
			rows.Add(row...)
		}
	}
	if err := rows.Write(w); err != nil {
		return err
	}
	return printNotes(w, done)
}

// printNotes lists the trainings that failed and the networks that learnt nothing.
func printNotes(w io.Writer, done []trained) error {
	for _, t := range done {
		var err error
		switch {
		case t.failed != nil:
			_, err = fmt.Fprintf(w, "  %s: failed: %v\n", t.name(), t.failed)
		case !t.report.Learnt:
			_, err = fmt.Fprintf(w, "  %s: learnt nothing: in %d epochs the validation loss was "+
				"never below that of guessing; try other rates and decays with --search\n",
				t.name(), len(t.report.History))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// printTrials prints a line for each trial of a search. Trials are numbered from 1, as in the
// progress.
func printTrials(w io.Writer, trials []train.Trial) error {
	var rows cli.Table
	rows.Add("trial", "validation", "loss", "epochs", "rate", "decay", "dropout", "encoder",
		"graph", "attention", "head", "pool")
	for _, t := range trials {
		r := t.Recipe
		accuracy, loss := fmt.Sprintf("%.3f", t.Validation.Accuracy), fmt.Sprintf("%.4f",
			t.Validation.Loss)
		if t.Failed != "" {
			accuracy, loss = "diverged", ""
		}
		rows.Add(fmt.Sprint(t.Number+1), accuracy, loss, fmt.Sprint(t.Epochs), fmt.Sprint(r.Rate),
			fmt.Sprint(r.Decay), fmt.Sprintf("%.2f", r.Dropout),
			layers(r.Encoder), layers(r.Graph), layers([]int{r.Attention}), layers(r.Head),
			string(r.Pool))
	}
	return rows.Write(w)
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

// meanError returns the mean of the values and its standard error as text.
func meanError(values []float64) string {
	n, sum, squares := float64(len(values)), 0.0, 0.0
	for _, v := range values {
		sum += v
	}
	for _, v := range values {
		squares += (v - sum/n) * (v - sum/n)
	}
	return fmt.Sprintf("%.3f ± %.3f", sum/n, math.Sqrt(squares/(n-1)/n))
}
