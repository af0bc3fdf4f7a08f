package onnxbackend

// A PassInfo says what one rewriting pass did to a model's graph.
type PassInfo struct {
	Name    string   // such as "activation"
	About   string   // what the pass does, in words
	Changes []string // a phrase for each node that it took out
}

// Passes returns what each pass did, in the order in which they ran; nil with Options.Plain.
func (m *Model) Passes() []PassInfo { return m.passes }
