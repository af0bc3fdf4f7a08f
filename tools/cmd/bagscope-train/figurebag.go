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
	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/core/metric"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
	"github.com/bagscope/bagscope/tools/train/figure"
)

// bag draws a bag with its explanations. If the bag was cut from a picture, it draws the patches of
// the bag, the true patches and the top n patches of every method, where n is the number of
// true patches. For other bags it draws every method's scores for all classes.
func (f *figureCommand) bag(c *cobra.Command) (*figure.Figure, error) {
	// The figure uses the same flags and the same computation as explain.
	plan, err := f.methods.Settings(c).Plan()
	if err != nil {
		return nil, err
	}
	// The default methods include inherent, which few models have.
	plan.SkipMissing = true // the inherent scores are omitted if the model has none
	if err := f.methods.Bound(c); err != nil {
		return nil, err
	}
	in, err := cli.OpenBag(c, &f.model, &f.bags, f.index)
	if err != nil {
		return nil, err
	}
	out, err := plan.Explain(c.Context(), in, nil)
	if err != nil {
		return nil, err
	}
	x := explained{out}
	// Every method may need something that the model does not have.
	if len(x.Report.Explanations) == 0 {
		return nil, fmt.Errorf("there is nothing to draw: %w", x.missing())
	}
	// A bag of patches without its picture can be reassembled if its values are raw pixels.
	picture := in.Picture
	if picture == nil {
		picture = mosaic(in.Bag)
	}
	if picture != nil && in.Bag.Boxes != nil {
		return x.patches(picture)
	}
	return x.scores()
}

// An explained bag is drawn with its explanations.
type explained struct{ *ask.Explained }

// missing returns the reasons why every method was skipped.
func (x explained) missing() error {
	return errors.Join(ask.ListOf(x.Report.Skipped, func(s core.Skipped) error {
		return &core.UnavailableError{Method: s.Method, Reason: s.Reason}
	})...)
}

// scores returns a figure with a panel for each method. Scores that are equal for all classes, such
// as attention, are drawn as one row.
func (x explained) scores() (*figure.Figure, error) {
	var panels []figure.Panel
	for _, m := range methods.All() {
		// Panels are in the order of methods.All and at twice the size of a page.
		o := draw.Options{Method: m.Name, ClassNames: x.Classes, Scale: 2}
		scores := x.of(m.Name)
		if len(scores) == 0 {
			continue
		}
		// A model can have several classes and one attention: it is drawn once, for every class.
		if len(scores) > 1 && !slices.ContainsFunc(scores[1:],
			func(e core.Explanation) bool { return !slices.Equal(e.Scores, scores[0].Scores) }) {
			o.Classes, o.ClassNames = []int{scores[0].Class}, slices.Clone(x.Classes)
			o.ClassNames[scores[0].Class] = "every class"
		}
		picture, err := draw.Auto(x.Bag, nil, x.Report, o)
		if err != nil {
			return nil, err
		}
		panels = append(panels, figure.Panel{Title: m.Title, Picture: picture.Picture()})
	}
	return figure.Panels(panels, 1), nil
}

// of returns the explanations of all classes by a method.
func (x explained) of(method string) []core.Explanation {
	return slices.DeleteFunc(slices.Clone(x.Report.Explanations),
		func(e core.Explanation) bool { return e.Method != method })
}

// topPatches is the number of patches to draw if no labels give the number of true patches.
const topPatches = 20

// patches returns a figure for the last explained class, which is the positive one of two classes.
func (x explained) patches(picture image.Image) (*figure.Figure, error) {
	class := x.Report.Explanations[len(x.Report.Explanations)-1].Class
	panels := []figure.Panel{{Title: "picture", Picture: picture}}
	// add appends a panel with the top patches of one method over the picture.
	add := func(title string, report *core.Report, top int, method string) error {
		drawn, err := draw.Overlay(x.Bag, picture, report,
			draw.Options{Method: method, Classes: []int{class}, ClassNames: x.Classes, Top: top})
		if err == nil {
			panels = append(panels, figure.Panel{Title: title, Picture: drawn.Picture()})
		}
		return err
	}
	if err := add(fmt.Sprintf("%d patches", x.Bag.Len()), nil, 0, ""); err != nil {
		return nil, err
	}
	// Without labels there is no truth to draw and no number of true patches.
	top := topPatches
	relevance := metric.Relevances(x.Bag.Labels, x.Model.Truth, class, x.Model.Negative, false)
	// The true patches are drawn like the scores of a method that knows the labels.
	truth := core.Explanation{Method: metric.RowOracle, Class: class,
		Scores: make([]float64, x.Bag.Len())}
	n := 0
	for i, r := range relevance {
		if r == metric.Supporting {
			truth.Scores[i] = 1
			n++
		}
	}
	if n > 0 {
		top = n
		if err := add(fmt.Sprintf("%d true patches of %s", n, x.Classes[class]),
			&core.Report{Explanations: []core.Explanation{truth}}, n,
			metric.RowOracle); err != nil {
			return nil, err
		}
	}
	for _, m := range methods.All() {
		if len(x.of(m.Name)) == 0 {
			continue
		}
		if err := add(fmt.Sprintf("top %d by %s", top, m.Title), x.Report, top,
			m.Name); err != nil {
			return nil, err
		}
	}
	return figure.Panels(panels, 2), nil
}

// maxMosaic bounds the number of pixels of a picture that is assembled from its patches.
const maxMosaic = 1 << 24

// mosaic assembles a picture from the patches of a bag of raw pixels, on white. It returns nil if
// the bag has no such patches or the picture would be too large.
func mosaic(bag *core.Bag) image.Image {
	if !bag.Raw || bag.Boxes == nil || len(bag.Shape) != 3 || bag.Shape[0] != 3 {
		return nil
	}
	// all is the smallest rectangle that contains all patches.
	var all image.Rectangle
	for _, b := range bag.Boxes {
		all = all.Union(b)
	}
	height, width := bag.Shape[1], bag.Shape[2]
	if all.Empty() || all.Dx() > maxMosaic/all.Dy() {
		return nil
	}
	out := image.NewRGBA(image.Rect(0, 0, all.Max.X, all.Max.Y))
	// The boxes may lie far from the origin.
	if out.Rect.Dx() > maxMosaic/out.Rect.Dy() {
		return nil
	}
	// Omitted patches stay white.
	stddraw.Draw(out, out.Rect, image.White, image.Point{}, stddraw.Src)
	for i, b := range bag.Boxes {
		// A patch at the border may be larger than its box.
		v := bag.Instance(i)
		for y := range min(height, b.Dy()) {
			for x := range min(width, b.Dx()) {
				at, plane := y*width+x, height*width // red, green and blue are planes
				out.SetRGBA(b.Min.X+x, b.Min.Y+y,
					color.RGBA{uint8(v[at]), uint8(v[plane+at]), uint8(v[2*plane+at]), 255})
			}
		}
	}
	return out
}
