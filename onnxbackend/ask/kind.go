package ask

import (
	"errors"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/core/slide"
	"github.com/bagscope/bagscope/onnxbackend"
)

// errorKinds maps types of errors to one word. Scripts depend on the words.
var errorKinds = []struct {
	kind string
	is   func(error) bool
}{
	{"setting", is[*core.SettingError]},                // a setting is invalid
	{"limit", is[*bagio.LimitError]},                   // a limit is exceeded
	{"limit", is[*onnxbackend.LimitError]},             // a limit is exceeded
	{"limit", is[*slide.LimitError]},                   // a limit is exceeded
	{"memory-busy", is[*quota.MemoryBusyError]},        // other computations hold the memory
	{"memory", is[*quota.MemoryError]},                 // the memory limit is exceeded
	{"bag", is[*core.BagError]},                        // the bag cannot be used
	{"format", is[*bagio.FormatError]},                 // a file of bags is invalid
	{"format", is[*slide.FormatError]},                 // the file of a slide is invalid
	{"format", is[*slide.UnsupportedError]},            // slides of this kind are not read
	{"format", is[*onnxbackend.FormatError]},           // a model file is invalid
	{"unsupported", is[*onnxbackend.UnsupportedError]}, // the engine cannot run the model
	{"missing", is[*onnxbackend.MissingError]},         // external files of the model are missing
	{"run", is[*onnxbackend.RunError]},                 // the model fails on the bag
	{"unavailable", is[*core.UnavailableError]},        // the model does not support a method
	{"budget", is[*core.BudgetError]},                  // the evaluation budget is exceeded
	{"non-finite", is[*core.NonFiniteError]},           // the model returns NaN or an infinity
}

// Kind returns the kind of an error in one word of errorKinds. It returns "" for errors that are
// not about the model, the bag or the settings.
func Kind(err error) string {
	for _, k := range errorKinds {
		if k.is(err) {
			return k.kind
		}
	}
	return ""
}

// is reports whether an error of type T is in the chain of err.
func is[T error](err error) bool { return errors.As(err, new(T)) }
