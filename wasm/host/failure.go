package host

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/core/draw"
	"github.com/bagscope/bagscope/core/geojson"
	"github.com/bagscope/bagscope/core/metric"
	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/core/slide"
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/gpu"
	"github.com/bagscope/bagscope/wasm/wire"
)

// Kinds of failure in messages.
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
	kindCallable    = "callable"
	kindInternal    = "internal"
)

// failure returns the message for an error: the kind and details of the first typed error in its
// chain, and its text.
func (h *Host) failure(err error) wire.Failure {
	if errors.Is(err, errCancelled) || errors.Is(err, context.Canceled) ||
		errors.Is(err, context.DeadlineExceeded) {
		return wire.Failure{Kind: kindCancelled, Message: errCancelled.Error()}
	}
	text, reason, word := h.errorText(err), msg.Sprintf("%v", err), ""
	if h.config.Kind != nil {
		word = h.config.Kind(err)
	}
	// The outermost typed error is the most specific one.
	for ; err != nil; err = errors.Unwrap(err) {
		if kind, details := h.classify(err); kind != "" {
			// A page whose users cannot change options shows the reason alone.
			if text != reason {
				details = append(details, detail("reason", reason))
			}
			return wire.Failure{Kind: cmp.Or(word, kind), Message: text, Details: details}
		}
	}
	return wire.Failure{Kind: cmp.Or(word, kindInternal), Message: text}
}

// errorText returns the text of an error with the option that raises an exceeded limit.
func (h *Host) errorText(err error) string {
	if h.config.ErrorText != nil {
		return h.config.ErrorText(err)
	}
	limit := quota.ExceededLimit(err)
	if limit == "" {
		return msg.Sprintf("%v", err)
	}
	// Messages have fields of the same names, see wire.BagLimits and wire.ModelLimits.
	if _, field, ok := strings.Cut(limit, "."); ok {
		limit = "limits." + field
	}
	return msg.Sprintf("%v; the option %s raises the limit", err, limit)
}

// classify returns the kind of a typed error and the details that clients turn into properties of
// their exception, or "" for any other error.
func (h *Host) classify(err error) (kind string, details []wire.Setting) {
	switch e := err.(type) {
	case *core.BagError:
		return kindBag, []wire.Setting{short("bag", e.Bag)}
	case *core.SettingError:
		return kindSetting, []wire.Setting{short("method", e.Method),
			short("setting", h.config.OptionName(e.Setting))}
	case *metric.ScoresError:
		return kindSetting, []wire.Setting{short("method", e.Method), detail("class", e.Class),
			detail("setting", "scores")}
	case *core.UnavailableError:
		return kindUnavailable, []wire.Setting{short("method", e.Method)}
	case *core.BudgetError:
		return kindBudget, []wire.Setting{detail("spent", e.Used), detail("wanted", e.Needed),
			detail("budget", e.Budget)}
	case *quota.MemoryError:
		return kindLimit, []wire.Setting{detail("wanted", int(e.Needed)),
			detail("limit", int(e.Limit))}
	case *core.NonFiniteError:
		return kindNonFinite, []wire.Setting{detail("coalition", e.Coalition),
			detail("class", e.Class)}
	case *geojson.FormatError:
		return kindFormat, []wire.Setting{short("file", e.File)}
	case *bagio.FormatError:
		details = []wire.Setting{short("file", e.File), detail("row", e.Row),
			detail("column", e.Column),
			short("field", e.Field), detail("offset", int(e.Offset))}
		if len(e.Arrays) > 0 {
			details = append(details, detail("arrays",
				lines(listOf(e.Arrays, bagio.NamedShape.String))))
		}
		return kindFormat, details
	case *bagio.LimitError:
		return kindLimit, []wire.Setting{short("file", e.File), short("setting", e.Setting)}
	case *slide.FormatError:
		return kindFormat, []wire.Setting{short("file", e.File)}
	case *slide.UnsupportedError:
		return kindUnsupported, []wire.Setting{short("file", e.File)}
	case *slide.LimitError:
		return kindLimit, []wire.Setting{short("file", e.File)}
	case *slide.OptionError:
		return kindSetting, []wire.Setting{short("setting", e.Option)}
	case *draw.LimitError:
		return kindLimit, nil
	case *onnxbackend.UnsupportedError:
		return kindUnsupported, []wire.Setting{detail("operators",
			lines(listOf(e.Nodes, onnxbackend.UnsupportedNode.String)))}
	case *onnxbackend.MissingError:
		return kindMissing, []wire.Setting{detail("files", lines(listOf(e.Files, msg.Line)))}
	case *onnxbackend.FormatError:
		return kindFormat, []wire.Setting{short("what", e.What), detail("offset", e.Offset)}
	case *onnxbackend.LimitError:
		return kindLimit, []wire.Setting{short("what", e.What), short("setting", e.Setting)}
	case *onnxbackend.RunError: // a node failed on the values of the bag
		return kindBag, []wire.Setting{short("node", e.Node), short("operator", e.Op)}
	case *closedError:
		return kindSetting, []wire.Setting{short("setting", e.what)}
	case *gpu.UnavailableError, *noFilesError:
		return kindUnavailable, nil
	case *callableError:
		return kindCallable, nil
	}
	return "", nil
}

// detail returns a detail of a failure.
func detail(name string, value any) wire.Setting { return wire.Setting{Name: name, Value: value} }

// short is detail for a text that others wrote.
func short(name, text string) wire.Setting { return detail(name, msg.Sprintf("%s", text)) }

// lines joins the first lines that fit into a message. The error message names only the first few.
func lines(texts []string) string {
	return strings.Join(msg.Fit(texts, func(s string) int { return len(s) }), "\n")
}
