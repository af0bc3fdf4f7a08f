package ops

// Inputs of a recurrent layer that have a value for each sequence of the batch.
const (
	lengthsInput = 4 // sequence_lens, (batch)
	hiddenInput  = 5 // initial_h
	cellInput    = 6 // initial_c, of LSTM alone
)

// recurrentRule keeps instances apart that are the batch of a recurrent layer: the layer then runs
// over another axis, such as the time inside of each instance. Instances along the time axis are
// mixed.
func recurrentRule(n *Node, k int, in, out []Place) {
	batch, sequences := 1, 2 // axes of the batch in X and in states, and in Y
	if n.Int("layout", 0) == 1 {
		batch, sequences = 0, 0
	}
	if in[0].Class != Instance || in[0].Axis != batch {
		return
	}
	for i, p := range in {
		switch {
		case i == 0 || p.Class == Constant && p.Shape == nil: // X, and inputs that are omitted
		case i == lengthsInput && p.Class == Instance && p.Axis == 0:
		case i == hiddenInput || i == cellInput && n.Op == "LSTM":
			if p.Class != Instance || p.Axis != batch {
				return
			}
		case i == lengthsInput || p.Class != Constant:
			return
		}
	}
	out[0].keep(sequences, k)
	for i := range out[1:] {
		out[1+i].keep(batch, k)
	}
}

// attentionRule keeps instances apart that are the batch of queries, keys and values. A mask may
// not depend on the bag, and earlier places are not followed.
func attentionRule(_ *Node, k int, in, out []Place) {
	for i, p := range in {
		switch {
		case i < 3 && (p.Class != Instance || p.Axis != 0), i == 3 &&
			(p.Class != Constant || len(p.Shape) > 3), i > 3 && p.Shape != nil:
			return
		}
	}
	for i := range out {
		out[i].keep(0, k)
	}
}
