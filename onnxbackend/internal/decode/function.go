package decode

import "github.com/bagscope/bagscope/onnxbackend/internal/fault"

// A functionKey identifies a model-local function. A node calls the function whose key has its
// domain, operator and overload.
type functionKey struct{ domain, name, overload string }

// function is a FunctionProto: nodes with formal inputs, outputs and attributes. Replacements of
// operators of other domains are functions too.
type function struct {
	key             functionKey
	inputs, outputs []string
	defaults        []Attribute // defaults of formal attributes
	nodes           []Node
	opsets          []Opset
	offset          int
	// defined has the names that the nodes define, if they may read other names of the graph
	// around the call. It is nil for a FunctionProto, which sees its inputs alone.
	defined map[string]bool
}

// function reads a FunctionProto.
func (d *decoder) function(f field) error {
	fn := &function{offset: f.at}
	err := f.fields("model-local function",
		rule{1, text(&fn.key.name)},
		rule{4, texts(&fn.inputs)},
		rule{5, texts(&fn.outputs)},
		rule{7, d.appendNode(&fn.nodes)},
		rule{9, list(&fn.opsets, maxProperties, "operator set imports", opset)},
		rule{10, domain(&fn.key.domain)},
		rule{11, list(&fn.defaults, maxProperties, "default attributes",
			func(f field, a *Attribute) error {
				return d.attribute(f, a, "default attribute of a function", "")
			})},
		rule{13, text(&fn.key.overload)})
	if err != nil {
		return err
	}
	if d.functions[fn.key] != nil {
		return fn.fault("it is defined twice")
	}
	d.functions[fn.key] = fn
	return nil
}

// fault returns an error that names the function.
func (fn *function) fault(reason string) error {
	return &fault.Format{Offset: fn.offset, What: "model-local function " + fn.key.String(),
		Reason: reason}
}

func (k functionKey) String() string { return `"` + k.domain + "." + k.name + `"` }
