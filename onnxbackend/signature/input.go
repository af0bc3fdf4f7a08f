package signature

import (
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// An Input is the graph input that takes the bag.
type Input struct {
	graph.Port
	Axis  int      // axis of the instances, if known
	Notes []string // what was assumed, in sentences
	// ChannelsLast says that the file's input takes pictures (row, column, channel), although Shape
	// has their channels first.
	ChannelsLast bool

	dynamic []int // axes whose length the file leaves open
	fixed   bool  // the card names the axis, or runs have shown it
}

// FindInput returns the first of the inputs, which have no default, with its axis of instances. An
// axis that is not nil was found with the auxiliary inputs. Errors are a *fault.Unsupported if the
// input cannot take a bag, and a *fault.Format if the card contradicts it.
func FindInput(inputs []graph.Port, card *Card, axis *int) (Input, error) {
	var in Input
	if len(inputs) == 0 {
		return in, fault.Unsupportedf("graph",
			"it has no input for a bag; every input has an initializer")
	}
	in.Port = inputs[0]
	if t := in.Type.Runtime(); t.Size() == 0 || t == tensor.Bool {
		return in, fault.Unsupportedf(msg.Sprintf("input %q", in.Name),
			"it is of %v, and a bag holds numbers", in.Type)
	}
	for i, d := range in.Shape {
		if d < 0 {
			in.dynamic = append(in.dynamic, i)
		}
	}
	return in, in.findAxis(card, axis)
}

// findAxis finds the axis of instances by the card and the declared shape.
func (in *Input) findAxis(card *Card, axis *int) error {
	if a := card.InstanceAxis; a != nil {
		return in.setAxis(*a)
	}
	switch {
	case axis != nil:
		in.Axis, in.fixed = *axis, true
		return nil
	case in.Shape == nil:
		in.Notes = append(in.Notes, msg.Sprintf("The file does not declare the shape of input %q: "+
			"instances are taken to lie along its first axis.", in.Name))
	case len(in.dynamic) == 0:
		return StaticError(&in.Value)
	case in.batched():
		in.Axis = 1
	default:
		in.Axis = in.dynamic[0]
	}
	if len(in.dynamic) > 1 {
		in.Notes = append(in.Notes, msg.Sprintf(
			"Input %q has several open axes %s: which one holds the instances is decided by the "+
				"shape of a bag's instances, or by \"instance_axis\" in the model card.",
			in.Name, ShapeText(&in.Value)))
	}
	return nil
}

// setAxis sets the axis that the card states, which may be negative: -1 is the last. Errors are
// those of FindInput.
func (in *Input) setAxis(axis int) error {
	in.fixed, in.Axis = true, axis
	if in.Shape == nil && axis == 0 {
		return nil
	}
	var ok bool
	if in.Axis, ok = tensor.Axis(axis, len(in.Shape)); !ok {
		return fault.Formatf("model card",
			"key \"instance_axis\": input %q of shape %s has no axis %d",
			in.Name, ShapeText(&in.Value), axis)
	}
	if in.Shape[in.Axis] >= 0 && len(in.dynamic) > 0 {
		return fault.Formatf("model card", "key \"instance_axis\": axis %d of input %q of shape "+
			"%s has a fixed length; name an open axis by \"instance_axis\": %d", in.Axis, in.Name,
			ShapeText(&in.Value), in.dynamic[0])
	}
	if in.Shape[in.Axis] >= 0 {
		return StaticError(&in.Value)
	}
	return nil
}

// batched reports whether the first of several open axes is named as a batch of bags.
func (in *Input) batched() bool { return batched(&in.Value, in.dynamic) }
