package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/core/geojson"
	"github.com/bagscope/bagscope/core/metric"
	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/core/slide"
	"github.com/bagscope/bagscope/internal/kind"
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/wasm/wire"
)

// failure returns the message for an error: its kind, its text, and the details of the first error
// in its chain that has some.
func (h *Host) failure(err error) wire.Failure {
	if errors.Is(err, errCancelled) || errors.Is(err, context.Canceled) ||
		errors.Is(err, context.DeadlineExceeded) {
		return wire.Failure{Kind: kind.Cancelled, Message: errCancelled.Error()}
	}
	out := wire.Failure{Kind: cmp.Or(kind.Of(err), kind.Internal),
		Message: ask.ErrorText(err, h.config.Program)}
	reason := msg.Sprintf("%v", err)
	// The outermost typed error is the most specific one.
	for ; err != nil && out.Details == nil; err = errors.Unwrap(err) {
		out.Details = h.details(err)
	}
	// A page whose users cannot change options shows the reason alone.
	if out.Message != reason && out.Kind != kind.Internal {
		out.Details = append(out.Details, detail("reason", reason))
	}
	return out
}

// details returns the details of a typed error, which clients turn into properties of their
// exception, or nil for any other error.
func (h *Host) details(err error) []core.Setting {
	switch e := err.(type) {
	case *core.CovariateError:
		return []core.Setting{short("bag", e.Bag), short("covariate", e.Covariate)}
	case *core.BagError:
		return []core.Setting{short("bag", e.Bag)}
	case *core.SettingError:
		return []core.Setting{short("method", e.Method),
			short("setting", h.config.Program.Option(e.Setting))}
	case *metric.ScoresError:
		return []core.Setting{short("method", e.Method), detail("class", e.Class),
			detail("setting", "scores")}
	case *core.UnavailableError:
		return []core.Setting{short("method", e.Method)}
	case *core.BudgetError:
		return []core.Setting{detail("spent", e.Used), detail("wanted", e.Needed),
			detail("budget", e.Budget)}
	case *quota.MemoryError:
		return []core.Setting{detail("wanted", int(e.Needed)),
			detail("limit", int(e.Limit))}
	case *core.NonFiniteError:
		return []core.Setting{detail("coalition", e.Coalition),
			detail("class", e.Class)}
	case *geojson.FormatError:
		return []core.Setting{short("file", e.File)}
	case *bagio.FormatError:
		out := []core.Setting{short("file", e.File), detail("row", e.Row),
			detail("column", e.Column),
			short("field", e.Field), detail("offset", int(e.Offset))}
		if len(e.Arrays) > 0 {
			out = append(out, detail("arrays",
				lines(ask.ListOf(e.Arrays, bagio.NamedShape.String))))
		}
		return out
	case *bagio.QuestionError:
		return []core.Setting{short("file", e.File), short("question", e.Seen),
			detail("option", h.config.Program.Option(e.Option)),
			detail("answers", lines(ask.ListOf(e.Answers, func(a bagio.Answer) string {
				return msg.Sprintf("%s\t%s", msg.Text(a.Value), msg.Text(a.Meaning))
			})))}
	case *bagio.StrideError:
		return []core.Setting{short("file", e.File), short("setting", e.Setting),
			detail("strides", lines(ask.ListOf(e.Strides, func(s bagio.Stride) string {
				return fmt.Sprintf("%d %d", s.Stride, s.Patches)
			})))}
	case *bagio.LimitError:
		return []core.Setting{short("file", e.File), short("setting", e.Setting)}
	case *slide.FormatError:
		return []core.Setting{short("file", e.File)}
	case *slide.UnsupportedError:
		return []core.Setting{short("file", e.File)}
	case *slide.LimitError:
		return []core.Setting{short("file", e.File)}
	case *slide.QuestionError:
		return []core.Setting{short("file", e.File), short("question", e.Seen),
			detail("option", h.config.Program.Option("tile-names")),
			detail("answers", lines(ask.ListOf(e.Answers, func(a [2]string) string {
				return a[0] + "\t" + a[1]
			})))}
	case *slide.OptionError:
		return []core.Setting{short("setting", e.Option)}
	case *onnxbackend.UnsupportedError:
		return []core.Setting{detail("operators",
			lines(ask.ListOf(e.Nodes, onnxbackend.UnsupportedNode.String))),
			detail("unpooled", e.Unpooled)}
	case *onnxbackend.MissingError:
		return []core.Setting{detail("files", lines(ask.ListOf(e.Files, msg.Line)))}
	case *onnxbackend.FormatError:
		return []core.Setting{short("what", e.What), detail("offset", e.Offset)}
	case *onnxbackend.LimitError:
		return []core.Setting{short("what", e.What), short("setting", e.Setting)}
	case *onnxbackend.RunError: // a node failed on the values of the bag
		return []core.Setting{short("node", e.Node), short("operator", e.Op)}
	case *closedError:
		return []core.Setting{short("setting", e.what)}
	}
	return nil
}

// detail returns a detail of a failure.
func detail(name string, value any) core.Setting { return core.Setting{Name: name, Value: value} }

// short is detail for a text that others wrote.
func short(name, text string) core.Setting { return detail(name, msg.Sprintf("%s", text)) }

// lines joins the first lines that fit into a message. The error message names only the first few.
func lines(texts []string) string {
	return strings.Join(msg.Fit(texts, func(s string) int { return len(s) }), "\n")
}
