package ask

import (
	"context"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/whatif"
)

// An InsideAnswer is the JSON of inside. Scripts depend on it.
type InsideAnswer struct {
	Answered
	Instance int           `json:"instance"`
	Cell     int           `json:"cell"`   // side of a cell in pixels, or its number of features
	Height   int           `json:"height"` // height of the instance in pixels; 1 for features
	Width    int           `json:"width"`
	Rows     int           `json:"rows"` // numbers of cells
	Columns  int           `json:"columns"`
	Hidden   whatif.Hidden `json:"hidden"`
	Unit     core.Unit     `json:"unit"`
	Scores   []Number      `json:"scores"` // (cell), row by row
	StdErr   []Number      `json:"stderr"` // empty if all sets of cells were evaluated
	Evident  []bool        `json:"evident"`
	Freedom  Number        `json:"freedom"`
	Whole    Number        `json:"whole"`   // effect of hiding all cells
	Without  []Number      `json:"without"` // (class) of the bag if the instance is hidden
	Samples  int           `json:"samples"`
	Contexts int           `json:"contexts"`
}

// InsideOptions are the options that whatif.InsideOptions declares.
type InsideOptions struct {
	Instance *int    `json:"instance"`
	Cell     *int    `json:"cell"`
	Hidden   *string `json:"hidden"`
	Samples  *int    `json:"samples"`
	Fixed    *bool   `json:"fixed"`
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
	if in.Instances != nil {
		if instance = slices.Index(in.Instances, instance); instance < 0 {
			return nil, wrong("instance", "instance %d was removed", given(o.Instance))
		}
	}
	of, err := a.ask(ctx, in, nil, progress)
	if err != nil {
		return nil, err
	}
	m, err := whatif.InsideQuestion{Class: of.class,
		Instance: instance, Cell: given(o.Cell), Hidden: whatif.Hidden(given(o.Hidden)),
		Samples: given(o.Samples), Fixed: given(o.Fixed)}.Answer(ctx, of.Game, in.Engine, in.Bag)
	if err != nil {
		return nil, err
	}
	return &InsideAnswer{
		Answered: of.end(m.Notes...), Instance: given(o.Instance), Cell: m.Grid.Cell,
		Height: m.Grid.Height, Width: m.Grid.Width, Rows: m.Grid.Rows, Columns: m.Grid.Columns,
		Hidden: m.Hidden, Unit: m.Unit, Scores: Numbers(m.Scores), StdErr: List(Numbers(m.StdErr)),
		Evident: m.Evident, Freedom: Number(m.Freedom), Whole: Number(m.Whole),
		Without: Numbers(m.Without), Samples: m.Samples, Contexts: m.Contexts,
	}, nil
}
