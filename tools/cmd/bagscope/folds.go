package main

import (
	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
)

// foldCells returns the cells that the models of an ensemble add to the row of a class in a table
// of predictions, or their names for the heading if class is -1.
func foldCells(folds []ask.Fold, class int) []string {
	return ask.ListOf(folds, func(f ask.Fold) string {
		if class < 0 {
			return msg.Line(f.Name)
		}
		return cli.Short(float64(f.Prediction[class]))
	})
}

// spreadText returns what the models of an ensemble add to the score of an instance, or "".
func spreadText(e core.Explanation, i int) string {
	if e.Folds == nil {
		return ""
	}
	return msg.Sprintf(" ± %s, %d/%d", cli.Short(e.Folds.Between[i]), e.Folds.Agree[i],
		len(e.Folds.Scores))
}

// spreadNote explains spreadText, or returns nil.
func spreadNote(e core.Explanation) []string {
	if e.Folds == nil {
		return nil
	}
	n := len(e.Folds.Scores)
	return []string{msg.Sprintf("± is the standard deviation between the %d models, and %d/%[1]d "+
		"says that %[2]d of %[1]d models agree with the mean on the sign", n, n-1)}
}
