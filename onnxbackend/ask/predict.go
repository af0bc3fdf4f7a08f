package ask

import (
	"cmp"
	"context"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend"
)

// A Prediction is the JSON of predict. Scripts depend on it.
type Prediction struct {
	Model   Model             `json:"model"`
	Bag     Bag               `json:"bag"`
	Outputs map[string]Tensor `json:"outputs"`
	Classes []Class           `json:"classes"`
	Curves  []Curve           `json:"curves,omitempty"`
	Folds   []Fold            `json:"folds,omitempty"` // the models of an ensemble
	Output  core.Output       `json:"output"`
	Scale   core.Scale        `json:"scale"`
	Notes   []string          `json:"notes"`
	Units   bool              `json:"-"` // the model card states what the numbers are
}

// The parts of a prediction. An explanation has some of them too.
type (
	// Model identifies the model. The hash of a model on a server is empty.
	Model struct {
		Name   string `json:"name"`
		SHA256 string `json:"sha256"`
	}
	// Bag is the bag of a question.
	Bag struct {
		Name      string `json:"name"`
		Instances int    `json:"instances"`
		// What the file calls each instance, also the removed ones, and each value of an instance;
		// empty if it does not.
		InstanceNames []string `json:"instance_names"`
		FeatureNames  []string `json:"feature_names"`
	}
	// Tensor is an output of the model, in row-major order.
	Tensor struct {
		Shape []int    `json:"shape"`
		Data  []Number `json:"data"`
	}
	// Class is the score of one class.
	Class struct {
		Name  string    `json:"name"`
		Score Number    `json:"score"` // score as it is read, in Unit
		Unit  core.Unit `json:"unit"`
		Raw   Number    `json:"raw"` // score before a softmax or a sigmoid
	}
	// Curve is the survival curve of a head of hazards: the survival at each edge.
	Curve struct {
		Class    string    `json:"class"`
		Unit     core.Unit `json:"unit"`
		Edges    []Number  `json:"edges"`
		Survival []Number  `json:"survival"`
	}
)

// bagOf describes a bag, which is what remains of a whole one. A model can name its features.
func bagOf(b, whole *core.Bag, model core.ModelInfo) Bag {
	features := b.FeatureNames
	if features == nil && len(model.FeatureNames) == b.Stride() {
		features = model.FeatureNames
	}
	return Bag{b.Name, b.Len(), List(cmp.Or(whole, b).InstanceNames), List(features)}
}

// Scores runs the model on the bag, and reads its scores on the scale of output: prob or logit, nil
// for prob. Another word is a *core.SettingError. Other errors are those of
// onnxbackend.Model.Predict.
func Scores(
	ctx context.Context, in *Input, output *string,
) (p *onnxbackend.Prediction, read core.Reading, err error) {
	if err := checkOutput(output); err != nil {
		return nil, read, err
	}
	if p, err = in.Engine.Predict(ctx, in.Bag); err != nil {
		return nil, read, err
	}
	read, err = Read(p, output)
	return p, read, err
}

// Read reads the scores of a prediction on the scale of output: prob or logit, nil for prob.
func Read(p *onnxbackend.Prediction, output *string) (core.Reading, error) {
	scale := core.OutputProbability
	if output != nil {
		scale = core.Output(*output)
	}
	// The conversion works in place, and the model's own scores are also returned.
	return core.Read(p.Heads, p.Scale, slices.Clone(p.Scores), scale)
}

// Predict runs the model on the bag, see Scores.
func Predict(ctx context.Context, in *Input, output *string) (*Prediction, error) {
	p, read, err := Scores(ctx, in, output)
	if err != nil {
		return nil, err
	}
	notes := slices.Concat(in.Notes, p.Notes)
	info := in.Engine.Info()
	out := &Prediction{
		Model:   Model{info.Name, info.SHA256},
		Bag:     bagOf(in.Bag, in.Whole, info),
		Outputs: map[string]Tensor{},
		Classes: []Class{},
		Curves:  curves(p.Curves),
		Output:  read.Output, Scale: p.Scale, Notes: List(notes),
	}
	out.Units = p.Heads != nil
	if out.Folds, err = FoldsOf(info, p, output); err != nil {
		return nil, err
	}
	for _, o := range p.Outputs {
		out.Outputs[o.Name] = Tensor{List(o.Shape), List(Numbers(o.Data))}
	}
	for i, name := range ClassNames(p.Classes, len(read.Values)) {
		out.Classes = append(out.Classes, Class{name, Number(read.Values[i]), read.Units[i],
			Number(p.Scores[i])})
	}
	return out, nil
}

// curves returns the JSON of survival curves.
func curves(list []onnxbackend.Curve) (out []Curve) {
	for _, c := range list {
		out = append(out, Curve{c.Class, c.Unit, Numbers(c.Edges), Numbers(c.Survival)})
	}
	return out
}
