package ask

import (
	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/methods"
)

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
	return &MethodList{ListOf(methods.All(), func(m methods.Info) Method {
		return Method{m.Name, m.Title, m.Summary, m.Cost, List(m.Options)}
	})}
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
	return ListOf(infos, func(t core.TensorInfo) Port {
		shape := make([]any, len(t.Shape))
		for i, d := range t.Shape {
			if d >= 0 {
				shape[i] = d
			} else if i < len(t.Names) && t.Names[i] != "" {
				shape[i] = t.Names[i]
			}
		}
		return Port{t.Name, t.Type, shape}
	})
}
