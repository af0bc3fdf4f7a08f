package quota

import (
	"fmt"

	"github.com/bagscope/bagscope/internal/kind"
)

// A FileSizeError reports that a file has too many bytes to be read. It is a quota.LimitedError.
type FileSizeError struct {
	Most  int64
	Limit string // the exceeded limit, such as "bag.bytes", or "" if no option raises it
}

// Error returns the limit. It does not name the file, which the caller adds.
func (e *FileSizeError) Error() string {
	return fmt.Sprintf("it has more than %d bytes, the limit for one file", e.Most)
}

// Kind returns "limit".
func (e *FileSizeError) Kind() string { return kind.Limit }

// ExceededLimit returns e.Limit.
func (e *FileSizeError) ExceededLimit() string { return e.Limit }
