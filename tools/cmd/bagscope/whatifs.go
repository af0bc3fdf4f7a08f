package main

import (
	"bytes"

	"github.com/spf13/cobra"

	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
)

// views holds how the commands of what-ifs write answers, by the name of the command.
var views = map[string]view{
	"sets":   viewOf(setsText, nil, "", ""),
	"pairs":  viewOf(pairsText, pairsCSV, "write the pairs to a CSV file", "pairs"),
	"whatif": viewOf(turnText, nil, "", ""),
	"groups": viewOf(groupsText, groupsCSV,
		"write the instances of groups, or what concepts do, to a CSV file", ""),
	"profile": viewOf(profileText, profileCSV,
		"write the prediction for each value to a CSV file", ""),
	"inside": viewOf(insideText, insideCSV, "write the cells to a CSV file", "cells"),
	"check":  viewOf(checkText, nil, "", ""),
}

// A view is how a command writes an answer.
type view struct {
	csv    string // help of --csv, or "" for no such flag
	top    string // what --top counts, or "" for no such flag
	result func(answer any, top int) cli.Result
}

// viewOf returns the view of answers of type A.
func viewOf[A any](
	text func(to *bytes.Buffer, a *A, top int), rows func(a *A) [][]string, csv, top string,
) view {
	return view{csv, top, func(answer any, top int) cli.Result {
		a := answer.(*A)
		return cli.Result{JSON: a, Rows: func() [][]string { return rows(a) },
			Text: func(to *bytes.Buffer) { text(to, a, top) }}
	}}
}

// newWhatIf returns the command of a what-if.
func newWhatIf(w ask.WhatIf) *cobra.Command {
	v, q := views[w.Name], w.New()
	var (
		flags cli.AskFlags
		form  cli.OutputFlags
		donor cli.DonorFlags
		named cli.ConceptFlags
		top   int
		every bool
		more  string // path of a folder, or ""
	)
	c := cli.Command(w.Name, w.Title, func(c *cobra.Command) error {
		if v.top != "" {
			if err := cli.NotNegative(c, "0 shows all "+v.top, "top"); err != nil {
				return err
			}
		}
		in, err := flags.Open(c, &q.Ask)
		if err != nil {
			return err
		}
		if donor.Given(c) {
			if in.Donor, err = donor.Bag(c, in, &flags.Model, &flags.Bags); err != nil {
				return err
			}
		}
		if every || more != "" {
			return writePooled(c, q, in, &form, &flags, &named, more)
		}
		if w.Named {
			if err := named.Add(c, in, &flags.Model); err != nil {
				return err
			}
		}
		update, end := cli.Evaluations(c)
		answer, err := q.Answer(c.Context(), in, update)
		end()
		if err != nil {
			return err
		}
		if a, ok := answer.(*ask.GroupsAnswer); ok {
			if err := named.SaveVectors(in, a); err != nil {
				return err
			}
		}
		return form.Write(c, v.result(answer, top))
	})
	flags.Register(c, q.Fields)
	if w.Donor {
		donor.Register(c)
	}
	if w.Named {
		named.Register(c)
		c.Flags().BoolVar(&every, "every-bag", false, "measure the concepts of --vectors or "+
			"--codes in every bag of the file: the mean over bags, with its interval")
		c.Flags().StringVar(&more, "bags-folder", "", "a folder of files of features, such as of "+
			"the slides of a cohort: --every-bag of them, too")
	}
	form.Register(c, v.csv)
	if v.top != "" {
		c.Flags().IntVar(&top, "top", 10,
			"number of "+v.top+" in the table, largest first; 0 shows all")
	}
	return c
}
