package host

import (
	"context"
	"errors"
	"math"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/metric"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/wasm/wire"
)

func (h *Host) explain(ctx context.Context, id uint32, r wire.Explain) (any, error) {
	m, bag, stay, err := h.subject(r.Model, r.Bag, r.Without)
	if err != nil {
		return nil, err
	}
	request, err := request(r, bag.Len(), func(done,
		total int) {
		h.send(id, wire.Progress{Completed: done, Total: total})
	})
	if err != nil {
		return nil, err
	}
	if request.Memory > 0 {
		held, err := m.Needs(ctx, bag)
		if err != nil {
			return nil, err
		}
		info := m.Info()
		if err := request.CheckMemory(held, core.Task{Instances: bag.Len(),
			Classes: max(1, len(info.Classes)), Negative: info.Negative}); err != nil {
			return nil, err
		}
	}
	crew := h.crew(id, r.Helpers, r.Eager)
	defer h.disband(id)
	ev, err := h.bind(ctx, r, m, bag, crew, h.encoding(id, r.Watch))
	if err != nil {
		return nil, err
	}
	w := witness{Bound: ev, host: h, crew: crew}
	if r.Trace {
		w.trace = new([]string)
	}
	answer := core.Explain
	var trust []metric.Trust
	if r.Trust {
		answer = func(ctx context.Context, ev core.Evaluator, q core.Request) (report *core.Report,
			err error) {
			report, trust, err = metric.ExplainWithTrust(ctx, ev, q)
			return report, err
		}
	}
	report, err := answer(ctx, w, request)
	if err != nil {
		return nil, err
	}
	out := explained(report)
	out.Trust = trusted(trust)
	out.Instances = stay
	out.Classes = m.Info().Classes
	if r.Trace {
		out.Coalitions = *w.trace
	}
	return out, nil
}

// subject finds the model and the bag of a request, less the instances that are out, and which of
// them stay.
func (h *Host) subject(model, bag int, out []int) (*onnxbackend.Model, *core.Bag, []int, error) {
	m, err := h.model(model)
	if err != nil {
		return nil, nil, nil, err
	}
	held, err := h.bag(bag)
	if err != nil {
		return nil, nil, nil, err
	}
	rest, stay, err := without(held.bag, out)
	return m, rest, stay, err
}

// request makes the core's request of a message for a bag of k instances.
func request(r wire.Explain, k int, progress func(done, total int)) (core.Request, error) {
	o, err := options(r, k)
	if err != nil {
		return core.Request{}, err
	}
	methods, err := core.NewMethods(r.Methods, o)
	if err != nil {
		return core.Request{}, err
	}
	q := core.Request{Methods: methods, SkipMissing: r.SkipMissing, Memory: int64(r.Memory),
		GameOptions: core.GameOptions{
			Output: core.Output(r.Output), Seed: r.Seed, Budget: r.Budget,
			Workers: 1, // one thread is all that a browser's worker has
		}}
	if r.Classes != nil {
		q.Classes = append([]int{}, *r.Classes...)
	}
	if r.Watch {
		q.Progress = paced(progress)
	}
	return q, nil
}

// options returns the settings of a data set, if one is named, with the message's options over
// them.
func options(r wire.Explain, k int) (core.Options, error) {
	var base core.Options
	if r.Settings != "" {
		s, err := core.Settings(r.Settings)
		if err != nil {
			return base, err
		}
		base = s.Options
	}
	var given []core.Setting
	for _, s := range r.Options {
		given = append(given, core.Setting{Name: optionName(s.Name), Value: s.Value})
	}
	if r.Coalitions != nil {
		z, err := coalitions(*r.Coalitions, k)
		if err != nil {
			return base, err
		}
		given = append(given, core.Setting{Name: "coalitions", Value: z})
	}
	o, err := base.With(given)
	if wrong := new(*core.SettingError); errors.As(err, wrong) {
		(*wrong).Setting = wire.JSOption((*wrong).Setting)
	}
	return o, err
}

// optionName returns the core's name of an option that JavaScript names.
func optionName(js string) string {
	for _, o := range core.MethodOptions() {
		if wire.JSOption(o.Name) == js {
			return o.Name
		}
	}
	return js
}

func explained(r *core.Report) wire.Explained {
	out := wire.Explained{
		Prediction: r.Prediction, Output: string(r.Output),
		Evaluations: r.Evaluations, Seed: r.Seed, Notes: r.Notes,
	}
	for _, e := range r.Explanations {
		x := wire.Explanation{
			Method: e.Method, Class: e.Class, Scores: e.Scores, Unit: string(e.Unit),
			Freedom: e.Freedom, Neutral: e.Neutral, Evident: e.Evident,
			Evaluations: e.Evaluations, Notes: e.Notes,
		}
		for _, s := range e.Settings {
			x.Settings = append(x.Settings, wire.Setting(s))
		}
		if e.StdErr != nil {
			x.Stderr = &e.StdErr
		}
		if !math.IsNaN(e.R2) {
			x.R2 = &e.R2
		}
		out.Explanations = append(out.Explanations, x)
	}
	for _, s := range r.Skipped {
		out.Skipped = append(out.Skipped, wire.Skipped(s))
	}
	return out
}

func trusted(list []metric.Trust) (out []wire.Trust) {
	for _, t := range list {
		x := wire.Trust{
			Method: t.Method, Classes: t.Classes, Beaten: t.Beaten, Correlation: t.Correlation,
			Cuts: t.Cuts, Sentences: t.Sentences,
		}
		for _, row := range t.AOPCR {
			x.Aopcr = append(x.Aopcr, wire.TrustRow(row))
		}
		out = append(out, x)
	}
	return out
}
