package engine

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/csvfile"
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/tools/service/jsontext"
	"github.com/bagscope/bagscope/wasm/host"
)

// Answer writes the JSON that the commands explain, sets, pairs, whatif, groups, inside and check
// write.
func (files) Answer(ctx context.Context, q host.Question) ([]byte, error) {
	answer, err := answered(ctx, q)
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	err = jsontext.Write(&text, answer)
	return text.Bytes(), err
}

// WriteCSV returns cells as a CSV file.
func (files) WriteCSV(rows [][]string) ([]byte, error) {
	var file bytes.Buffer
	err := csvfile.Write(&file, rows)
	return file.Bytes(), err
}

// answered decodes a question and returns its answer.
func answered(ctx context.Context, q host.Question) (any, error) {
	in := q.Input
	switch q.Name {
	case "explain":
		var r struct {
			ask.Settings
			Classes    []int    `json:"classes"`    // numbers; absent for all
			Coalitions []string `json:"coalitions"` // replace the sampler, see ask.Plan.ReplaceRows
		}
		if err := decoded(q, &r, &r.Workers); err != nil {
			return nil, err
		}
		r.Indices = r.Classes
		return explained(ctx, q, r.Settings, r.Coalitions)
	case "sets":
		var r struct {
			ask.Ask
			ask.SetsOptions
		}
		if err := decoded(q, &r, &r.Ask.Workers); err != nil {
			return nil, err
		}
		return r.Ask.Sets(ctx, in, r.SetsOptions, q.Progress)
	case "pairs":
		var r struct {
			ask.Ask
			ask.PairsOptions
		}
		if err := decoded(q, &r, &r.Ask.Workers); err != nil {
			return nil, err
		}
		return r.Ask.Pairs(ctx, in, r.PairsOptions, q.Progress)
	case "whatif":
		var r struct {
			ask.Ask
			ask.TurnOptions
		}
		if err := decoded(q, &r, &r.Ask.Workers); err != nil {
			return nil, err
		}
		return r.Ask.Turn(ctx, in, ask.Additions{Donor: q.Donor}, r.TurnOptions, q.Progress)
	case "groups":
		var r struct{ ask.Ask }
		if err := decoded(q, &r, &r.Ask.Workers); err != nil {
			return nil, err
		}
		return r.Ask.Groups(ctx, in, q.Progress)
	case "inside":
		var r struct {
			ask.Ask
			ask.InsideOptions
		}
		if err := decoded(q, &r, &r.Ask.Workers); err != nil {
			return nil, err
		}
		return r.Ask.Inside(ctx, in, r.InsideOptions, q.Progress)
	case "check":
		var r struct {
			ask.Ask
			ask.CheckOptions
		}
		if err := decoded(q, &r, &r.Ask.Workers); err != nil {
			return nil, err
		}
		return r.Ask.Check(ctx, in, r.CheckOptions, q.Progress)
	}
	return nil, wrong("question",
		"%q is unknown; use explain, sets, pairs, whatif, groups, inside or check", q.Name)
}

// explained explains the bag of a question. rows are coalitions that replace the sampler, or nil.
func explained(
	ctx context.Context, q host.Question, settings ask.Settings, rows []string,
) (*ask.Explanation, error) {
	plan, err := settings.Plan()
	if err != nil {
		return nil, err
	}
	if rows != nil {
		if err := plan.ReplaceRows(rows, q.Input.Bag.Len()); err != nil {
			return nil, err
		}
	}
	x, err := plan.Explain(ctx, q.Input, q.Progress)
	if err != nil {
		return nil, err
	}
	return x.JSON(), nil
}

// decoded decodes the request of a question and sets its workers. A value of a wrong type is a
// *core.SettingError.
func decoded(q host.Question, request any, workers *int) error {
	err := jsontext.DecodeStrict(q.Request, request)
	if bad := new(json.UnmarshalTypeError); errors.As(err, &bad) {
		_, name, _ := strings.Cut(bad.Field, ".") // behind that of the embedded struct
		return wrong(cmp.Or(name, bad.Field), "it must not be a %s", bad.Value)
	}
	if err != nil {
		return wrong("request", "%v", err)
	}
	*workers = q.Workers
	return nil
}

// wrong returns a *core.SettingError.
func wrong(setting, format string, args ...any) error {
	return &core.SettingError{Setting: setting, Reason: msg.Sprintf(format, args...)}
}
