package ask

import (
	"context"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/msg"
)

// An Ask holds what all what-ifs have in common. The keys correspond to the flags of the command
// line.
type Ask struct {
	Class   *string `json:"class"`  // name or number of a class; default the predicted one
	Index   *int    `json:"-"`      // number of a class, instead of Class
	Output  *string `json:"output"` // prob or logit
	Seed    uint64  `json:"seed"`
	Budget  int     `json:"budget"` // most model evaluations, 0 for no limit
	Workers int     `json:"-"`
}

// Answered is what all answers to what-ifs have in common. Instances have their numbers in the
// bag.
type Answered struct {
	Version int      `json:"version"` // version of the answer's form, 1
	Model   Model    `json:"model"`   // name, and SHA-256 of the file
	Bag     Bag      `json:"bag"`     // name, and number of instances not removed
	Classes []string `json:"classes"` // class names
	Class   int      `json:"class"`   // class of the question
	// "mixed" if the heads of the model have different ones.
	Output      core.Output `json:"output"`
	Units       []core.Unit `json:"units"`       // unit of each class of the prediction
	Prediction  []Number    `json:"prediction"`  // prediction for each class
	Evaluations int         `json:"evaluations"` // number of coalitions that the model scored
	// Seed is at most 2^64 - 1. JavaScript needs a bigint beyond 2^53 - 1.
	Seed  uint64   `json:"seed"`
	Notes []string `json:"notes"`
}

// A classGame is the game of a bag, with the class of a question.
type classGame struct {
	*core.Game
	class  int
	answer Answered
}

// ask binds the bag of an input and finds the class. members are the instances of the bag, nil for
// all of the input. Errors are those of onnxbackend.Model.Bind, and *core.SettingError.
func (a *Ask) ask(
	ctx context.Context, in *Input, members []int, progress func(done, total int),
) (*classGame, error) {
	s := Settings{Output: a.Output, Budget: a.Budget, Workers: a.Workers, Class: a.Class}
	if a.Index != nil {
		s.Indices = []int{*a.Index}
	}
	if err := checkOutput(a.Output); err != nil {
		return nil, err
	}
	if err := s.checkNumbers(); err != nil {
		return nil, err
	}
	ev, err := in.Engine.Bind(ctx, in.Bag)
	if err != nil {
		return nil, err
	}
	g, err := core.NewGame(ev, a.game(progress))
	if err != nil {
		return nil, err
	}
	info := in.Engine.Info()
	if err := s.checkTarget(info); err != nil {
		return nil, err
	}
	out := &classGame{Game: g, answer: Answered{Version: Version,
		Model: Model{info.Name, info.SHA256}, Bag: bagOf(in.Bag, in.Whole, info),
		Classes: ClassNames(info.Classes, g.Classes()), Output: g.Output(), Units: g.Units(),
		Seed: a.Seed, Notes: notesOf(info, in, ev),
	}}
	z := core.NewCoalitions(g.Instances(), 1)
	if members == nil {
		z.AppendWithout()
	} else {
		z.AppendMembers(members...)
		out.answer.Bag.Instances = len(members)
	}
	prediction, err := g.Values(ctx, z)
	if err != nil {
		return nil, err
	}
	out.answer.Prediction = Numbers(prediction)
	out.class, err = a.classOf(out, prediction)
	out.answer.Class = out.class
	return out, err
}

// game returns the options of a game.
func (a *Ask) game(progress func(done, total int)) core.GameOptions {
	return core.GameOptions{Output: core.Output(given(a.Output)), Seed: a.Seed, Budget: a.Budget,
		Workers: a.Workers, Progress: progress}
}

// classOf returns the class of the question: by default the largest of the first head.
func (a *Ask) classOf(of *classGame, prediction []float64) (int, error) {
	if a.Index != nil {
		if n := len(of.answer.Classes); *a.Index < 0 || *a.Index >= n {
			return 0, wrong("class", "the model has no class %d, only 0 to %d", *a.Index, n-1)
		}
		return *a.Index, nil
	}
	if a.Class != nil {
		return FindClass(of.answer.Classes, *a.Class)
	}
	first, end := of.Range(0)
	largest := slices.Max(prediction[first:end])
	return first + slices.Index(prediction[first:end], largest), nil
}

// notesOf returns the notes on the bag and the model, each once.
func notesOf(info core.ModelInfo, in *Input, ev core.Evaluator) []string {
	all := slices.Concat(in.Notes, info.Notes)
	if n, ok := ev.(core.Noter); ok {
		all = append(all, n.Notes()...)
	}
	named, values := len(info.FeatureNames), in.Bag.Stride()
	if named > 0 && named != values && in.Bag.FeatureNames == nil {
		all = append(all, msg.Sprintf("the model card names %d features, and an instance has %d "+
			"values: the names are not used", named, values))
	}
	out := []string{}
	for _, n := range all {
		if !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

// end completes an answer.
func (a *classGame) end(notes ...string) Answered {
	a.Finish()
	a.answer.Evaluations = a.Evaluations()
	a.answer.Notes = append(a.answer.Notes, notes...)
	a.answer.Notes = append(a.answer.Notes, a.LeftOut().Notes()...)
	return a.answer
}

// checkOptions returns a *core.SettingError for the first option in the struct to which of points
// whose value is not allowed.
func checkOptions(of any, declared []core.Option) error {
	for _, f := range fieldsOf(of, declared) {
		if value, ok := f.value(); ok {
			if err := f.Option.Check(value); err != nil {
				return keyed(err)
			}
		}
	}
	return nil
}

// given returns the value of an option, or else that of its type that stands for the default.
func given[T any](option *T) (value T) {
	if option != nil {
		value = *option
	}
	return value
}
