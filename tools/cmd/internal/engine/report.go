package engine

import (
	"bytes"
	"image"
	"math"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/metric"
	"github.com/bagscope/bagscope/internal/csvfile"
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/tools/service/jsontext"
	"github.com/bagscope/bagscope/wasm/wire"
)

// maxInstances bounds the bag of a report, whose places are checked before memory is allocated.
const maxInstances = 1 << 26

// WriteReport writes the bytes that bagscope explain writes with --json or --csv.
func (files) WriteReport(r wire.WriteReport) ([]byte, error) {
	x, err := explained(r)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	switch r.Format {
	case "json":
		j := x.JSON()
		j.Notes = ask.List(r.Notes) // in the order of the command
		err = jsontext.Write(&out, j)
	case "csv":
		err = csvfile.Write(&out, x.Rows())
	default:
		return nil, wrong("format", "%q is unknown; use json or csv", r.Format)
	}
	return out.Bytes(), err
}

// wrong returns a *core.SettingError.
func wrong(setting, format string, args ...any) error {
	return &core.SettingError{Setting: setting, Reason: msg.Sprintf(format, args...)}
}

// explained returns a report of a message as the command has it after an explanation. It checks the
// lists, which come from the client.
func explained(r wire.WriteReport) (*ask.Explained, error) {
	k := r.Bag.Instances
	if k < 1 || k > maxInstances {
		return nil, wrong("bag", "it has %d instances", k)
	}
	if r.Bag.Boxes != nil && len(*r.Bag.Boxes) != k {
		return nil, wrong("bag", "it has %d places for %d instances", len(*r.Bag.Boxes), k)
	}
	whole := &core.Bag{Name: r.Bag.Name, Shape: []int{1}, Values: make([]float32, k)}
	if r.Bag.Boxes != nil {
		whole.Boxes = ask.ListOf(*r.Bag.Boxes, func(b wire.Box) image.Rectangle {
			return image.Rect(b.X, b.Y, b.X+b.Width, b.Y+b.Height)
		})
	}
	if s := r.Bag.Slide; s != nil {
		whole.Slide = &core.Slide{Width: s.Width, Height: s.Height,
			Magnification: s.Magnification, MPP: s.MPP, PatchSize: s.PatchSize}
	}
	in := &ask.Input{Bag: whole, Whole: whole}
	for _, i := range r.Report.Instances {
		if i < 0 || i >= k {
			return nil, wrong("instances", "the bag has no instance %d", i)
		}
	}
	if len(r.Report.Instances) != k {
		in.Select(r.Report.Instances)
	}
	report, err := reportOf(r.Report, in.Bag.Len())
	if err != nil {
		return nil, err
	}
	return &ask.Explained{Input: in, Model: core.ModelInfo{Name: r.Name, SHA256: r.SHA256},
		Classes: ask.ClassNames(r.Report.Classes, len(report.Prediction)), Report: report,
		Trust: ask.ListOf(r.Report.Trust, trustOf)}, nil
}

// reportOf returns the report of a message about k instances.
func reportOf(r wire.Explained, k int) (*core.Report, error) {
	out := &core.Report{Prediction: r.Prediction, Output: core.Output(r.Output),
		Units:       ask.ListOf(r.Units, func(u string) core.Unit { return core.Unit(u) }),
		Evaluations: r.Evaluations, Seed: r.Seed, Notes: r.Notes,
		Skipped: ask.ListOf(r.Skipped, func(s wire.Skipped) core.Skipped {
			return core.Skipped(s)
		})}
	for _, e := range r.Explanations {
		if e.Class < 0 || e.Class >= len(r.Prediction) || len(e.Scores) != k ||
			len(e.Evident) != k || e.Stderr != nil && len(*e.Stderr) != k {
			return nil, wrong("report", "its lists must have an entry for each of its instances "+
				"and classes")
		}
		x := core.Explanation{Method: e.Method, Class: e.Class, Scores: e.Scores,
			Unit: core.Unit(e.Unit), Freedom: e.Freedom, Neutral: e.Neutral, Evident: e.Evident,
			R2: math.NaN(), Evaluations: e.Evaluations, Notes: e.Notes,
			Settings: ask.ListOf(e.Settings, func(s wire.Setting) core.Setting {
				return core.Setting(s)
			})}
		if e.Stderr != nil {
			x.StdErr = *e.Stderr
		}
		if e.R2 != nil {
			x.R2 = *e.R2
		}
		out.Explanations = append(out.Explanations, x)
	}
	return out, nil
}

// trustOf returns the trust in a method of a message.
func trustOf(t wire.Trust) metric.Trust {
	return metric.Trust{Method: t.Method, Classes: t.Classes, Beaten: t.Beaten,
		Correlation: t.Correlation, Cuts: t.Cuts, Sentences: t.Sentences,
		AOPCR: ask.ListOf(t.Aopcr, func(row wire.TrustRow) metric.TrustRow {
			return metric.TrustRow(row)
		})}
}
