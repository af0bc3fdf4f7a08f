package host

import "time"

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
