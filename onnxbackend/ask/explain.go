package ask

import (
	"slices"
	"strconv"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/metric"
)

// An Explained bag is the source of every form of output.
type Explained struct {
	*Input
	Model     core.ModelInfo // complete, because a bag was bound
	Evaluator core.Evaluator // the bound bag, for reuse by metrics
	Classes   []string
	Report    *core.Report
	Trust     []metric.Trust // trust in each method of the report, if requested
}

// Version is the version of the JSON of explanations and of answers to what-ifs. It changes if a
// key changes its meaning or is removed.
const Version = 1

// An Explanation is the JSON of explain. Scripts depend on it.
type Explanation struct {
	Version int    `json:"version"`
	Model   Model  `json:"model"`
	Bag     Bag    `json:"bag"`
	Without []int  `json:"without,omitempty"` // the instances that were removed
	Slide   *Slide `json:"slide,omitempty"`
	Boxes   []Box  `json:"boxes,omitempty"` // one for each score
	Attributions
}

// Attributions are what an explanation says, without what it is about.
type Attributions struct {
	Classes      []string    `json:"classes"`
	Output       core.Output `json:"output"`
	Units        []core.Unit `json:"units"` // (class) unit of the prediction
	Prediction   []Number    `json:"prediction"`
	Explanations []Scored    `json:"explanations"`
	Skipped      []Skipped   `json:"skipped"`
	Trust        []Trust     `json:"trust"` // trust in each method, if requested
	Evaluations  int         `json:"evaluations"`
	Seed         uint64      `json:"seed"`
	Notes        []string    `json:"notes"`
}

// The parts of an explanation.
type (
	// Scored is the explanation of one class by one method.
	Scored struct {
		Method      string         `json:"method"`
		Settings    map[string]any `json:"settings"`
		Class       int            `json:"class"`
		Scores      []Number       `json:"scores"`
		Unit        core.Unit      `json:"unit"`
		StdErr      []Number       `json:"stderr"`
		Freedom     Number         `json:"freedom"`
		Neutral     Number         `json:"neutral"`
		Evident     []bool         `json:"evident"`
		R2          Number         `json:"r2"`
		Evaluations int            `json:"evaluations"`
		Notes       []string       `json:"notes"`
	}
	// Trust measures how reliable a method's scores are, see metric.Trust.
	Trust struct {
		Method      string              `json:"method"`
		Classes     []int               `json:"classes"`
		AOPCR       map[string][]Number `json:"aopc_r"`
		Beaten      []int               `json:"beaten"`
		Correlation []Number            `json:"correlation"`
		Cuts        int                 `json:"cuts"`
		Sentences   []string            `json:"sentences"`
	}
	// Skipped is a method that the model does not support.
	Skipped struct {
		Method string `json:"method"`
		Reason string `json:"reason"`
	}
)

// JSON returns the explanation in the form of its JSON.
func (x *Explained) JSON() *Explanation {
	return &Explanation{
		Version: Version,
		Model:   Model{x.Model.Name, x.Model.SHA256}, Bag: Bag{x.Bag.Name, x.Whole.Len()},
		Without: x.removed(), Slide: slideOf(x.Bag.Slide), Boxes: boxes(x.Bag),
		Attributions: x.Attributions(),
	}
}

// Attributions returns what the explanation says.
func (x *Explained) Attributions() Attributions {
	return Attributions{
		Classes: x.Classes, Output: x.Report.Output, Units: x.Report.Units,
		Prediction:   Numbers(x.Report.Prediction),
		Explanations: ListOf(x.Report.Explanations, scored),
		Skipped:      SkippedMethods(x.Report.Skipped), Trust: ListOf(x.Trust, trust),
		Evaluations: x.Report.Evaluations, Seed: x.Report.Seed, Notes: x.Notes(),
	}
}

// Rows returns a row for each method, class and instance, after the heading. Numbers have all their
// digits, and a missing standard error is empty. Rows of a bag with places end with the corners of
// the instance's box.
func (x *Explained) Rows() [][]string {
	// The names of the columns are those of the keys in JSON.
	rows := [][]string{{"method", "class", "class_name", "instance", "score", "stderr", "unit",
		"neutral", "evident"}}
	if x.Bag.Boxes != nil {
		rows[0] = append(rows[0], "x0", "y0", "x1", "y1")
	}
	for _, e := range x.Report.Explanations {
		for i, v := range e.Scores {
			stderr := ""
			if e.StdErr != nil {
				stderr = Exact(e.StdErr[i])
			}
			row := []string{e.Method, strconv.Itoa(e.Class), x.Classes[e.Class],
				strconv.Itoa(x.Position(i)), Exact(v), stderr, string(e.Unit),
				Exact(e.Neutral), strconv.FormatBool(e.Evident[i])}
			if x.Bag.Boxes != nil {
				b := x.Bag.Boxes[i]
				for _, at := range []int{b.Min.X, b.Min.Y, b.Max.X, b.Max.Y} {
					row = append(row, strconv.Itoa(at))
				}
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// scored returns the JSON of the explanation of one class by one method.
func scored(e core.Explanation) Scored {
	return Scored{
		Method: e.Method, Settings: settingsMap(e.Settings), Class: e.Class,
		Scores: Numbers(e.Scores), StdErr: Numbers(e.StdErr), R2: Number(e.R2),
		Unit: e.Unit, Freedom: Number(e.Freedom), Neutral: Number(e.Neutral),
		Evident: List(e.Evident), Evaluations: e.Evaluations, Notes: List(e.Notes),
	}
}

// trust returns the JSON of the trust in a method.
func trust(t metric.Trust) Trust {
	out := Trust{
		Method: t.Method, Classes: t.Classes, AOPCR: map[string][]Number{}, Beaten: List(t.Beaten),
		Correlation: Numbers(t.Correlation), Cuts: t.Cuts, Sentences: t.Sentences,
	}
	for _, row := range t.AOPCR {
		out.AOPCR[row.Method] = Numbers(row.Values)
	}
	return out
}

// Notes returns the notes on the model, the bag and the report, each once. A report repeats the
// evaluator's notes on the model.
func (x *Explained) Notes() []string {
	all := []string{}
	for _, n := range slices.Concat(x.Model.Notes, x.Input.Notes, x.Report.Notes) {
		if !slices.Contains(all, n) {
			all = append(all, n)
		}
	}
	return all
}

// SkippedMethods returns the JSON of the skipped methods.
func SkippedMethods(skipped []core.Skipped) []Skipped {
	return ListOf(skipped, func(s core.Skipped) Skipped { return Skipped{s.Method, s.Reason} })
}

// settingsMap returns the settings by name. Infinite numbers become null.
func settingsMap(settings []core.Setting) map[string]any {
	m := map[string]any{}
	for _, s := range settings {
		if v, ok := s.Value.(float64); ok {
			m[s.Name] = Number(v)
		} else {
			m[s.Name] = s.Value
		}
	}
	return m
}
