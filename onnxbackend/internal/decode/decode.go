package decode

import (
	"fmt"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/bagscope/bagscope/onnxbackend/internal/fault"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// Decode reads a ModelProto that lies in one file. It keeps no reference to data.
func Decode(data []byte, l Limits) (*Model, error) { return DecodeParts(data, nil, l) }

// DecodeParts reads a ModelProto, and from external, if that is not nil, the tensors that lie in
// other files.
func DecodeParts(data []byte, external External, l Limits) (*Model, error) {
	d := &decoder{limits: l, external: external}
	m := &Model{}
	err := message{data: data, what: "model"}.each(func(f field) error {
		switch f.number {
		case 1:
			return f.int64(&m.IRVersion)
		case 2:
			return f.text(&m.Producer)
		case 7:
			if m.Graph != nil {
				return f.fault(f.at, "it holds two graphs")
			}
			m.Graph = &Graph{}
			return d.graph(f, m.Graph)
		case 8:
			return opset(f, &m.Opsets)
		case 14:
			var e Entry
			if err := entry(f, &e); err != nil {
				return err
			}
			m.Metadata = append(m.Metadata, e)
		case 25:
			return d.function(f)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if m.Graph == nil {
		return nil, &fault.Format{Offset: -1, What: "model",
			Reason: "it holds no graph; is this an ONNX file?"}
	}
	if err := d.complete(); err != nil {
		return nil, err
	}
	m.External = d.read.names
	return m, d.inline(m)
}

func opset(f field, list *[]Opset) error {
	var o Opset
	s, err := f.sub("operator set import")
	if err != nil {
		return err
	}
	err = s.each(func(f field) error {
		switch f.number {
		case 1:
			return f.text(&o.Domain)
		case 2:
			return f.int64(&o.Version)
		}
		return nil
	})
	o.Domain = plainDomain(o.Domain)
	*list = append(*list, o)
	return err
}

func entry(f field, e *Entry) error {
	s, err := f.sub("metadata")
	if err != nil {
		return err
	}
	return s.each(func(f field) error {
		switch f.number {
		case 1:
			return f.text(&e.Key)
		case 2:
			return f.text(&e.Value)
		}
		return nil
	})
}

func (d *decoder) graph(f field, g *Graph) error {
	s, err := f.sub("graph")
	if err != nil {
		return err
	}
	if d.depth >= d.limits.Depth {
		return &fault.Limit{What: "graphs nested in each other", Wanted: uint64(d.depth) + 1,
			Limit: uint64(d.limits.Depth)}
	}
	d.depth++
	defer func() { d.depth-- }()
	return s.each(func(f field) error {
		switch f.number {
		case 1:
			return d.addNode(f, &g.Nodes)
		case 2:
			return f.text(&g.Name)
		case 5:
			t, name, err := d.tensor(f)
			if err != nil {
				return err
			}
			g.Initializers = append(g.Initializers, Named{Name: name, Tensor: t, Offset: f.at})
		case 11:
			return value(f, &g.Inputs)
		case 12:
			return value(f, &g.Outputs)
		case 15:
			g.Sparse = append(g.Sparse, strconv.Itoa(len(g.Sparse)))
		}
		return nil
	})
}

func value(f field, list *[]Value) error {
	if len(*list) >= maxIO {
		return f.fault(f.at, "it has more than %d inputs or outputs", maxIO)
	}
	v := Value{Offset: f.at}
	s, err := f.sub("graph input or output")
	if err != nil {
		return err
	}
	err = s.each(func(f field) error {
		switch f.number {
		case 1:
			return f.text(&v.Name)
		case 2:
			return valueType(f, &v)
		}
		return nil
	})
	*list = append(*list, v)
	return err
}

func valueType(f field, v *Value) error {
	s, err := f.sub("type of " + strconv.Quote(v.Name))
	if err != nil {
		return err
	}
	return s.each(func(f field) error {
		if f.number != 1 {
			return nil
		}
		s, err := f.sub(s.what)
		if err != nil {
			return err
		}
		return s.each(func(f field) error {
			switch f.number {
			case 1:
				var t int64
				err := f.int64(&t)
				v.Type = tensor.Type(t)
				return err
			case 2:
				return valueShape(f, v)
			}
			return nil
		})
	})
}

func valueShape(f field, v *Value) error {
	s, err := f.sub(f.what)
	if err != nil {
		return err
	}
	v.Shape, v.Names = []int{}, []string{}
	return s.each(func(f field) error {
		if f.number != 1 {
			return nil
		}
		if len(v.Shape) >= maxDims {
			return f.fault(f.at, "it has more than %d dimensions", maxDims)
		}
		dim, name := int64(-1), ""
		s, err := f.sub(f.what)
		if err != nil {
			return err
		}
		err = s.each(func(f field) error {
			switch f.number {
			case 1:
				return f.int64(&dim)
			case 2:
				return f.text(&name)
			}
			return nil
		})
		if err != nil {
			return err
		}
		if name != "" || dim < 1 { // some exporters write 0 or -1 for an open axis
			dim = -1
		}
		if dim > int64(1)<<48 {
			return f.fault(f.at, "a dimension of %d is beyond any memory", dim)
		}
		v.Shape, v.Names = append(v.Shape, int(dim)), append(v.Names, name)
		return nil
	})
}

func (d *decoder) addNode(f field, nodes *[]Node) error {
	if err := d.countNode(); err != nil {
		return err
	}
	var n Node
	err := d.node(f, &n)
	*nodes = append(*nodes, n)
	return err
}

func (d *decoder) countNode() error {
	if d.nodes++; d.nodes > d.limits.Nodes {
		return &fault.Limit{What: "nodes", Limit: uint64(d.limits.Nodes)}
	}
	return nil
}

func (d *decoder) node(f field, n *Node) error {
	n.Offset = f.at
	s, err := f.sub("node")
	if err != nil {
		return err
	}
	return s.each(func(f field) error {
		switch f.number {
		case 1:
			return f.texts(&n.Inputs)
		case 2:
			return f.texts(&n.Outputs)
		case 3:
			return f.text(&n.Name)
		case 4:
			return f.text(&n.Op)
		case 5:
			if len(n.Attributes) >= maxIO {
				return f.fault(f.at, "it has more than %d attributes", maxIO)
			}
			var a Attribute
			if err := d.attribute(f, &a, fmt.Sprintf("attribute of node %q", n.Name)); err != nil {
				return err
			}
			n.Attributes = append(n.Attributes, a)
		case 7:
			err := f.text(&n.Domain)
			n.Domain = plainDomain(n.Domain)
			d.foreign = d.foreign || n.Domain != ""
			return err
		case 8:
			return f.text(&n.overload)
		}
		return nil
	})
}

// plainDomain returns "" for the default domain, which files may also write in full.
func plainDomain(domain string) string {
	if domain == "ai.onnx" {
		return ""
	}
	return domain
}

func (d *decoder) attribute(f field, a *Attribute, what string) error {
	a.Offset = f.at
	s, err := f.sub(what)
	if err != nil {
		return err
	}
	seen := Kind(0)
	err = s.each(func(f field) error {
		switch f.number {
		case 1:
			return f.text(&a.Name)
		case 2:
			seen = KindFloat
			return f.float32(&a.Float)
		case 3:
			seen = KindInt
			return f.int64(&a.Int)
		case 4:
			seen = KindString
			a.String = string(f.body)
			return f.want(protowire.BytesType)
		case 5:
			seen = KindTensor
			t, _, err := d.tensor(f)
			a.Tensor = t
			return err
		case 6:
			seen = KindGraph
			a.Graph = &Graph{}
			return d.graph(f, a.Graph)
		case 7:
			seen = KindFloats
			return f.fixed32s(func(v uint32) error {
				a.Floats = append(a.Floats,
					bitsFloat(v))
				return nil
			})
		case 8:
			seen = KindInts
			return f.varints(func(v uint64) error { a.Ints = append(a.Ints, int64(v)); return nil })
		case 9:
			seen = KindStrings
			return f.texts(&a.Strings)
		case 20:
			return f.int64((*int64)(&a.Kind))
		case 21:
			return f.text(&a.Ref)
		}
		return nil
	})
	if a.Kind == 0 { // files before IR version 2 do not write the kind
		a.Kind = seen
	}
	return err
}
