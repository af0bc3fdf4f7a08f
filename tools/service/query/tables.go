package query

import "github.com/bagscope/bagscope/core"

// MethodList is the JSON of the list of methods.
type MethodList struct {
	Methods []Method `json:"methods"`
}

// A Method is the JSON of one method. Options are the settings that apply to it.
type Method struct {
	Name    string   `json:"name"`
	Title   string   `json:"title"`
	Summary string   `json:"summary"`
	Cost    string   `json:"cost"`
	Options []string `json:"options"`
}

// Methods returns the list of methods.
func Methods() *MethodList {
	out := &MethodList{Methods: []Method{}}
	for _, m := range core.Methods() {
		out.Methods = append(out.Methods, Method{m.Name, m.Title, m.Summary, m.Cost,
			List(m.Options)})
	}
	return out
}

// A Port is the JSON of an input or output of a model. A symbolic dimension is its name, or null if
// it has no name.
type Port struct {
	Name  string `json:"name"`
	Type  string `json:"type"`
	Shape []any  `json:"shape"`
}

// Ports returns the JSON of inputs or outputs.
func Ports(infos []core.TensorInfo) []Port {
	out := []Port{}
	for _, t := range infos {
		shape := []any{}
		for i, d := range t.Shape {
			switch {
			case d >= 0:
				shape = append(shape, d)
			case i < len(t.Names) && t.Names[i] != "":
				shape = append(shape, t.Names[i])
			default:
				shape = append(shape, nil)
			}
		}
		out = append(out, Port{t.Name, t.Type, shape})
	}
	return out
}
