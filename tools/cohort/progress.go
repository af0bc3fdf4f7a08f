package cohort

import (
	"fmt"
	"io"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bagscope/bagscope/internal/msg"
)

// A Progress counts the work of this process. It stays at zero on a remote engine, whose workers
// are other processes.
type Progress struct {
	total, done, reused, failed, drawn atomic.Int64
	allRead                            atomic.Bool
}

// progress is the progress of the current run.
var progress Progress

// begin resets the counts at the start of a run.
func (p *Progress) begin() {
	for _, n := range []*atomic.Int64{&p.total, &p.done, &p.reused, &p.failed,
		&p.drawn} {
		n.Store(0)
	}
	p.allRead.Store(false)
}

// read records that the manifest was read to its end, so that the total is known.
func (p *Progress) read() { p.allRead.Store(true) }

// String returns the progress in one line.
func (p *Progress) String() string {
	total := strconv.FormatInt(p.total.Load(), 10)
	if !p.allRead.Load() {
		total += " or more"
	}
	text := msg.Sprintf("%d of %s bags", p.done.Load(), total)
	if n := p.reused.Load(); n > 0 {
		text += fmt.Sprintf(", %d of them from earlier runs", n)
	}
	if n := p.failed.Load(); n > 0 {
		text += fmt.Sprintf(", %d failed", n)
	}
	if n := p.drawn.Load(); n > 0 {
		text += fmt.Sprintf(", %d maps", n)
	}
	return text
}

// show prints the progress until the returned function is called. On a terminal it replaces the
// line, otherwise it prints a line twice a minute.
func (p *Progress) show(w io.Writer, terminal bool) (end func()) {
	every, clear, newline := 30*time.Second, "", "\n"
	if terminal {
		every, clear, newline = 200*time.Millisecond, "\r\033[K", ""
	}
	stop := make(chan struct{})
	var printer sync.WaitGroup
	printer.Go(func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				fmt.Fprint(w, clear)
				return
			case <-tick.C:
				fmt.Fprint(w, clear, p.String(), newline)
			}
		}
	})
	return func() {
		close(stop)
		printer.Wait()
	}
}
