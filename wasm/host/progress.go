package host

import (
	"time"

	"github.com/bagscope/bagscope/wasm/wire"
)

// progressPause is the time between two messages of progress: a screen shows no more.
const progressPause = 16 * time.Millisecond

// paced passes progress on at most once in a progressPause, and always its end.
func paced(progress func(done, total int)) func(done, total int) {
	var last time.Time
	return func(done, total int) {
		if now := time.Now(); done == total || now.Sub(last) >= progressPause {
			last = now
			progress(done, total)
		}
	}
}

// encoding returns what tells a request's sender how many instances are encoded, nil for one who does not watch.
func (h *Host) encoding(id uint32, watch bool) func(done, total int) {
	if !watch {
		return nil
	}
	return paced(func(done, total int) { h.send(id, wire.Progress{Completed: done, Total: total, Instances: true}) })
}
