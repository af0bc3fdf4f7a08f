package ask

import (
	"slices"
	"strconv"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/metric"
	"github.com/bagscope/bagscope/internal/msg"
)

// An Explained bag is the source of every form of output.
type Explained struct {
	*Input
	Model     core.ModelInfo // complete, because a bag was bound
	Evaluator core.Evaluator // the bound bag, for reuse by metrics
	Classes   []string
	Report    *core.Report
	Trust     []metric.Trust // trust in each method of the report, if requested
	Summary   []string       // sentences, see Attributions
	Missed    []Missed       // see Attributions
	// Covariates are those of the model, with what they take for the bag.
	Covariates []UsedCovariate
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
	Classes []string `json:"classes"` // class names
	// At most three sentences: the prediction, what it rests on, and what turns it. Names of
	// classes are in the quotation marks “ and ”.
	Summary []string `json:"summary"`
	// For each method, up to five instances whose scores for the class of the summary stand out
	// most, in descending order of the distance from the neutral point.
	Missed []Missed `json:"missed"`
	// "mixed" if the heads of the model have different ones.
	Output core.Output `json:"output"`
	Units  []core.Unit `json:"units"` // unit of each class of the prediction
	// Prediction for each class, of the explained bag.
	Prediction []Number `json:"prediction"`
	// The models of an ensemble; missing for one model.
	Folds []Fold `json:"folds,omitempty"`
	// What the inputs of the model beside the instances take for the bag.
	Covariates   []UsedCovariate `json:"covariates"`
	Explanations []Scored        `json:"explanations"`
	Skipped      []Skipped       `json:"skipped"` // methods that the model does not support
	Trust        []Trust         `json:"trust"`   // trust in each method, if requested; else empty
	// Number of coalitions that the model scored.
	Evaluations int `json:"evaluations"`
	// Seed is at most 2^64 - 1. JavaScript needs a bigint beyond 2^53 - 1.
	Seed  uint64   `json:"seed"`
	Notes []string `json:"notes"`
}

// The parts of an explanation.
type (
	// Scored is the explanation of one class by one method.
	Scored struct {
		Method   string         `json:"method" ts:"MethodName"`
		Settings map[string]any `json:"settings"` // with the defaults of those that were not given
		Class    int            `json:"class"`
		// Score of each instance; above neutral it supports the class, below it refutes it.
		Scores []Number `json:"scores"`
		// Unit of scores, stderr and neutral: probability, log-odds, logit or score, or that of the
		// model card, such as "months".
		Unit core.Unit `json:"unit"`
		// Standard error of each score, or null if the method does not sample. It is infinite if
		// it is unknown: the coalitions are too few to estimate it, or chosen and not drawn.
		StdErr []Number `json:"stderr" ts:"number[] | null"`
		// Degrees of freedom of stderr for Student's t; 0 for the normal distribution.
		Freedom Number `json:"freedom"`
		// Smallest and largest of the differences that each score is a mean of, or null if the
		// method is no mean of differences in chosen bags. They are not errors.
		Low  []Number `json:"low" ts:"number[] | null"`
		High []Number `json:"high" ts:"number[] | null"`
		// The score that neither supports nor refutes: 0 for differences, the mean of the bag for
		// Single and Inherent.
		Neutral Number `json:"neutral"`
		// For each instance, whether the score stands out: it differs from neutral by more than
		// chance, the spread of the models of an ensemble and rounding explain, in a test at 5 %,
		// or in a bag of more than 300 instances a false discovery rate of 5 %. A score of
		// Consensus below a twentieth of the largest of all explained classes does not.
		Evident []bool `json:"evident"`
		// Scores of the models of an ensemble; missing for one model.
		Folds *FoldScores `json:"folds,omitempty"`
		// Weighted R² of the surrogate, or null if there is none, as in Consensus.
		R2 Number `json:"r2" ts:"number | null"`
		// Number of coalitions that the method used, shared ones included.
		Evaluations int `json:"evaluations"`
		// What holds for this class, such as that any one of several instances suffices.
		Notes []string `json:"notes"`
	}
	// Trust is how far the scores of one method can be trusted for one bag.
	Trust struct {
		Method  string `json:"method" ts:"MethodName"`
		Classes []int  `json:"classes"` // the explained classes; all lists here are in their order
		// AOPC-R by method: of this one, and of Single, One Removed and Inherent as far as the
		// model supports them. A random order has 0. Empty for a bag that has no two sizes to
		// compare.
		AOPCR map[string][]Number `json:"aopc_r" js:"aopcr" ts:"{ [M in MethodName]?: number[] }"`
		// How many of ten random orders have a lower AOPC than this method.
		Beaten []int `json:"beaten"`
		// Rank correlation with the scores of another seed, where scores that chance explains count
		// as neutral. It is 1 for methods that draw nothing, null for a bag of one instance.
		Correlation []Number `json:"correlation" ts:"(number | null)[]"`
		// Number of instances whose evidence supports the answer.
		Shown []int `json:"shown"`
		// Value of the class of these alone, and of the bag without them; null without such
		// instances, and if the model takes no such bag.
		Sufficiency []Number `json:"sufficiency" ts:"(number | null)[]"`
		Necessity   []Number `json:"necessity" ts:"(number | null)[]"`
		// Share of the difference between the whole bag and that without them that returns where
		// they join a random half of the others: mean over ten halves.
		Recoverability []Number `json:"recoverability" ts:"(number | null)[]"`
		// Number of instances with the highest scores that keep the answer, and the smallest number
		// of instances found that do; 0 if none was found.
		Ranked    []int    `json:"ranked"`
		Least     []int    `json:"least"`
		Cuts      int      `json:"cuts"`      // number of sizes of the bag in the curves
		Sentences []string `json:"sentences"` // all of that in words
	}
	// Skipped is a method that the model does not support.
	Skipped struct {
		Method string `json:"method" ts:"MethodName"`
		Reason string `json:"reason"`
	}
)

// JSON returns the explanation in the form of its JSON.
func (x *Explained) JSON() *Explanation {
	return &Explanation{
		Version: Version,
		Model:   Model{x.Model.Name, x.Model.SHA256}, Bag: bagOf(x.Whole, x.Whole, x.Model),
		Without: x.removed(), Slide: slideOf(x.Bag.Slide), Boxes: boxes(x.Bag),
		Attributions: x.Attributions(),
	}
}

// Attributions returns what the explanation says.
func (x *Explained) Attributions() Attributions {
	return Attributions{
		Classes: x.Classes, Summary: List(x.Summary), Missed: List(x.Missed),
		Output: x.Report.Output, Units: x.Report.Units, Prediction: Numbers(x.Report.Prediction),
		Folds:      x.Folds(),
		Covariates: List(x.Covariates), Explanations: ListOf(x.Report.Explanations, scored),
		Skipped: SkippedMethods(x.Report.Skipped), Trust: ListOf(x.Trust, trust),
		Evaluations: x.Report.Evaluations, Seed: x.Report.Seed, Notes: x.Notes(),
	}
}

// Rows returns a row for each method, class and instance, after the heading. Numbers have all their
// digits, and what a method does not have is empty. Those of an ensemble have the spread between
// its models, and how many agree with the sign. Rows end with the instance's name if the file has
// names, and in a bag with places with the corners of its box and what they count from, see
// core.Slide.CountsFrom.
func (x *Explained) Rows() [][]string {
	// The names of the columns are those of the keys in JSON.
	rows := [][]string{{"method", "class", "class_name", "instance", "score", "stderr", "unit",
		"neutral", "evident", "low", "high", "version"}}
	if x.Report.Folds != nil {
		rows[0] = append(rows[0], "between", "agree")
	}
	names := x.Bag.InstanceNames
	if names != nil {
		rows[0] = append(rows[0], "instance_name")
	}
	if x.Bag.Boxes != nil {
		rows[0] = append(rows[0], "x0", "y0", "x1", "y1", "origin")
	}
	origin, corner := x.Bag.Slide.CountsFrom(core.Canvas)
	for _, e := range x.Report.Explanations {
		version := versionOf(e.Settings)
		for i, v := range e.Scores {
			row := []string{e.Method, strconv.Itoa(e.Class), x.Classes[e.Class],
				strconv.Itoa(x.Position(i)), Exact(v), entry(e.StdErr, i), string(e.Unit),
				Exact(e.Neutral), strconv.FormatBool(e.Evident[i]), entry(e.Low, i),
				entry(e.High, i), version}
			if f := e.Folds; f != nil {
				row = append(row, Exact(f.Between[i]), strconv.Itoa(f.Agree[i]))
			}
			if names != nil {
				row = append(row, names[i])
			}
			if x.Bag.Boxes != nil {
				b := x.Bag.Boxes[i].Sub(corner)
				for _, at := range []int{b.Min.X, b.Min.Y, b.Max.X, b.Max.Y} {
					row = append(row, strconv.Itoa(at))
				}
				row = append(row, origin)
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// versionOf returns the version of a method's definition, or "" if it has only one.
func versionOf(settings []core.Setting) string {
	for _, s := range settings {
		if s.Name == "version" {
			return msg.Sprintf("%v", s.Value)
		}
	}
	return ""
}

// entry returns entry i of a list with all digits, or "" if there is no list.
func entry(list []float64, i int) string {
	if list == nil {
		return ""
	}
	return Exact(list[i])
}

// scored returns the JSON of the explanation of one class by one method.
func scored(e core.Explanation) Scored {
	return Scored{
		Method: e.Method, Settings: settingsMap(e.Settings), Class: e.Class,
		Scores: Numbers(e.Scores), StdErr: Numbers(e.StdErr), R2: Number(e.R2),
		Unit: e.Unit, Freedom: Number(e.Freedom), Neutral: Number(e.Neutral),
		Low: Numbers(e.Low), High: Numbers(e.High), Evident: List(e.Evident),
		Folds: foldScores(e.Folds), Evaluations: e.Evaluations, Notes: List(e.Notes),
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
	for _, k := range t.Kept {
		out.Shown = append(out.Shown, k.Shown)
		out.Sufficiency = append(out.Sufficiency, Number(k.Sufficiency))
		out.Necessity = append(out.Necessity, Number(k.Necessity))
		out.Recoverability = append(out.Recoverability, Number(k.Recoverability))
		out.Ranked, out.Least = append(out.Ranked, k.Ranked), append(out.Least, k.Least)
	}
	return out
}

// Notes returns the notes on the bag, the model and the report, each once. A report repeats the
// evaluator's notes on the model.
func (x *Explained) Notes() []string {
	all := []string{}
	for _, n := range slices.Concat(x.Input.Notes, x.Model.Notes, x.Report.Notes) {
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
