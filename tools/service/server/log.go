package server

import (
	"log/slog"

	"github.com/bagscope/bagscope/internal/msg"
)

// maxLogged bounds the JSON of a text in a log line, in bytes. A line has at most one long text and
// thus at most msg.Whole bytes.
const maxLogged = msg.Whole - 512

// ShortAttr is a ReplaceAttr of [slog.HandlerOptions]. It shortens the texts of log lines, which
// may quote files and requests of clients, and escapes their hidden characters.
func ShortAttr(_ []string, a slog.Attr) slog.Attr {
	if a.Value.Kind() != slog.KindString {
		return a
	}
	for n := maxLogged; ; n /= 2 {
		text := msg.Lines(msg.Within(a.Value.String(), n))
		if data, err := encode(text); err == nil && len(data) <= maxLogged {
			return slog.String(a.Key, text)
		}
	}
}
