package main

import (
	"fmt"
	"time"
)

// A pace is the progress of work of minutes and hours: it says how long the rest takes.
type pace struct {
	*progress
	start time.Time // of the first update
}

// update says how many are done, some of which had been stored by an earlier run and cost no time.
func (p *pace) update(done, stored, total int) {
	if !p.due() {
		return
	}
	if p.start.IsZero() {
		p.start = time.Now()
	}
	p.say(fmt.Sprintf("%d of %d %s%s", done, total, p.what, remaining(time.Since(p.start), done-stored, total-done)))
}

// remaining says how long the rest takes at the pace so far, once that can be told.
func remaining(spent time.Duration, done, left int) string {
	const soonest = 2 * time.Second
	if spent < soonest || done < 1 || left < 1 {
		return ""
	}
	rest := time.Duration(float64(spent) / float64(done) * float64(left))
	if rest < time.Minute {
		return fmt.Sprintf(", about %d s left", int(rest.Seconds())+1)
	}
	return fmt.Sprintf(", about %d min left", int(rest.Round(time.Minute).Minutes()))
}
