package host

import (
	"context"
	"errors"
	"strings"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/core/draw"
	"github.com/bagscope/bagscope/core/metric"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/gpu"
	"github.com/bagscope/bagscope/wasm/wire"
)

// Kinds of failure in messages to JavaScript.
const (
	kindFormat      = "format"
	kindUnsupported = "unsupported"
	kindMissing     = "missing"
	kindLimit       = "limit"
	kindSetting     = "setting"
	kindUnavailable = "unavailable"
	kindBudget      = "budget"
	kindNonFinite   = "non-finite"
	kindBag         = "bag"
	kindCancelled   = "cancelled"
	kindInternal    = "internal"
)

// failure returns the message for an error: the kind and details of the first typed error in its
// chain, and its text.
func failure(err error) wire.Failure {
	f := wire.Failure{Kind: kindInternal, Message: err.Error()}
	detail := func(name string, value any) {
		f.Details = append(f.Details,
			wire.Setting{Name: name, Value: value})
	}
	if errors.Is(err, errCancelled) || errors.Is(err, context.Canceled) ||
		errors.Is(err, context.DeadlineExceeded) {
		f.Kind, f.Message = kindCancelled, errCancelled.Error()
		return f
	}
	for ; err != nil; err = errors.Unwrap(err) {
		switch e := err.(type) {
		case *core.BagError:
			f.Kind = kindBag
			detail("bag", e.Bag)
		case *core.SettingError:
			f.Kind = kindSetting
			detail("method", e.Method)
			detail("setting", wire.JSOption(e.Setting))
		case *metric.ScoresError:
			f.Kind = kindSetting
			detail("method", e.Method)
			detail("class", e.Class)
			detail("setting", "scores")
		case *core.UnavailableError:
			f.Kind = kindUnavailable
			detail("method", e.Method)
		case *core.BudgetError:
			f.Kind = kindBudget
			detail("spent", e.Used)
			detail("wanted", e.Needed)
			detail("budget", e.Budget)
		case *core.MemoryError:
			f.Kind = kindLimit
			detail("wanted", int(e.Needed))
			detail("limit", int(e.Limit))
		case *core.NonFiniteError:
			f.Kind = kindNonFinite
			detail("coalition", e.Coalition)
			detail("class", e.Class)
		case *bagio.FormatError:
			f.Kind = kindFormat
			detail("file", e.File)
			detail("row", e.Row)
			detail("column", e.Column)
			detail("field", e.Field)
			detail("offset", int(e.Offset))
		case *bagio.LimitError:
			f.Kind = kindLimit
			detail("file", e.File)
			detail("setting", e.Setting)
		case *draw.LimitError:
			f.Kind = kindLimit
		case *onnxbackend.UnsupportedError:
			f.Kind = kindUnsupported
			detail("operators", operators(e))
		case *onnxbackend.MissingError:
			f.Kind = kindMissing
			detail("files", strings.Join(e.Files, "\n"))
		case *onnxbackend.FormatError:
			f.Kind = kindFormat
			detail("what", e.What)
			detail("offset", e.Offset)
		case *onnxbackend.LimitError:
			f.Kind = kindLimit
			detail("what", e.What)
		case *onnxbackend.RunError: // a node failed on the values of the bag
			f.Kind = kindBag
			detail("node", e.Node)
			detail("operator", e.Op)
		case *closedError:
			f.Kind = kindSetting
			detail("setting", e.what)
		case *gpu.UnavailableError:
			f.Kind = kindUnavailable
		default:
			continue
		}
		return f
	}
	return f
}

// operators returns a line for each unsupported node; the error message names only the first few.
func operators(e *onnxbackend.UnsupportedError) string {
	var list []string
	for _, n := range e.Nodes {
		list = append(list, n.String())
	}
	return strings.Join(list, "\n")
}
