package main

import (
	"fmt"
	"io"
	"os"
	"time"
)

// A progress shows how far a run is on a terminal, and nothing anywhere else.
type progress struct {
	w     io.Writer
	what  string
	last  time.Time
	shown bool
}

// newProgress returns nil where w is no terminal; the methods of a nil progress do nothing.
func newProgress(w io.Writer, what string) *progress {
	f, ok := w.(*os.File)
	if !ok {
		return nil
	}
	if info, err := f.Stat(); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return nil
	}
	return &progress{w: w, what: what}
}

// update is called as often as one likes, but never concurrently.
func (p *progress) update(done, total int) {
	if p.due() {
		p.say(fmt.Sprintf("%d of %d %s", done, total, p.what))
	}
}

// due reports whether it is time to say something new.
func (p *progress) due() bool {
	const refresh = 100 * time.Millisecond
	return p != nil && time.Since(p.last) >= refresh
}

// say puts a text in place of the last one.
func (p *progress) say(text string) {
	p.last, p.shown = time.Now(), true
	fmt.Fprintf(p.w, "\r\033[K%s", text)
}

// end wipes the line.
func (p *progress) end() {
	if p != nil && p.shown {
		fmt.Fprint(p.w, "\r\033[K")
	}
}
