package cohort

import (
	"cmp"
	"context"
	"io"
	"path/filepath"
	"runtime"
	"strconv"

	"golang.org/x/sync/errgroup"

	"github.com/bagscope/bagscope/core/draw"
	"github.com/bagscope/bagscope/core/draw/glyphs"
	"github.com/bagscope/bagscope/core/heatmap"
	"github.com/bagscope/bagscope/internal/csvfile"
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/tools/service/slidefiles"
)

// A scope identifies the explanations that share a scale: those of models whose files have one
// name, by one method.
type scope struct{ model, method string }

// scales returns the largest scale of each scope over all bags, as `explain --scale` reads it from
// the tables.
func (c *config) scales(ctx context.Context) (map[scope]float64, error) {
	out := map[scope]float64{}
	return out, c.eachResult(ctx, func(r *result) error {
		for _, row := range r.Summary {
			of := scope{base(r.Model), row.Method}
			out[of] = max(out[of], row.Scale)
		}
		return nil
	})
}

// drawMaps draws the map of each bag with places on one scale, and writes maps.csv: a line for each
// bag, with its file or the reason why it has none. It returns the numbers of both. Without any map
// it returns an error with the first reason.
func (c *config) drawMaps(
	ctx context.Context, d Drawing, folder string,
) (drawn, without int, err error) {
	scales, err := c.scales(ctx)
	if err != nil {
		return 0, 0, err
	}
	rows := [][]string{{"file", "line", "model", "bag", "index", "label", "method", "scale",
		"scale_of", "reason"}}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(cmp.Or(c.Workers, runtime.GOMAXPROCS(0)))
	err = c.eachDrawable(ctx, func(one drawable) error {
		method := one.report.Explanations[0].Method
		look := draw.Options{ClassNames: one.classes, Colours: d.Colours, Strongest: d.Scale,
			Letters: glyphs.GoMono()}
		from := "stated"
		if d.Scale == 0 {
			look.Strongest, look.StrongestFrom = scales[scope{base(one.Model), method}],
				"as in the cohort"
			from = "cohort"
		}
		row := []string{one.name + cmp.Or(d.MapForm, slidefiles.MapForms[0]),
			strconv.Itoa(one.Line), one.Model, one.Bag, strconv.Itoa(one.Index), one.Label, method,
			number(look.Strongest), from, ""}
		rows = append(rows, row)
		group.Go(func() error {
			m, err := heatmap.New(one.bag, one.report, heatmap.Options{Options: look})
			if err != nil {
				row[0], row[len(row)-1] = "", err.Error()
				return nil
			}
			file := slidefiles.Map(filepath.Join(folder, row[0]))
			err = file.Write(ctx, m, func(name string, write func(io.Writer) error) error {
				return writeFile(ctx, name, write)
			})
			progress.drawn.Add(1)
			return err
		})
		return context.Cause(ctx)
	})
	if failed := group.Wait(); failed != nil {
		err = failed
	}
	if err != nil {
		return 0, 0, err
	}
	reason := "no bag could be explained"
	for _, row := range rows[1:] {
		if row[0] != "" {
			drawn++
		} else if without++; without == 1 {
			reason = row[len(row)-1]
		}
	}
	if drawn == 0 {
		return 0, 0, msg.Errorf("--maps: no bag has a map; the first reason: %s", msg.Text(reason))
	}
	return drawn, without, writeFile(ctx, filepath.Join(folder, "maps.csv"),
		func(w io.Writer) error { return csvfile.Write(w, rows) })
}
