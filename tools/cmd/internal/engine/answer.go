package engine

import (
	"bytes"
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

// Answer writes the JSON that the command of this name writes: explain, or a what-if.
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
	if q.Name == "explain" {
		return explained(ctx, q)
	}
	w, ok := ask.FindWhatIf(q.Name)
	if !ok {
		names := ask.ListOf(ask.WhatIfs(), func(w ask.WhatIf) string { return w.Name })
		last := len(names) - 1
		return nil, wrong("question", "%q is unknown; use explain, %s or %s", q.Name,
			strings.Join(names[:last], ", "), names[last])
	}
	one := w.New()
	if err := decode(q.Request, &one.Ask, one.Options); err != nil {
		return nil, err
	}
	one.Workers = q.Workers
	return one.Answer(ctx, q.Input, q.Progress)
}

// explained explains the bag of a question.
func explained(ctx context.Context, q host.Question) (*ask.Explanation, error) {
	var settings ask.Settings
	var more struct {
		Classes    []int    `json:"classes"`    // numbers; absent for all
		Coalitions []string `json:"coalitions"` // replace the sampler, see ask.Plan.ReplaceRows
	}
	if err := decode(q.Request, &settings, &more); err != nil {
		return nil, err
	}
	settings.Indices, settings.Workers = more.Classes, q.Workers
	plan, err := settings.Plan()
	if err != nil {
		return nil, err
	}
	if more.Coalitions != nil {
		if err := plan.ReplaceRows(more.Coalitions, q.Input.Bag.Len()); err != nil {
			return nil, err
		}
	}
	plan.Slow = q.Slow
	x, err := plan.Explain(ctx, q.Input, q.Progress)
	if err != nil {
		return nil, err
	}
	return x.JSON(), nil
}

// decode decodes a request into structs. A value of a wrong type is a *core.SettingError.
func decode(request []byte, to ...any) error {
	err := jsontext.DecodeStrict(request, to...)
	if bad := new(json.UnmarshalTypeError); errors.As(err, &bad) {
		return wrong(bad.Field, "it must not be a %s", bad.Value)
	}
	if err != nil {
		return wrong("request", "%v", err)
	}
	return nil
}

// wrong returns a *core.SettingError.
func wrong(setting, format string, args ...any) error {
	return &core.SettingError{Setting: setting, Reason: msg.Sprintf(format, args...)}
}
