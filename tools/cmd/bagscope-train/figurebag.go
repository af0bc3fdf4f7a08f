package main

import (
	"errors"
	"fmt"
	"image"
	"image/color"
	stddraw "image/draw"
	"slices"

	"github.com/spf13/cobra"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/draw"
	"github.com/bagscope/bagscope/core/metric"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
	"github.com/bagscope/bagscope/tools/service/query"
	"github.com/bagscope/bagscope/tools/train/figure"
)

// bag draws a bag under its explanations: for a bag that was cut from a picture the kept
// patches, the true ones and the top n of every method, n being as many as are true; for any
// other bag every method's scores of all classes.
func (f *figureCommand) bag(c *cobra.Command) (*figure.Figure, error) {
	plan, err := f.methods.Settings(c).Plan()
	if err != nil {
		return nil, cli.FlagError(err)
	}
	plan.SkipMissing = true // a model without scores of its own is drawn without them
	in, err := cli.OpenBag(c, &f.model, &f.bags, f.index)
	if err != nil {
		return nil, err
	}
	answered, err := plan.Explain(c.Context(), in, nil)
	if err != nil {
		return nil, cli.FlagError(err)
	}
	x := explained{answered}
	if len(x.Report.Explanations) == 0 {
		return nil, fmt.Errorf("there is nothing to draw: %w", x.missing())
	}
	picture := in.Set.Picture(in.Index)
	if picture == nil {
		picture = mosaic(in.Bag)
	}
	if picture != nil && in.Bag.Boxes != nil {
		return x.patches(picture)
	}
	return x.scores()
}

// An explained bag is drawn under its explanations.
type explained struct{ *query.Explained }

// missing says why no method has explained anything.
func (x explained) missing() error {
	var reasons []error
	for _, s := range x.Report.Skipped {
		reasons = append(reasons, &core.UnavailableError{Method: s.Method, Reason: s.Reason})
	}
	return errors.Join(reasons...)
}

// scores has a panel for each method. Attention, which is the same for every class, comes as one
// row.
func (x explained) scores() (*figure.Figure, error) {
	var panels []figure.Panel
	for _, m := range core.Methods() {
		o := draw.Options{Method: m.Name, ClassNames: x.Classes, Scale: 2}
		scores := x.of(m.Name)
		if len(scores) == 0 {
			continue
		}
		if len(scores) > 1 && !slices.ContainsFunc(scores[1:], func(e core.Explanation) bool { return !slices.Equal(e.Scores, scores[0].Scores) }) {
			o.Classes, o.ClassNames = []int{scores[0].Class}, slices.Clone(x.Classes)
			o.ClassNames[scores[0].Class] = "every class"
		}
		picture, err := draw.Auto(x.Bag, nil, x.Report, o)
		if err != nil {
			return nil, err
		}
		panels = append(panels, figure.Panel{Title: m.Title, Picture: picture})
	}
	return figure.Panels(panels, 1), nil
}

func (x explained) of(method string) []core.Explanation {
	var out []core.Explanation
	for _, e := range x.Report.Explanations {
		if e.Method == method {
			out = append(out, e)
		}
	}
	return out
}

// topPatches is how many patches are shown where labels do not say how many are true.
const topPatches = 20

// patches has panels of the class explained last, which of two classes is the positive one.
func (x explained) patches(picture image.Image) (*figure.Figure, error) {
	class := x.Report.Explanations[len(x.Report.Explanations)-1].Class
	panels := []figure.Panel{{Title: "picture", Picture: picture}}
	add := func(title string, report *core.Report, top int, method string) error {
		drawn, err := draw.Overlay(x.Bag, picture, report, draw.Options{Method: method, Classes: []int{class}, ClassNames: x.Classes, Top: top})
		if err == nil {
			panels = append(panels, figure.Panel{Title: title, Picture: drawn})
		}
		return err
	}
	if err := add(fmt.Sprintf("%d patches", x.Bag.Len()), nil, 0, ""); err != nil {
		return nil, err
	}
	top := topPatches
	relevance := metric.Relevances(x.Bag.Labels, x.Model.Truth, class, x.Model.Negative, false)
	truth := core.Explanation{Method: metric.RowOracle, Class: class, Scores: make([]float64, x.Bag.Len())}
	n := 0
	for i, r := range relevance {
		if r == metric.Supporting {
			truth.Scores[i] = 1
			n++
		}
	}
	if n > 0 {
		top = n
		if err := add(fmt.Sprintf("%d true patches of %s", n, x.Classes[class]), &core.Report{Explanations: []core.Explanation{truth}}, n, metric.RowOracle); err != nil {
			return nil, err
		}
	}
	for _, m := range core.Methods() {
		if len(x.of(m.Name)) == 0 {
			continue
		}
		if err := add(fmt.Sprintf("top %d by %s", top, m.Title), x.Report, top, m.Name); err != nil {
			return nil, err
		}
	}
	return figure.Panels(panels, 2), nil
}

// maxMosaic bounds the pixels of a picture that is put together from its patches.
const maxMosaic = 1 << 24

// mosaic puts the patches of a bag of raw pixels back in their places, on white; nil where that
// cannot be done.
func mosaic(bag *core.Bag) image.Image {
	if !bag.Raw || bag.Boxes == nil || len(bag.Shape) != 3 || bag.Shape[0] != 3 {
		return nil
	}
	var all image.Rectangle
	for _, b := range bag.Boxes {
		all = all.Union(b)
	}
	high, wide := bag.Shape[1], bag.Shape[2]
	if all.Empty() || all.Dx() > maxMosaic/all.Dy() {
		return nil
	}
	out := image.NewRGBA(image.Rect(0, 0, all.Max.X, all.Max.Y))
	if out.Rect.Dx() > maxMosaic/out.Rect.Dy() {
		return nil
	}
	stddraw.Draw(out, out.Rect, image.White, image.Point{}, stddraw.Src)
	for i, b := range bag.Boxes {
		v := bag.Instance(i)
		for y := range min(high, b.Dy()) {
			for x := range min(wide, b.Dx()) {
				at := y*wide + x
				out.SetRGBA(b.Min.X+x, b.Min.Y+y, color.RGBA{uint8(v[at]), uint8(v[high*wide+at]), uint8(v[2*high*wide+at]), 255})
			}
		}
	}
	return out
}
