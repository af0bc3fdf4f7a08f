package main

import (
	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/tools/answer"
)

// The JSON of a model card, with the keys that a card has in a file; what it does not say is left out.
type (
	cardJSON struct {
		Classes      []string        `json:"classes,omitempty"`
		Negative     *int            `json:"negative,omitempty"`
		Output       core.Scale      `json:"output,omitempty"`
		OutputName   string          `json:"output_name,omitempty"`
		Inherent     string          `json:"inherent,omitempty"`
		InstanceAxis *int            `json:"instance_axis,omitempty"`
		Preprocess   *preprocessJSON `json:"preprocess,omitempty"`
		Patch        *patchJSON      `json:"patch,omitempty"`
		Truth        []truthJSON     `json:"truth,omitempty"`
		Inputs       map[string]any  `json:"inputs,omitempty"`
	}
	preprocessJSON struct {
		Scale answer.Number   `json:"scale"`
		Mean  []answer.Number `json:"mean"`
		Std   []answer.Number `json:"std"`
	}
	patchJSON struct {
		Size       int           `json:"size"`
		Stride     int           `json:"stride"`
		Background answer.Number `json:"background"` // null keeps every patch
	}
	truthJSON struct {
		Support []int `json:"support"`
		Refute  []int `json:"refute"`
	}
)

func newCard(c onnxbackend.Card) cardJSON {
	out := cardJSON{
		Classes: c.Classes, Negative: c.Negative, Output: c.Output, OutputName: c.OutputName,
		Inherent: c.Inherent, InstanceAxis: c.InstanceAxis, Truth: truths(c.Truth),
	}
	if p := c.Preprocess; p != nil {
		out.Preprocess = &preprocessJSON{answer.Number(p.Scale), answer.Numbers(p.Mean), answer.Numbers(p.Std)}
	}
	if p := c.Patch; p != nil {
		out.Patch = &patchJSON{p.Size, p.Stride, answer.Number(p.Background)}
	}
	for _, in := range c.Inputs {
		if out.Inputs == nil {
			out.Inputs = map[string]any{}
		}
		if out.Inputs[in.Name] = any(in.Role); in.Role == "" {
			out.Inputs[in.Name] = answer.Numbers(in.Values)
		}
	}
	return out
}

func truths(truth []core.Truth) []truthJSON {
	out := []truthJSON{}
	for _, t := range truth {
		out = append(out, truthJSON{answer.List(t.Support), answer.List(t.Refute)})
	}
	return out
}
