package server

import (
	"log/slog"

	"github.com/bagscope/bagscope/internal/msg"
)

// ShortAttr is a ReplaceAttr of [slog.HandlerOptions]. It shortens the texts of log lines, which may
// quote files and requests of clients.
func ShortAttr(_ []string, a slog.Attr) slog.Attr {
	if a.Value.Kind() == slog.KindString {
		a.Value = slog.StringValue(msg.Cut(a.Value.String()))
	}
	return a
}
