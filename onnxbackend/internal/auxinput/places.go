package auxinput

import (
	"slices"
	"strings"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/decode"
	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
	"github.com/bagscope/bagscope/onnxbackend/signature"
)

// placeNames are parts of the usual names of inputs that take coordinates.
var placeNames = []string{"coord", "pos", "loc", "xy", "place", "point", "centroid"}

// findPlaces notes that a part of every instance takes its coordinates: the card says so, or else
// it has two values and a usual name. from is the number of its first value. The error is a
// *fault.Format for a part of the card that has not two values, or a second one.
func (s *resolver) findPlaces(p *decode.Value, values, from int) error {
	c := s.card.Input(p.Name)
	stated := c != nil && c.Role == signature.RolePlaces
	name := strings.ToLower(p.Name)
	called := values == 2 && slices.ContainsFunc(placeNames, func(part string) bool {
		return strings.Contains(name, part)
	})
	switch {
	case stated && values != 2:
		return fault.Formatf("model card", `key "inputs": input %q takes %d values of each `+
			`instance, and places are 2, x and y`, p.Name, values)
	case !stated && (!called || s.places != nil):
		return nil
	}
	if s.places != nil {
		if before := s.card.Input(s.places.Input); before != nil &&
			before.Role == signature.RolePlaces {
			return fault.Formatf("model card", `key "inputs": both %q and %q take places`,
				s.places.Input, p.Name)
		}
	}
	s.places = &core.PlaceValues{Input: p.Name, From: from}
	s.notes = append(s.notes, msg.Sprintf("Input %q takes the coordinates of each instance: they "+
		"may be in a file beside the features.", p.Name))
	return nil
}
