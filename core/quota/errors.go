package quota

import (
	"fmt"

	"github.com/bagscope/bagscope/internal/kind"
	"github.com/bagscope/bagscope/internal/msg"
)

// A MemoryError reports that a request needs more memory than its limit. It is returned before the
// memory is allocated.
type MemoryError struct {
	Needed, Limit int64  // bytes
	Instances     int    // instances of the bag that is explained, or 0
	Purpose       string // what the memory is for, if Instances is 0
	Advice        string // what to do beside raising the limit, such as "use fewer samples", or ""
	Fixed         bool   // no option raises Limit
}

// Error returns the needed and the allowed memory, and Advice. It does not name the option that
// raises the limit, see [LimitedError].
func (e *MemoryError) Error() string {
	text := fmt.Sprintf("explaining %d instances needs about %d MB of memory", e.Instances,
		megabytes(e.Needed))
	if e.Instances == 0 {
		text = msg.Sprintf("%s would need %d MB of memory with what is held already", e.Purpose,
			megabytes(e.Needed))
	}
	text += fmt.Sprintf(", but only %d MB are allowed", e.Limit/1e6)
	if e.Advice != "" {
		text += "; " + e.Advice
	}
	return msg.Cut(text)
}

// Kind returns "memory".
func (e *MemoryError) Kind() string { return kind.Memory }

// megabytes rounds bytes up to MB.
func megabytes(bytes int64) int64 { return (bytes + 999_999) / 1e6 }

// A MemoryBusyError reports that other computations hold memory which a computation needs. The same
// computation can succeed later.
type MemoryBusyError struct{ Needed, Limit int64 } // bytes

func (e *MemoryBusyError) Error() string {
	return fmt.Sprintf(
		"%d MB of memory are needed, and other computations hold too much of the %d "+
			"MB that are allowed; try again later", megabytes(e.Needed), e.Limit/1e6)
}

// Kind returns "memory-busy".
func (e *MemoryBusyError) Kind() string { return kind.MemoryBusy }
