package ask

import (
	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/onnxbackend"
)

// The JSON of a model card, with the keys of a card file. Absent values are omitted.
type (
	// Card is onnxbackend.Card. Inputs maps auxiliary inputs to their role or their values.
	Card struct {
		Classes      []string       `json:"classes,omitempty"`
		Negative     *int           `json:"negative,omitempty"`
		Output       any            `json:"output,omitempty"` // a core.Scale or an *Answer
		OutputName   string         `json:"output_name,omitempty"`
		Pool         string         `json:"pool,omitempty"`
		Inherent     string         `json:"inherent,omitempty"`
		InstanceAxis *int           `json:"instance_axis,omitempty"`
		Preprocess   *Preprocess    `json:"preprocess,omitempty"`
		Patch        *Patch         `json:"patch,omitempty"`
		Encoder      string         `json:"encoder,omitempty"`
		Via          string         `json:"via,omitempty"`
		ViaOutput    string         `json:"via_output,omitempty"`
		Likeness     string         `json:"likeness,omitempty"`
		Truth        []Truth        `json:"truth,omitempty"`
		Inputs       map[string]any `json:"inputs,omitempty"`
		Adjacency    string         `json:"adjacency,omitempty"`
		SlideMPP     Number         `json:"slide_mpp,omitempty"`
		SliceAxes    string         `json:"slice_axes,omitempty"`
		Window       string         `json:"window,omitempty"`
		Spacing      string         `json:"spacing,omitempty"`
		Neighbours   int            `json:"neighbours,omitempty"`
		Columns      string         `json:"columns,omitempty"`
		Instance     string         `json:"instance,omitempty"`
		Features     []string       `json:"feature_names,omitempty"`
	}
	// Answer is onnxbackend.Answer: an object as the card's output.
	Answer struct {
		Kind       core.Kind  `json:"kind"`
		Name       string     `json:"name,omitempty"`
		Scale      core.Scale `json:"scale,omitempty"`
		Unit       string     `json:"unit,omitempty"`
		Edges      []Number   `json:"edges,omitempty"`
		Values     []Number   `json:"values,omitempty"`
		Classes    []string   `json:"classes,omitempty"`
		Negative   *int       `json:"negative,omitempty"`
		OutputName string     `json:"output_name,omitempty"`
		Heads      []Answer   `json:"heads,omitempty"`
	}
	// Preprocess scales pixels and then normalizes each channel.
	Preprocess struct {
		Scale Number   `json:"scale"`
		Mean  []Number `json:"mean"`
		Std   []Number `json:"std"`
	}
	// Patch states how a picture is cut, in pixels.
	Patch struct {
		Size       int    `json:"size"`
		Stride     int    `json:"stride"`
		Background Number `json:"background"` // null keeps every patch
		MPP        Number `json:"mpp,omitempty"`
	}
	// Truth lists the instance labels that support and refute a class.
	Truth struct {
		Support []int `json:"support"`
		Refute  []int `json:"refute"`
	}
)

// NewCard returns the JSON of a card.
func NewCard(c onnxbackend.Card) Card {
	out := Card{
		Classes: c.Classes, Negative: c.Negative, OutputName: c.OutputName, Pool: c.Pool,
		Inherent: c.Inherent, Encoder: c.Encoder, Via: c.Via,
		ViaOutput: c.ViaOutput, Likeness: string(c.Likeness), InstanceAxis: c.InstanceAxis,
		Truth: Truths(c.Truth), SlideMPP: Number(c.SlideMPP), SliceAxes: c.SliceAxes.String(),
		Window: c.Window.String(), Spacing: c.Spacing.String(), Neighbours: c.Neighbours,
		Columns: c.Columns.String(), Instance: c.Noun.String(), Features: c.Features,
	}
	switch {
	case c.Answer != nil:
		out.Output = answer(*c.Answer)
	case c.Output != "":
		out.Output = c.Output
	}
	if p := c.Preprocess; p != nil {
		out.Preprocess = &Preprocess{Number(p.Scale), Numbers(p.Mean), Numbers(p.Std)}
	}
	if p := c.Patch; p != nil {
		out.Patch = &Patch{p.Size, p.Stride, Number(p.Background), Number(p.Microns)}
	}
	if c.Adjacency != nil {
		out.Adjacency = c.Adjacency.String()
	}
	for _, in := range c.Inputs {
		if out.Inputs == nil {
			out.Inputs = map[string]any{}
		}
		// An input has either a role, such as mask, or constant values.
		if out.Inputs[in.Name] = any(in.Role); in.Role == "" {
			out.Inputs[in.Name] = Numbers(in.Values)
		}
	}
	return out
}

// answer returns the JSON of an answer.
func answer(a onnxbackend.Answer) Answer {
	out := Answer{Kind: a.Kind, Name: a.Name, Scale: a.Scale, Unit: a.Unit,
		Edges: Numbers(a.Edges), Values: Numbers(a.Values), Classes: a.Classes,
		Negative: a.Negative, OutputName: a.OutputName}
	if a.Kind == core.KindRegression { // it has no other scale
		out.Scale = ""
	}
	for _, h := range a.Heads {
		out.Heads = append(out.Heads, answer(h))
	}
	return out
}

// Truths returns the JSON of a truth table.
func Truths(truth []core.Truth) []Truth {
	return ListOf(truth, func(t core.Truth) Truth { return Truth{List(t.Support), List(t.Refute)} })
}

// CardOf returns the JSON of a card, completed with the properties that were determined for the
// model, for clients that only see the inputs and outputs.
func CardOf(info core.ModelInfo, c onnxbackend.Card) Card {
	out := NewCard(c)
	out.Inputs, out.Pool = nil, "" // auxiliary inputs and scores of instances are not served
	// One head of classes without a name is that of percentages, which no card states.
	unstated := len(info.Heads) == 1 && info.Heads[0].Kind == core.KindClasses &&
		info.Heads[0].Name == ""
	if info.Output != "" && (info.Heads == nil || unstated) {
		out.Classes, out.Negative, out.Output, out.OutputName = info.Classes, &info.Negative,
			info.Scale, info.Output
	}
	return out
}
