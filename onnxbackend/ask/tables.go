package ask

import (
	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/methods"
)

// MethodList is the JSON of the list of methods.
type MethodList struct {
	Methods []Method `json:"methods"`
}

// A Method is a row of the table of methods.
type Method struct {
	Name    string `json:"name" ts:"MethodName"`
	Title   string `json:"title"`   // such as "One Removed"
	Summary string `json:"summary"` // one sentence
	Cost    string `json:"cost"`    // model evaluations, as a formula in k and n
	// Names of the options that the method uses.
	Options []string `json:"options" ts:"MethodOption[]"`
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

// Covariate is the JSON of an input beside the instances whose values each bag may state.
type Covariate struct {
	Name    string   `json:"name"`
	Size    int      `json:"size"`    // number of values
	Default []Number `json:"default"` // empty if each bag must state its own
}

// Covariates returns the JSON of the inputs that take covariates.
func Covariates(inputs []core.CovariateInput) []Covariate {
	return ListOf(inputs, func(c core.CovariateInput) Covariate {
		return Covariate{c.Name, c.Size, Numbers(c.Default)}
	})
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
