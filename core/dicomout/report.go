package dicomout

import (
	"image"
	"io"
	"strings"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/msg"
)

// reportClass is the SOP class of comprehensive structured reports.
const reportClass = "1.2.840.10008.5.1.4.1.1.88.33"

// Relationships of items of a report to the item that holds them.
const (
	contains   = "CONTAINS"
	observed   = "HAS OBS CONTEXT"
	modified   = "HAS CONCEPT MOD"
	selectedOf = "SELECTED FROM"
)

// Report writes the instances that stand out in the explanation of o.Class as a structured report
// (PS3.3, A.35.3; PS3.16, TID 1500), the largest scores first: a group of measurements for each,
// with its score, its standard error if there is one, and whether it supports or refutes the class.
// A slice is the source of its group (TID 1501), a patch is a region of its picture (TID 1410). If
// nothing stands out, the report has no group. Errors are those of [Segmentation].
func Report(w io.Writer, bag *core.Bag, report *core.Report, o Options) error {
	x, err := newExplained(bag, report, o)
	if err != nil {
		return err
	}
	list := x.strongest()
	d, instance := x.file(reportClass, "SR", "9002", "Key instances: "+x.className)
	d.text(completion, "COMPLETE")
	d.text(verification, "UNVERIFIED")
	d.sequence(performedStep)
	d.sequence(performedCode)
	if images := x.used(list); len(images) > 0 {
		of := &dataset{}
		of.text(study, x.origin.Study)
		of.sequence(referencedSeries, x.seriesOf(images, referencedSOPs))
		d.sequence(evidence, of)
	}
	root := container("", code("126000", "DCM", "Imaging Measurement Report"), "1500")
	groups := container(contains, code("126010", "DCM", "Imaging Measurements"), "")
	var items []*dataset
	for _, n := range list {
		items = append(items, x.group(n))
	}
	if items != nil {
		groups.sequence(content, items...)
	}
	root.sequence(content,
		coded(modified, code("121049", "DCM", "Language of Content Item and Descendants"),
			code("en", "RFC5646", "English")),
		coded(observed, code("121005", "DCM", "Observer Type"), code("121007", "DCM", "Device")),
		identified(observed, code("121012", "DCM", "Device Observer UID"), implementation),
		worded(observed, code("121013", "DCM", "Device Observer Name"), program),
		worded(observed, code("121014", "DCM", "Device Observer Manufacturer"), program),
		worded(observed, code("121015", "DCM", "Device Observer Model Name"), program),
		coded(modified, code("121058", "DCM", "Procedure reported"),
			code("363679005", "SCT", "Imaging procedure")),
		groups)
	d.elements = append(d.elements, root.elements...)
	return write(w, reportClass, instance, d, nil)
}

// group returns the measurements of score n.
func (x *explained) group(n int) *dataset {
	at, relation := x.position(n), x.relation(n)
	number := msg.Sprintf("instance %d", at)
	identifier := "1501"
	var source *dataset
	if x.bag.Slices != nil {
		s := x.bag.Slices[at]
		source = pictured(contains, code("121112", "DCM", "Source of Measurement"),
			referTo(x.origin.Images[s.Image], s.Frame))
	} else {
		identifier = "1410"
		source = x.region(x.bag.Boxes[at])
	}
	g := container(contains, code("125007", "DCM", "Measurement Group"), identifier)
	items := []*dataset{
		worded(observed, code("112039", "DCM", "Tracking Identifier"), number),
		identified(observed, code("112040", "DCM", "Tracking Unique Identifier"), x.of(number)),
		coded(contains, code("121071", "DCM", "Finding"),
			code(relation.String(), scheme, relation.String()+" "+x.className)),
		worded(modified, code("111001", "DCM", "Algorithm Name"), program+" "+x.e.Method),
		worded(modified, code("111003", "DCM", "Algorithm Version"), x.software()),
	}
	for _, s := range x.e.Settings {
		items = append(items, worded(modified, code("111002", "DCM", "Algorithm Parameters"),
			msg.Sprintf("%s: %v", s.Name, s.Value)))
	}
	items = append(items, source, x.number("score", "Attribution score", x.e.Scores[n]))
	if x.e.StdErr != nil && x.e.StdErr[n]-x.e.StdErr[n] == 0 {
		items = append(items, x.number("stderr", "Standard error of the attribution score",
			x.e.StdErr[n]))
	}
	g.sequence(content, items...)
	return g
}

// region returns the outline of a patch on its picture, as column and row of the corners. On a
// whole slide these are of its total pixel matrix.
func (x *explained) region(b image.Rectangle) *dataset {
	d := item(contains, "SCOORD", code("111030", "DCM", "Image Region"))
	d.text(graphicType, "POLYLINE")
	var corners []float64
	for _, p := range []image.Point{b.Min, {X: b.Max.X, Y: b.Min.Y}, b.Max, {X: b.Min.X,
		Y: b.Max.Y}, b.Min} {
		corners = append(corners, float64(p.X), float64(p.Y))
	}
	d.single(graphicData, corners...)
	frame := 0
	if x.origin.Matrix != nil {
		d.text(pixelOrigin, "VOLUME")
		frame = -1
	}
	d.sequence(content, pictured(selectedOf, nil, referTo(x.origin.Images[0], frame)))
	return d
}

// number returns a measurement in the unit of the scores. A unit that UCUM does not have is an
// annotation (UCUM, section 6).
func (x *explained) number(value, meaning string, v float64) *dataset {
	d := item(contains, "NUM", code(value, scheme, meaning))
	m := &dataset{}
	m.decimal(numericValue, v)
	m.double(numericDouble, v)
	unit, words := "1", "no units"
	if letters := strings.Map(inUnit, string(x.e.Unit)); letters != "" {
		unit, words = "{"+within(letters, mostLetters["SH"]-2)+"}", string(x.e.Unit)
	}
	m.sequence(units, code(unit, "UCUM", words))
	d.sequence(measured, m)
	return d
}

// inUnit returns a character of an annotation of UCUM: printable ASCII but for braces.
func inUnit(c rune) rune {
	if c <= ' ' || c > '~' || c == '{' || c == '}' {
		return -1
	}
	return c
}

// item returns an item of a report. The root has no relationship, and some items have no name.
func item(relation, kind string, name *dataset) *dataset {
	d := &dataset{}
	if relation != "" {
		d.text(relationship, relation)
	}
	d.text(valueType, kind)
	if name != nil {
		d.sequence(conceptName, name)
	}
	return d
}

// container returns an item that holds others, of a template if it has one.
func container(relation string, name *dataset, identifier string) *dataset {
	d := item(relation, "CONTAINER", name)
	d.text(continuity, "SEPARATE")
	if identifier != "" {
		t := &dataset{}
		t.text(template, "DCMR")
		t.text(templateID, identifier)
		d.sequence(contentTemplate, t)
	}
	return d
}

// coded returns an item of a code.
func coded(relation string, name, value *dataset) *dataset {
	d := item(relation, "CODE", name)
	d.sequence(conceptCode, value)
	return d
}

// worded returns an item of a text.
func worded(relation string, name *dataset, value string) *dataset {
	d := item(relation, "TEXT", name)
	d.text(textValue, value)
	return d
}

// identified returns an item of a UID.
func identified(relation string, name *dataset, value string) *dataset {
	d := item(relation, "UIDREF", name)
	d.text(uidValue, value)
	return d
}

// pictured returns an item that refers to a picture.
func pictured(relation string, name, image *dataset) *dataset {
	d := item(relation, "IMAGE", name)
	d.sequence(referencedSOPs, image)
	return d
}
