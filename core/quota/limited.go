package quota

import "errors"

// A LimitedError reports that a file, a model or a computation exceeds a limit. Each program has
// its own option for a limit, so the text of the error does not name one: [ExceededLimit] returns
// the limit, and the program appends what its users can do.
type LimitedError interface {
	error
	// ExceededLimit returns the name of the limit: "memory", "bag." and a limit of bagio.Limits, as
	// in "bag.elements", or "model." and a limit of onnxbackend.Limits, as in "model.runBytes". It
	// returns "" if no option raises the limit; the text then says so.
	ExceededLimit() string
}

// ExceededLimit returns the name of the limit that err reports, see [LimitedError], or "".
func ExceededLimit(err error) string {
	var e LimitedError
	if !errors.As(err, &e) {
		return ""
	}
	return e.ExceededLimit()
}

// ExceededLimit returns "memory", or "" if e.Fixed.
func (e *MemoryError) ExceededLimit() string {
	if e.Fixed {
		return ""
	}
	return "memory"
}
