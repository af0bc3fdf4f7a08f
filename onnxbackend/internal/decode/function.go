package decode

import "github.com/bagscope/bagscope/onnxbackend/internal/fault"

// A functionKey is what a node names a model-local function by.
type functionKey struct{ domain, name, overload string }

// function is a FunctionProto: nodes with formal inputs, outputs and attributes.
type function struct {
	key             functionKey
	inputs, outputs []string
	defaults        []Attribute // of formal attributes that have any
	nodes           []Node
	opsets          []Opset
	offset          int
}

func (d *decoder) function(f field) error {
	fn := &function{offset: f.at}
	s, err := f.sub("model-local function")
	if err != nil {
		return err
	}
	err = s.each(func(f field) error {
		switch f.number {
		case 1:
			return f.text(&fn.key.name)
		case 4:
			return f.texts(&fn.inputs)
		case 5:
			return f.texts(&fn.outputs)
		case 7:
			return d.addNode(f, &fn.nodes)
		case 9:
			return opset(f, &fn.opsets)
		case 10:
			err := f.text(&fn.key.domain)
			fn.key.domain = plainDomain(fn.key.domain)
			return err
		case 11:
			var a Attribute
			err := d.attribute(f, &a, "default attribute of a function")
			fn.defaults = append(fn.defaults, a)
			return err
		case 13:
			return f.text(&fn.key.overload)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if d.functions == nil {
		d.functions = map[functionKey]*function{}
	}
	if d.functions[fn.key] != nil {
		return fn.fault("it is defined twice")
	}
	d.functions[fn.key] = fn
	return nil
}

func (fn *function) fault(reason string) error {
	return &fault.Format{Offset: fn.offset, What: "model-local function " + fn.key.String(),
		Reason: reason}
}

func (k functionKey) String() string { return `"` + k.domain + "." + k.name + `"` }
