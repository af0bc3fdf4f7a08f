package decode

import (
	"cmp"
	"errors"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// The numbers of fields in this package are those of onnx.proto, see
// https://github.com/onnx/onnx/blob/main/onnx/onnx.proto.

// Decode reads a ModelProto that lies in one file. The model holds no reference to data. Errors are
// *fault.Format with the offset in the file, *fault.Limit, *fault.Unsupported or *fault.Missing.
func Decode(data []byte, l Limits) (*Model, error) { return DecodeParts(data, nil, l) }

// DecodeParts is Decode for a model with tensors in other files, which external reads. If external
// is nil, such a model returns a *fault.Missing that names all of these files.
func DecodeParts(data []byte, external External, l Limits) (*Model, error) {
	d := &decoder{limits: l, kept: &kept{limits: l}, external: external,
		functions: map[functionKey]*function{}, ranks: map[string]int{},
		texts: map[string]error{}}
	m := &Model{}
	err := message{data: data, what: "model", kept: d.kept}.read([]rule{
		{1, integer(&m.IRVersion)},
		{2, text(&m.Producer)},
		{7, func(f field) error {
			// protobuf merges messages of one field. Two graphs are an error of the exporter.
			if m.Graph != nil {
				return f.fault(f.at, "it holds two graphs")
			}
			m.Graph = &Graph{}
			return d.graph(f, m.Graph)
		}},
		{8, list(&m.Opsets, maxProperties, "operator set imports", opset)},
		{14, list(&m.Metadata, maxIO, "metadata entries", entry)},
		{25, d.function},
	})
	// Bytes that are no ONNX file often parse as a message of unknown fields.
	if err == nil && m.Graph == nil {
		err = &fault.Format{Offset: -1, What: "model",
			Reason: "it holds no graph; is this an ONNX file?"}
	}
	if _, ok := errors.AsType[*fault.Format](err); ok {
		if advice := otherFile(data); advice != "" {
			return nil, &fault.Format{Offset: -1, Reason: advice}
		}
	}
	if err != nil {
		return nil, err
	}
	if err := d.complete(); err != nil {
		return nil, err
	}
	m.External = d.read.names
	// All functions must be read before calls of them are replaced: they follow the graph in files.
	return m, d.inline(m)
}

// opset reads an OperatorSetIdProto.
func opset(f field, o *Opset) error {
	return f.fields("operator set import",
		rule{1, domain(&o.Domain)},
		rule{2, integer(&o.Version)})
}

// entry reads a StringStringEntryProto.
func entry(f field, e *Entry) error {
	return f.fields("metadata",
		rule{1, text(&e.Key)},
		rule{2, text(&e.Value)})
}

// graph reads a GraphProto. It bounds how deep graphs nest: a file of a few bytes for each level
// would otherwise overflow the stack.
func (d *decoder) graph(f field, g *Graph) error {
	if d.depth >= d.limits.Depth {
		return &fault.Limit{What: "graphs nested in each other", Wanted: uint64(d.depth) + 1,
			Limit: uint64(d.limits.Depth), Setting: "depth"}
	}
	// Graphs nest by nodes with graph attributes, which are read before the next node.
	d.depth++
	defer func() { d.depth-- }()
	return f.fields("graph",
		rule{1, d.appendNode(&g.Nodes)},
		rule{2, text(&g.Name)},
		rule{5, func(f field) error {
			if err := f.kept.reserve(tensorBytes); err != nil {
				return err
			}
			p, err := tensorProto(f)
			if err != nil {
				return err
			}
			t, name, err := d.tensorOf(p)
			if err != nil && p.typ == tensor.String { // an error only if the graph needs it
				d.texts[name], d.foreign = err, true
				return nil
			}
			g.Initializers = append(g.Initializers, Named{Name: name, Tensor: t, Offset: f.at})
			return err
		}},
		rule{11, list(&g.Inputs, maxIO, "inputs or outputs", value)},
		rule{12, list(&g.Outputs, maxIO, "inputs or outputs", value)},
		rule{13, d.rank},
		rule{15, func(f field) error {
			if err := f.kept.reserve(tensorBytes); err != nil {
				return err
			}
			t, name, err := d.sparse(f)
			g.Initializers = append(g.Initializers, Named{Name: name, Tensor: t, Offset: f.at})
			return err
		}})
}

// value reads a ValueInfoProto. Only the first field of its TypeProto is a tensor; for sequences
// and maps the type stays Undefined.
func value(f field, v *Value) error {
	v.Offset = f.at
	// The name precedes the type in files, so that errors about the type can have it.
	return f.fields("graph input or output",
		rule{1, text(&v.Name)},
		rule{2, func(f field) error {
			const what = "type of"
			return f.fieldsOf(what, v.Name, rule{1, func(f field) error {
				return f.fieldsOf(what, v.Name,
					rule{1, integer(&v.Type)},
					rule{2, func(f field) error { return valueShape(f, v) }})
			}})
		}})
}

// rank notes the rank of a value inside of the graph, if replacements can need it. Files may state
// types that this engine does not read, which is no error here.
func (d *decoder) rank(f field) error {
	var v Value
	if !d.foreign {
		return nil
	}
	err := value(f, &v)
	if _, broken := errors.AsType[*fault.Format](err); broken {
		return nil
	}
	if err == nil && v.Shape != nil {
		d.ranks[v.Name] = len(v.Shape)
		err = f.kept.reserve(textBytes)
	}
	return err
}

// valueShape reads a TensorShapeProto. A value without this field has an unknown rank and a nil
// Shape; a scalar has an empty one.
func valueShape(f field, v *Value) error {
	v.Shape, v.Names = []int{}, []string{}
	return f.fieldsOf(f.what, f.of, rule{1, func(f field) error {
		if len(v.Shape) >= maxDims {
			return f.fault(f.at, "it has more than %d dimensions", maxDims)
		}
		if err := f.kept.reserve(dimBytes); err != nil {
			return err
		}
		// A dimension has a number or a name; neither means that it is unknown.
		dim, name := int64(-1), ""
		err := f.fieldsOf(f.what, f.of, rule{1, integer(&dim)}, rule{2, text(&name)})
		if name != "" || dim < 1 { // some exporters write 0 or -1 for a dynamic axis
			dim = -1
		}
		if err == nil && dim > int64(1)<<48 {
			return f.fault(f.at, "a dimension of %d exceeds any memory", dim)
		}
		v.Shape, v.Names = append(v.Shape, int(dim)), append(v.Names, name)
		return err
	}})
}

// appendNode returns a reader that appends NodeProtos to nodes.
func (d *decoder) appendNode(nodes *[]Node) reader {
	return func(f field) error {
		if err := d.countNode(); err != nil {
			return err
		}
		var n Node
		err := d.node(f, &n)
		*nodes = append(*nodes, n)
		return err
	}
}

// countNode counts a node against the limit of the model, and reserves its memory.
func (d *decoder) countNode() error {
	if d.nodes++; d.nodes > d.limits.Nodes {
		return &fault.Limit{What: "nodes", Limit: uint64(d.limits.Nodes), Setting: "nodes"}
	}
	return d.kept.reserve(nodeBytes)
}

// node reads a NodeProto.
func (d *decoder) node(f field, n *Node) error {
	n.Offset = f.at
	err := f.fields("node",
		rule{1, texts(&n.Inputs)},
		rule{2, texts(&n.Outputs)},
		rule{3, text(&n.Name)},
		rule{4, text(&n.Op)},
		rule{5, list(&n.Attributes, maxProperties, "attributes", func(f field, a *Attribute) error {
			return d.attribute(f, a, "attribute of node", n.Name)
		})},
		rule{7, domain(&n.Domain)},
		rule{8, text(&n.overload)})
	d.foreign = d.foreign || n.Domain != "" || undeclared[n.Op]
	if _, ok := sequenceOperators[n.Op]; ok {
		d.sequential = true
	}
	return err
}

// attribute reads an AttributeProto; what and name name it in errors. Files before IR version 2 do
// not write the kind, so that it is concluded from the field that holds the value. A stated kind
// must be that of the value.
func (d *decoder) attribute(f field, a *Attribute, what, name string) error {
	a.Offset = f.at
	// holds returns a reader that also notes the kind of the value.
	seen := Kind(0)
	holds := func(k Kind, read reader) reader {
		return func(f field) error {
			seen = k
			return read(f)
		}
	}
	err := f.fieldsOf(what, name,
		rule{1, text(&a.Name)},
		rule{2, holds(KindFloat, func(f field) error {
			a.Float = floatOf(f.value)
			return f.check(protowire.Fixed32Type)
		})},
		rule{3, holds(KindInt, integer(&a.Int))},
		rule{4, holds(KindString, func(f field) error {
			a.String = string(f.body) // bytes, which need not be valid UTF-8
			return cmp.Or(f.check(protowire.BytesType), f.kept.reserve(len(f.body)))
		})},
		rule{5, holds(KindTensor, func(f field) (err error) {
			a.Tensor, _, err = d.tensor(f)
			return err
		})},
		rule{6, holds(KindGraph, func(f field) error {
			a.Graph = &Graph{}
			return d.graph(f, a.Graph)
		})},
		rule{7, holds(KindFloats, func(f field) error {
			return f.numbers(protowire.Fixed32Type, func(v uint64) error {
				a.Floats = append(a.Floats, floatOf(v))
				return f.kept.reserve(numberBytes)
			})
		})},
		rule{8, holds(KindInts, func(f field) error {
			return f.numbers(protowire.VarintType, func(v uint64) error {
				a.Ints = append(a.Ints, int64(v))
				return f.kept.reserve(numberBytes)
			})
		})},
		rule{9, holds(KindStrings, texts(&a.Strings))},
		// Kinds that the engine does not read, such as lists of tensors, stay without a value.
		rule{20, integer(&a.Kind)},
		rule{21, text(&a.Ref)})
	switch {
	case a.Kind == 0:
		a.Kind = seen
	case err == nil && seen != 0 && seen != a.Kind:
		return &fault.Format{Offset: f.at, What: what, Reason: msg.Sprintf(
			"attribute %q states that it is %s, but it holds %s", a.Name, a.Kind, seen)}
	}
	return err
}
