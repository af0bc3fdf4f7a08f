package host

import (
	"context"
	"errors"
	"math"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/metric"
	"github.com/bagscope/bagscope/wasm/wire"
)

// explain explains a bag. The memory is estimated before the bag is encoded, because the program
// ends if it uses more than a 32-bit memory has.
func (h *Host) explain(ctx context.Context, id uint32, r wire.Explain) (any, error) {
	m, bag, indices, err := h.subject(r.Model, r.Bag, r.Without)
	if err != nil {
		return nil, err
	}
	request, err := h.request(r, bag.Len(), func(done, total int) {
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
	helpers := h.helpers(id, r.Helpers, r.Eager)
	defer h.closePool(id)
	var trace *[]string
	request.Workers = h.workers(m)
	if r.Trace {
		trace = new([]string)
		request.Workers = 1 // a trace has the order of the evaluations
	}
	w, err := h.evaluator(ctx, id, r, m, bag, helpers, trace)
	if err != nil {
		return nil, err
	}
	var report *core.Report
	var trust []metric.Trust
	if r.Trust {
		report, trust, err = metric.ExplainWithTrust(ctx, w, request)
	} else {
		report, err = core.Explain(ctx, w, request)
	}
	if err != nil {
		return nil, err
	}
	out := explained(report)
	info := m.Info()
	out.Trust, out.Instances, out.Classes = listOf(trust, trustOf), indices, info.Classes
	out.ModelNotes = info.Notes
	if r.Trace {
		out.Coalitions = *trace
	}
	return out, nil
}

// subject returns the model of a request, its bag without the removed instances, and the indices of
// the remaining instances.
func (h *Host) subject(
	model, bag int, removed []int,
) (servedModel, *core.Bag, []int, error) {
	m, err := find[servedModel](&h.handles, model, "model")
	if err != nil {
		return nil, nil, nil, err
	}
	held, err := h.bag(bag)
	if err != nil {
		return nil, nil, nil, err
	}
	rest, indices, err := without(held.bag, removed)
	return m, rest, indices, err
}

// request returns the core's request for a message about a bag of k instances. An invalid option is
// a *core.SettingError with the name that JavaScript uses.
func (h *Host) request(r wire.Explain, k int, progress func(done, total int)) (core.Request, error) {
	o, err := h.options(r, k)
	if err != nil {
		return core.Request{}, err
	}
	methods, err := core.NewMethods(r.Methods, o)
	if err != nil {
		return core.Request{}, err
	}
	// The limits and the seed are those of the message.
	q := core.Request{Methods: methods, SkipMissing: r.SkipMissing, Memory: int64(r.Memory),
		GameOptions: core.GameOptions{
			Output: core.Output(r.Output), Seed: r.Seed, Budget: r.Budget,
		}}
	// An empty list explains no class, and nil explains all.
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
func (h *Host) options(r wire.Explain, k int) (core.Options, error) {
	var base core.Options
	if r.Settings != "" {
		s, err := core.Settings(r.Settings)
		if err != nil {
			return base, err
		}
		base = s.Options
	}
	given := listOf(r.Options, func(s wire.Setting) core.Setting {
		return core.Setting{Name: h.optionName(s.Name), Value: s.Value}
	})
	if r.Coalitions != nil {
		z, err := coalitions(*r.Coalitions, k)
		if err != nil {
			return base, err
		}
		given = append(given, core.Setting{Name: "coalitions", Value: z})
	}
	// Options that were given override those of the data set.
	o, err := base.With(given)
	if wrong := new(*core.SettingError); errors.As(err, wrong) {
		(*wrong).Setting = h.config.Program.Option((*wrong).Setting)
	}
	return o, err
}

// optionName returns the core's name of an option that the client names.
func (h *Host) optionName(name string) string {
	// The table of options is small, so that a search is fast enough.
	for _, o := range core.MethodOptions() {
		if h.config.Program.Option(o.Name) == name {
			return o.Name
		}
	}
	return name
}

// explained returns a report for JavaScript.
func explained(r *core.Report) wire.Explained {
	return wire.Explained{
		Prediction: r.Prediction, Output: string(r.Output),
		Units:        listOf(r.Units, func(u core.Unit) string { return string(u) }),
		Explanations: listOf(r.Explanations, explanationOf),
		Skipped: listOf(r.Skipped, func(s core.Skipped) wire.Skipped {
			return wire.Skipped(
				s)
		}),
		Evaluations: r.Evaluations, Seed: r.Seed, Notes: r.Notes,
	}
}

// explanationOf returns an explanation for JavaScript. Missing standard errors and a missing R²
// are absent, because a number in a message cannot say that it is missing.
func explanationOf(e core.Explanation) wire.Explanation {
	out := wire.Explanation{
		Method: e.Method, Class: e.Class, Scores: e.Scores, Unit: string(e.Unit),
		Freedom: e.Freedom, Neutral: e.Neutral, Evident: e.Evident,
		Evaluations: e.Evaluations, Notes: e.Notes,
		Settings: listOf(e.Settings, func(s core.Setting) wire.Setting { return wire.Setting(s) }),
	}
	if e.StdErr != nil {
		out.Stderr = &e.StdErr
	}
	if !math.IsNaN(e.R2) {
		out.R2 = &e.R2
	}
	return out
}

// trustOf returns the trust in a method for JavaScript.
func trustOf(t metric.Trust) wire.Trust {
	return wire.Trust{
		Method: t.Method, Classes: t.Classes, Beaten: t.Beaten, Correlation: t.Correlation,
		Cuts: t.Cuts, Sentences: t.Sentences,
		Aopcr: listOf(t.AOPCR, func(row metric.TrustRow) wire.TrustRow {
			return wire.TrustRow(row)
		}),
	}
}
