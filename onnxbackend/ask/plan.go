package ask

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/core/metric"
	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/core/whatif"
)

// A Plan is a set of validated settings with their methods. It does not depend on a bag.
type Plan struct {
	Methods []core.Method
	// SkipMissing lists methods that the model does not support in the report. Without it they are
	// an error.
	SkipMissing bool
	// Slow is called at most once by Explain, with a sentence that says how long the work is
	// expected to take if that is more than 10 s, and what would be quicker. Nil is not called.
	Slow     func(sentence string)
	now      func() time.Time // the clock
	settings *Settings
	options  methods.Options
	data     methods.DataSettings
}

// Plan validates the settings and creates the methods. An invalid setting is a *core.SettingError.
func (s *Settings) Plan() (*Plan, error) {
	given := s.Given()
	options, data, err := s.resolve(methods.DataSettings{}, given)
	if err != nil {
		return nil, err
	}
	p := &Plan{settings: s, options: options, data: data, SkipMissing: s.All(), now: time.Now}
	if err := p.make(); err != nil {
		return nil, err
	}
	return p, p.checkUse(given)
}

// checkUse returns an error if an option was given that none of the methods has.
func (p *Plan) checkUse(given []core.Setting) error {
	for _, setting := range given {
		if p.takes(setting.Name) {
			continue
		}
		names, o := ListOf(p.Methods, core.Method.Name), option(setting.Name)
		return wrong(o.Key(), "has no effect on %s; choose a method that takes it: %s",
			strings.Join(names, ", "), strings.Join(o.Methods, ", "))
	}
	return nil
}

// takes reports whether any of the methods has an option.
func (p *Plan) takes(option string) bool {
	table := methods.All()
	return slices.ContainsFunc(p.Methods, func(m core.Method) bool {
		at := slices.IndexFunc(table, func(row methods.Info) bool {
			return row.Name == m.Name()
		})
		return at >= 0 && slices.Contains(table[at].Options, option)
	})
}

// make creates the methods with the current options.
func (p *Plan) make() (err error) {
	names := p.settings.Methods
	if names == nil {
		names = []string{methods.Default} // the default of most models, see Explain
	}
	p.Methods, err = methods.New(names, p.options)
	return err
}

// Samples reports whether any of the methods samples coalitions.
func (p *Plan) Samples() bool { return p.takes("coalitions") }

// Replace makes the methods use the given coalitions instead of their samplers.
func (p *Plan) Replace(z *core.Coalitions) error {
	p.options.Coalitions = z
	return p.make()
}

// Explain binds the bag and explains it. It calls progress, unless it is nil, with the number of
// evaluations, never concurrently. Errors are those of onnxbackend.Model.Bind and core.Explain.
func (p *Plan) Explain(
	ctx context.Context, in *Input, progress func(done, total int),
) (*Explained, error) {
	s := p.settings
	request := core.Request{
		Methods: p.Methods, SkipMissing: p.SkipMissing,
		Memory: int64(s.Memory)*1e6 + int64(s.Bytes),
		GameOptions: core.GameOptions{Seed: s.Seed, Budget: s.Budget, Workers: s.Workers,
			Progress: progress},
	}
	if s.Output != nil {
		request.Output = core.Output(*s.Output)
	}
	references, err := in.references(s.Reference)
	if err == nil {
		err = s.checkTarget(in.Engine.Info())
	}
	if err != nil {
		return nil, err
	}
	if request.Memory > 0 {
		// The memory is estimated before the bag is encoded.
		held, err := in.Engine.Needs(ctx, in.Bag)
		if err != nil {
			return nil, err
		}
		info := in.Engine.Info()
		if err := request.CheckMemory(held, core.Task{Instances: in.Bag.Len(),
			Classes: max(1, len(info.Classes)), Negative: info.Negative}); err != nil {
			return nil, err
		}
	}
	ev, err := in.Engine.Bind(ctx, in.Bag)
	if err != nil {
		return nil, err
	}
	apart := core.Apart(ev) // it also scores the models of an ensemble
	x := &Explained{Input: in, Model: in.Engine.Info(), Evaluator: ev}
	if err := s.checkTarget(x.Model); err != nil { // known by the bag
		return nil, err
	}
	// The bound bag determines the number of classes of some models.
	x.Classes = ClassNames(x.Model.Classes, ev.Task().Classes)
	if request.Classes, err = s.Classes(x.Classes, p.data, in.Bag); err != nil {
		return nil, err
	}
	memory := quota.MemoryOf(ctx)
	if err := memory.Reserve(request.Needs(apart.Task()), "an explanation"); err != nil {
		return nil, err
	}
	classes := len(request.Classes)
	if request.Classes == nil {
		classes = ev.Task().Classes
	}
	near, ok := ev.(core.NeighbourEvaluator)
	of := *p
	name, note := methods.DefaultFor(ev.Task())
	if s.Methods != nil {
		note = ""
	} else if name != methods.Default {
		if of.Methods, err = methods.New([]string{name}, p.options); err != nil {
			return nil, err
		}
		request.Methods = of.Methods
	}
	request.Progress = wait{&of, ev.Task(), classes, ok && near.HasNeighbours()}.
		announced(progress)
	g, err := core.NewGame(apart, request.GameOptions)
	if err != nil {
		return nil, err
	}
	if err := x.addCovariates(ctx, g, references); err != nil {
		return nil, err
	}
	request.Later = whatif.GroundsEvaluations(g.Instances()) + mostMissed*len(request.Methods)
	if s.Trust {
		x.Report, x.Trust, err = metric.ExplainWithTrust(ctx, g, request)
	} else {
		x.Report, err = g.Explain(ctx, request)
	}
	if err != nil {
		return x, err
	}
	if err := x.summarise(ctx, g); err != nil {
		return x, err
	}
	x.Report.Evaluations = g.Evaluations()
	g.Finish()
	if note != "" {
		x.Report.Notes = slices.Insert(x.Report.Notes, 0, note)
	}
	return x, nil
}
