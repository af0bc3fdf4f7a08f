package ask

import (
	"context"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/whatif"
)

// An InsideAnswer holds the parts of one instance: square cells of a picture, or groups of
// features; or the bands of several instances together.
type InsideAnswer struct {
	Answered
	Instance int   `json:"instance"` // the first of Together
	Together []int `json:"together"` // instances whose parts are hidden, the strongest first
	// What a cell is: "cells", or "bands", which are those of a row of as many features.
	Groups whatif.Parts `json:"groups"`
	// Side of a cell in pixels, or its number of features. Cells at the ends may be smaller.
	Cell    int           `json:"cell"`
	Height  int           `json:"height"`  // height of the instance in pixels; 1 for features
	Width   int           `json:"width"`   // width in pixels, or number of features
	Rows    int           `json:"rows"`    // number of rows of cells
	Columns int           `json:"columns"` // number of columns of cells
	Hidden  whatif.Hidden `json:"hidden"`  // what hidden cells become
	// Unit of the scores: log-odds if the output is a probability.
	Unit core.Unit `json:"unit"`
	// (cell) Scores, row by row. A score above 0 supports the class.
	Scores []Number `json:"scores"`
	// (cell) Standard errors. There are none if all sets of cells were evaluated.
	StdErr []Number `json:"stderr" ts:"number[] | null"`
	// (cell) True if the score differs from 0 by more than chance and rounding explain.
	Evident []bool `json:"evident"`
	Freedom Number `json:"freedom"` // degrees of freedom of the standard errors
	// What the instances add to what they become if all cells are hidden.
	Whole    Number   `json:"whole"`
	Without  []Number `json:"without"`  // prediction for each class if all cells are hidden
	Samples  int      `json:"samples"`  // number of sets of visible cells
	Contexts int      `json:"contexts"` // number of contexts of the other instances
}

// Features returns the names of the features of a part, from the first to the last, or "" for a
// part of a picture or features without names.
func (a *InsideAnswer) Features(part int) string {
	names := a.Bag.FeatureNames
	if len(names) == 0 || a.Height > 1 || a.Groups != whatif.PartsCells {
		return ""
	}
	first, last := part*a.Cell, min((part+1)*a.Cell, len(names))-1
	if first == last {
		return names[first]
	}
	return names[first] + " … " + names[last]
}

// InsideOptions are the options that whatif.InsideOptions declares.
type InsideOptions struct {
	Instance  *int    `json:"instance"`
	Strongest *int    `json:"strongest"`
	Cell      *int    `json:"cell"`
	Groups    *string `json:"groups"`
	Hidden    *string `json:"hidden"`
	Samples   *int    `json:"samples"`
	Fixed     *bool   `json:"fixed"`
}

// Inside answers the question for the parts of an instance. Errors are those of core.Game.Inside,
// of the binding, and *core.SettingError for options.
func (a *Ask) Inside(
	ctx context.Context, in *Input, o InsideOptions, progress func(done, total int),
) (*InsideAnswer, error) {
	if err := checkOptions(&o, whatif.InsideOptions()); err != nil {
		return nil, err
	}
	instance := given(o.Instance)
	if o.Instance != nil && o.Strongest != nil {
		return nil, wrong("strongest", "it chooses the instances; omit instance")
	}
	if in.Instances != nil && o.Strongest == nil {
		if instance = slices.Index(in.Instances, instance); instance < 0 {
			return nil, wrong("instance", "instance %d was removed", given(o.Instance))
		}
	}
	of, err := a.ask(ctx, in, nil, progress)
	if err != nil {
		return nil, err
	}
	m, err := whatif.InsideQuestion{Class: of.class,
		Instance: instance, Strongest: given(o.Strongest), Cell: given(o.Cell),
		Groups: whatif.Parts(given(o.Groups)), Hidden: whatif.Hidden(given(o.Hidden)),
		Samples: given(o.Samples), Fixed: given(o.Fixed)}.Answer(ctx, of.Game, in.Engine, in.Bag)
	if err != nil {
		return nil, err
	}
	grid, groups := m.Grid, whatif.PartsCells
	if grid.ByBands {
		groups, grid.Cell, grid.Height, grid.Width = whatif.PartsBands, 1, 1, grid.Columns
	}
	together := ListOf(m.Instances, in.Position)
	return &InsideAnswer{
		Answered: of.end(m.Notes...), Instance: together[0], Together: together,
		Groups: groups, Cell: grid.Cell, Height: grid.Height, Width: grid.Width,
		Rows: m.Grid.Rows, Columns: m.Grid.Columns,
		Hidden: m.Hidden, Unit: m.Unit, Scores: Numbers(m.Scores), StdErr: List(Numbers(m.StdErr)),
		Evident: m.Evident, Freedom: Number(m.Freedom), Whole: Number(m.Whole),
		Without: Numbers(m.Without), Samples: m.Samples, Contexts: m.Contexts,
	}, nil
}
