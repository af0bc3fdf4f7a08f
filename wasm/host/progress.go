package host

import (
	"time"

	"github.com/bagscope/bagscope/wasm/wire"
)

// progressPause is the minimum time between two progress messages: the time of a frame on a screen.
const progressPause = 16 * time.Millisecond

// paced returns a function that calls progress at most once in a progressPause, and always at the
// end.
func paced(progress func(done, total int)) func(done, total int) {
	var last time.Time
	return func(done, total int) {
		if now := time.Now(); done == total || now.Sub(last) >= progressPause {
			last = now
			progress(done, total)
		}
	}
}

// progress returns a function that sends progress of evaluations, or of parts of a picture, not
// more often than a page shows it. It is nil if watch is false.
func (h *Host) progress(id uint32, watch bool) func(done, total int) {
	return h.sends(id, watch, wire.Progress{})
}

// noted returns a function that sends a note.
func (h *Host) noted(id uint32) func(sentence string) {
	return func(sentence string) { h.send(id, wire.Noted{Notes: []string{sentence}}) }
}

// encoding is progress of encoded instances.
func (h *Host) encoding(id uint32, watch bool) func(done, total int) {
	return h.sends(id, watch, wire.Progress{Instances: true})
}

// sends returns a function that sends p with its numbers, or nil if watch is false.
func (h *Host) sends(id uint32, watch bool, p wire.Progress) func(done, total int) {
	if !watch {
		return nil
	}
	return paced(func(done, total int) {
		p.Completed, p.Total = done, total
		h.send(id, p)
	})
}
