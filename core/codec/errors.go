package codec

import (
	"github.com/bagscope/bagscope/internal/kind"
	"github.com/bagscope/bagscope/internal/msg"
)

// A FormatError reports a stream that is damaged or of a kind that is not decoded.
type FormatError struct {
	Reason string
	Err    error // what the decoder returned, or nil
}

// Kind returns "format".
func (e *FormatError) Kind() string { return kind.Format }

// Error returns the reason.
func (e *FormatError) Error() string { return msg.Sprintf("%s", msg.Text(e.Reason)) }

// Unwrap returns e.Err.
func (e *FormatError) Unwrap() error { return e.Err }

// A LimitError reports a stream whose picture exceeds a limit of the caller.
type LimitError struct {
	What       string // "pixels" or "bytes of memory"
	Need, Most int64
}

// Kind returns "limit".
func (e *LimitError) Kind() string { return kind.Limit }

// Error returns what is too much and the limit.
func (e *LimitError) Error() string {
	return msg.Sprintf("it needs %d %s; at most %d are allowed", e.Need, msg.Text(e.What), e.Most)
}

// An UnavailableError reports that the decoder cannot be loaded, in words. It is no fault of the
// stream.
type UnavailableError struct{ Reason string }

// Kind returns "unavailable".
func (e *UnavailableError) Kind() string { return kind.Unavailable }

// Error returns the reason.
func (e *UnavailableError) Error() string { return msg.Sprintf("%s", msg.Text(e.Reason)) }

func bad(format string, args ...any) error {
	return &FormatError{Reason: msg.Sprintf(format, args...)}
}
