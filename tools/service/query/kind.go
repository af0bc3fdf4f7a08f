package query

import (
	"errors"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/onnxbackend"
)

// Kind names what an error says, in a word on which scripts rely:
//
//	setting      a setting makes no sense
//	limit        a limit would be passed
//	memory       more memory would be needed than is allowed
//	bag          the bag cannot be used
//	format       a file is broken
//	unsupported  the engine cannot run the model
//	missing      the model needs files beside it
//	run          the model fails on the bag
//	unavailable  a method cannot answer for this model
//	budget       more evaluations would be needed than are allowed
//	non-finite   the model gives no finite number
//
// It is "" for all others, which are no matter of model, bag or settings.
func Kind(err error) string {
	is := func(target any) bool { return errors.As(err, target) }
	switch {
	case is(new(*core.SettingError)):
		return "setting"
	case is(new(*bagio.LimitError)), is(new(*onnxbackend.LimitError)):
		return "limit"
	case is(new(*core.MemoryError)):
		return "memory"
	case is(new(*core.BagError)):
		return "bag"
	case is(new(*bagio.FormatError)), is(new(*onnxbackend.FormatError)):
		return "format"
	case is(new(*onnxbackend.UnsupportedError)):
		return "unsupported"
	case is(new(*onnxbackend.MissingError)):
		return "missing"
	case is(new(*onnxbackend.RunError)):
		return "run"
	case is(new(*core.UnavailableError)):
		return "unavailable"
	case is(new(*core.BudgetError)):
		return "budget"
	case is(new(*core.NonFiniteError)):
		return "non-finite"
	}
	return ""
}
