// Package kind has the words for kinds of errors. Errors of all packages say theirs by a method
// Kind, and every face of the program passes it on: scripts depend on the words.
package kind

import "errors"

// The kinds of errors.
const (
	Setting     = "setting"     // a setting or an option is invalid
	Format      = "format"      // a file is invalid
	Unsupported = "unsupported" // a model or a slide of this kind is not read
	Missing     = "missing"     // a file does not exist, such as external tensors of a model
	Limit       = "limit"       // a limit of a file, a model or a drawing is exceeded
	Memory      = "memory"      // the memory limit is exceeded
	MemoryBusy  = "memory-busy" // other computations hold the memory
	Bag         = "bag"         // the bag cannot be used with the model, or is inconsistent
	Run         = "run"         // the model fails on the values of the bag
	Unavailable = "unavailable" // the model or the machine does not support what was requested
	Budget      = "budget"      // the methods need more evaluations than the budget
	NonFinite   = "non-finite"  // the model returns NaN or an infinity
	Callable    = "callable"    // a function that is explained returned wrong scores
	Cancelled   = "cancelled"   // the request was cancelled
	Internal    = "internal"    // an error of bagscope
)

// Of returns the kind of the outermost error in the chain of err that says one, or "" if none does.
func Of(err error) string {
	var e interface {
		error
		Kind() string
	}
	if errors.As(err, &e) {
		return e.Kind()
	}
	return ""
}
