package server

import (
	"maps"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/ask"
)

// compared holds the keys that say what the vector that a model returns is compared with.
type compared struct {
	Target   map[string][]float64 `json:"target"` // vectors by their names
	Likeness string               `json:"likeness"`
}

// toward returns the model toward the target of a request, or the model itself without one.
func (c *compared) toward(e ask.Engine) (ask.Engine, error) {
	if c.Target == nil && c.Likeness == "" {
		return e, nil
	}
	m, ok := e.(*onnxbackend.Model)
	if !ok {
		return nil, &core.SettingError{Setting: "target",
			Reason: "needs a model file, and this model runs on a server"}
	}
	t := onnxbackend.Target{Names: slices.Sorted(maps.Keys(c.Target)),
		Likeness: onnxbackend.Likeness(c.Likeness)}
	for _, name := range t.Names {
		t.Vectors = append(t.Vectors, c.Target[name])
	}
	return m.Toward(t)
}
