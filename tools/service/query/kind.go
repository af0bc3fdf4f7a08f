package query

import (
	"errors"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/onnxbackend"
)

// Kind returns the kind of an error in one word. Scripts depend on the words:
//
//	setting      a setting is invalid
//	limit        a limit is exceeded
//	memory       the memory limit is exceeded
//	bag          the bag cannot be used
//	format       a file is invalid
//	unsupported  the engine cannot run the model
//	missing      external files of the model are missing
//	run          the model fails on the bag
//	unavailable  the model does not support a method
//	budget       the evaluation budget is exceeded
//	non-finite   the model returns NaN or an infinity
//
// It returns "" for errors that are not about the model, the bag or the settings.
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
