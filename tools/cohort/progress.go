package cohort

import (
	"fmt"
	"io"
	"sync/atomic"
	"time"
)

// A Progress counts the work of this process. It stays at zero on a remote engine, whose workers
// are other processes.
type Progress struct {
	total, done, reused, failed atomic.Int64
	allRead                     atomic.Bool
}

// progress is the progress of the current run.
var progress Progress

func (p *Progress) begin() {
	for _, n := range []*atomic.Int64{&p.total, &p.done, &p.reused, &p.failed} {
		n.Store(0)
	}
	p.allRead.Store(false)
}

func (p *Progress) read() { p.allRead.Store(true) }

func (p *Progress) String() string {
	total := fmt.Sprint(p.total.Load())
	if !p.allRead.Load() {
		total += " or more"
	}
	text := fmt.Sprintf("%d of %s bags", p.done.Load(), total)
	if n := p.reused.Load(); n > 0 {
		text += fmt.Sprintf(", %d of them from earlier runs", n)
	}
	if n := p.failed.Load(); n > 0 {
		text += fmt.Sprintf(", %d failed", n)
	}
	return text
}

// show prints the progress until the returned function is called. On a terminal it replaces the
// line, otherwise it prints a line twice a minute.
func (p *Progress) show(w io.Writer, terminal bool) (end func()) {
	every := 30 * time.Second
	if terminal {
		every = 200 * time.Millisecond
	}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				if terminal {
					fmt.Fprint(w, "\r\033[K")
				}
				return
			case <-tick.C:
				if terminal {
					fmt.Fprint(w, "\r\033[K", p.String())
				} else {
					fmt.Fprintln(w, p.String())
				}
			}
		}
	}()
	return func() {
		close(stop)
		<-stopped
	}
}
