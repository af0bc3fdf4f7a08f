package auxinput

import (
	"slices"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/decode"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
	"github.com/bagscope/bagscope/onnxbackend/signature"
)

// withoutTraining returns the card with 0 for each input of which it says nothing and that only
// turns on training, and a note on each.
func withoutTraining(
	g *decode.Graph, card *signature.Card, inputs []*decode.Value,
) (*signature.Card, []string) {
	var notes []string
	own := *card
	own.Inputs = slices.Clone(card.Inputs)
	for _, v := range inputs {
		n, ok := tensor.Count(v.Shape)
		if card.Input(v.Name) != nil || !ok || n != 1 || v.Type.Float() ||
			!onlyTrains(g, v.Name, mostCasts) {
			continue
		}
		own.Inputs = append(own.Inputs, signature.CardInput{Name: v.Name, Values: []float64{0}})
		notes = append(notes, msg.Sprintf("Input %q turns on training, and takes 0.", v.Name))
	}
	return &own, notes
}

// mostCasts bounds the nodes between an input and the layer that it trains.
const mostCasts = 4

// onlyTrains reports whether a value is read as training_mode of Dropout, perhaps behind a Cast,
// and by nothing else.
func onlyTrains(g *decode.Graph, name string, left int) bool {
	if slices.ContainsFunc(g.Outputs, func(v decode.Value) bool { return v.Name == name }) {
		return false
	}
	trains := false
	for _, node := range g.Nodes {
		if slices.ContainsFunc(node.Attributes, func(a decode.Attribute) bool {
			return a.Graph != nil // it could read the value
		}) {
			return false
		}
		for i, in := range node.Inputs {
			switch {
			case in != name:
			case node.Op == "Dropout" && i == 2,
				(node.Op == "Cast" || node.Op == "Identity") && left > 0 &&
					len(node.Outputs) == 1 && onlyTrains(g, node.Outputs[0], left-1):
				trains = true
			default:
				return false
			}
		}
	}
	return trains
}
