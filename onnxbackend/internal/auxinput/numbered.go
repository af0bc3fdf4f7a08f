package auxinput

import (
	"slices"
	"strings"

	"github.com/bagscope/bagscope/onnxbackend/internal/decode"
	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
)

// checkNumbered rejects a model with one input for each instance, such as input_1 to input_3 of
// Keras' example of multiple-instance learning. It takes no fewer instances, so that no coalition
// can be scored. Its inputs differ in their numbers alone, and their open axis is a batch of bags:
// each output has a row for each place along it.
func (s *resolver) checkNumbered(parts []*decode.Value) error {
	axes := map[string]int{}
	for _, p := range parts {
		axis, open := s.axisOf(p)
		if s.card.Input(p.Name) != nil || len(open) != 1 ||
			withoutNumber(p.Name) != withoutNumber(parts[0].Name) ||
			!slices.Equal(p.Shape, parts[0].Shape) {
			return nil
		}
		axes[p.Name] = axis
	}
	few, more := s.along(parts, axes, 4), s.along(parts, axes, 7)
	for i, t := range few {
		if i >= len(more) || slices.Equal(t.Shape, more[i].Shape) {
			return nil
		}
	}
	if len(few) == 0 {
		return nil
	}
	return fault.Unsupportedf("graph inputs "+inputNames(parts[:1])+" to "+
		inputNames(parts[len(parts)-1:]),
		"they are one input for each of %d instances, and axis %d of each holds a batch of "+
			"bags, so that no instance can be left out; build the model with one input of "+
			"shape (batch, instances, ...) that leaves the instances open, apply the layers of "+
			"an instance to each of them (in Keras by TimeDistributed), and pool along that "+
			"axis; the weights stay the same",
		len(parts), axes[parts[0].Name])
}

// withoutNumber returns a name without the digits at its end.
func withoutNumber(name string) string { return strings.TrimRight(name, "0123456789") }
