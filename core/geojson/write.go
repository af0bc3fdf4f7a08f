package geojson

import (
	"cmp"
	"fmt"
	"image"
	"image/color"
	"io"
	"strconv"

	"github.com/valyala/fastjson"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/draw"
)

// Options select what Write writes.
type Options struct {
	Classes []string // names of the model's classes; default their numbers
	// Class is the class that classifications are about.
	Class int
	// Instances are the positions of the report's scores in the bag, if instances were removed
	// before the explanation; nil means all.
	Instances []int
	// Colours is the palette of the classifications, as in draw.Options.
	Colours string
}

// Write writes one feature for each explained instance: its rectangle, the scores and standard
// errors of all methods and classes as measurements, and a classification by the first method that
// explains o.Class: "supports C", "refutes C" or "does not stand out". A standard error
// that does not exist is left out. Places count from the bounds of the slide, as in QuPath, unless
// bag.Slide states another origin; the member origin says which one, and where it lies in level 0.
// Write returns a *core.BagError for a bag without Boxes, a
// *core.SettingError for a class that the report does not explain or another palette, and errors of
// w.
func Write(w io.Writer, bag *core.Bag, report *core.Report, o Options) error {
	if err := NeedPlaces(bag); err != nil {
		return err
	}
	if err := draw.CheckColours(o.Colours); err != nil {
		return err
	}
	about, err := o.about(report)
	if err != nil {
		return err
	}
	name, at := bag.Slide.CountsFrom(core.Bounds)
	if _, err := fmt.Fprintf(w, `{"type":"FeatureCollection","origin":{"name":"%s","x":%d,"y":%d},`+
		`"features":[`, name, at.X, at.Y); err != nil {
		return err
	}
	var a fastjson.Arena
	var line []byte
	separator := "\n"
	for n := range about.Scores {
		i := n
		if o.Instances != nil {
			i = o.Instances[n]
		}
		a.Reset()
		line = append(line[:0], separator...)
		separator = ",\n"
		box := bag.Boxes[i].Sub(at)
		line = o.feature(&a, bag, box, i, n, report, about).MarshalTo(line)
		if _, err := w.Write(line); err != nil {
			return err
		}
	}
	_, err = io.WriteString(w, "\n]}\n")
	return err
}

// about returns the explanation that classifications are taken from.
func (o Options) about(report *core.Report) (*core.Explanation, error) {
	for i := range report.Explanations {
		if e := &report.Explanations[i]; e.Class == o.Class {
			return e, nil
		}
	}
	return nil, &core.SettingError{Setting: "class",
		Reason: fmt.Sprintf("the report does not explain class %d", o.Class)}
}

func (o Options) className(class int) string {
	if class < len(o.Classes) {
		return o.Classes[class]
	}
	return strconv.Itoa(class)
}

// feature returns instance i of the bag, which is entry n of the report's scores.
func (o Options) feature(a *fastjson.Arena, bag *core.Bag, box image.Rectangle, i, n int,
	report *core.Report, about *core.Explanation) *fastjson.Value {
	geometry := a.NewObject()
	geometry.Set("type", a.NewString("Polygon"))
	geometry.Set("coordinates", rings(a, box))
	values := a.NewObject()
	for j := range report.Explanations {
		e := &report.Explanations[j]
		name := e.Method + ": " + o.className(e.Class)
		set(a, values, name, e.Scores[n])
		if e.StdErr != nil {
			set(a, values, name+", standard error", e.StdErr[n])
		}
	}
	properties := a.NewObject()
	properties.Set("objectType", a.NewString("tile"))
	name := "instance " + strconv.Itoa(i)
	if bag.InstanceNames != nil {
		name = cmp.Or(bag.InstanceNames[i], name)
	}
	properties.Set("name", a.NewString(name))
	properties.Set("classification", o.classification(a, n, about))
	properties.Set("measurements", values)
	f := a.NewObject()
	f.Set("type", a.NewString("Feature"))
	f.Set("geometry", geometry)
	f.Set("properties", properties)
	return f
}

// set adds a number; JSON has no NaN and no infinity.
func set(a *fastjson.Arena, to *fastjson.Value, name string, v float64) {
	if v-v == 0 {
		to.Set(name, a.NewNumberString(strconv.FormatFloat(v, 'g', -1, 64)))
	}
}

// rings returns the one closed ring of a rectangle.
func rings(a *fastjson.Arena, r image.Rectangle) *fastjson.Value {
	ring := a.NewArray()
	corners := []image.Point{r.Min, {X: r.Max.X, Y: r.Min.Y}, r.Max, {X: r.Min.X, Y: r.Max.Y},
		r.Min}
	for n, p := range corners {
		point := a.NewArray()
		point.SetArrayItem(0, a.NewNumberInt(p.X))
		point.SetArrayItem(1, a.NewNumberInt(p.Y))
		ring.SetArrayItem(n, point)
	}
	all := a.NewArray()
	all.SetArrayItem(0, ring)
	return all
}

// classification says what entry n of an explanation is, in words and in a colour.
func (o Options) classification(a *fastjson.Arena, n int, e *core.Explanation) *fastjson.Value {
	theme := draw.Theme(o.Colours, false)
	name, shade := "does not stand out", theme["noise"]
	switch {
	case !e.Evident[n]:
	case e.Scores[n] > e.Neutral:
		name, shade = "supports "+o.className(e.Class), theme["support"]
	default:
		name, shade = "refutes "+o.className(e.Class), theme["refute"]
	}
	c := a.NewObject()
	c.Set("name", a.NewString(name))
	c.Set("color", rgb(a, shade))
	return c
}

func rgb(a *fastjson.Arena, c color.RGBA) *fastjson.Value {
	out := a.NewArray()
	for n, v := range []uint8{c.R, c.G, c.B} {
		out.SetArrayItem(n, a.NewNumberInt(int(v)))
	}
	return out
}
