package cli

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/bagscope/bagscope/internal/msg"
)

// A Progress shows the progress of a run on a terminal. A nil Progress shows nothing.
type Progress struct {
	w      io.Writer
	what   string
	stored int       // finished items that were read from an earlier run
	start  time.Time // time of the first update
	last   time.Time
	shown  bool
}

// NewProgress returns a Progress that counts what, such as "bags", or nil if w is not a terminal.
func NewProgress(w io.Writer, what string) *Progress {
	f, ok := w.(*os.File)
	if !ok {
		return nil
	}
	if info, err := f.Stat(); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return nil
	}
	return &Progress{w: w, what: what}
}

// Update shows that done of total are finished. It can be called often, but not concurrently.
func (p *Progress) Update(done, total int) {
	if !p.Due() {
		return
	}
	if p.start.IsZero() {
		p.start = time.Now()
	}
	p.Show(msg.Sprintf("%d of %d %s%s", done, total, p.what,
		remaining(time.Since(p.start), done-p.stored, total-done)))
}

// UpdateStored is Update for a run that reuses stored results of an earlier run. The estimate of
// the remaining time ignores them.
func (p *Progress) UpdateStored(done, stored, total int) {
	if p != nil {
		p.stored = stored
		p.Update(done, total)
	}
}

// Due reports whether it is time to replace the line.
func (p *Progress) Due() bool {
	const refresh = 100 * time.Millisecond
	return p != nil && time.Since(p.last) >= refresh
}

// Show replaces the line.
func (p *Progress) Show(text string) {
	p.last, p.shown = time.Now(), true
	fmt.Fprintf(p.w, "\r\033[K%s", msg.Line(text))
}

// remaining returns the estimated remaining time as text, or "" if it is too early to estimate.
func remaining(spent time.Duration, done, left int) string {
	const soonest = 2 * time.Second
	if spent < soonest || done < 1 || left < 1 {
		return ""
	}
	// Bags take about the same time, so that the rest is proportional.
	rest := time.Duration(float64(spent) / float64(done) * float64(left))
	if rest < time.Minute {
		return fmt.Sprintf(", about %d s left", int(rest.Seconds())+1)
	}
	return fmt.Sprintf(", about %d min left", int(rest.Round(time.Minute).Minutes()))
}

// End removes the line.
func (p *Progress) End() {
	if p != nil && p.shown {
		fmt.Fprint(p.w, "\r\033[K")
	}
}
