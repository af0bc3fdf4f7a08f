package main

import (
	"os"
	"path/filepath"
)

// A place is where programs and files of a run lie.
type place struct {
	root     string // of the repository
	folder   string // what the browser is served, see stage
	chromium string
}

// launch starts the process that holds an engine: bagscope and plain natively, onnxruntime
// natively, or all that run in the browser. It returns when the process can do what it is for.
func (p place) launch(at seat) (*child, error) {
	c, err := p.start(at)
	if err != nil {
		return nil, err
	}
	if _, err := c.ask(Request{Op: "ready"}); err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

func (p place) start(at seat) (*child, error) {
	switch {
	case at.target == targetBrowser:
		return start("Chromium", []string{"CHROMIUM=" + p.chromium}, "node", p.peer("browser.mjs"),
			p.folder)
	case at.engine == enginePeer:
		return start("onnxruntime-node", nil, "node", p.peer("native.mjs"),
			filepath.Join(p.folder, "data"))
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return start("bagscope", []string{"GOMAXPROCS=1"}, self, "-serve",
		filepath.Join(p.folder, "data"))
}

func (p place) peer(file string) string {
	return filepath.Join(p.root, "tools/dev/bench/peers",
		file)
}

// engines are the processes of a run. One that does not start is missing.
type engines struct {
	place   place
	running map[seat]*child
	missing map[seat]error
}

func newEngines(p place) *engines {
	return &engines{p, map[seat]*child{}, map[seat]error{}}
}

// at returns the process of an engine, which starts at its first use.
func (e *engines) at(at seat) (*child, error) {
	if at.target == targetBrowser || at.engine == enginePlain {
		at.engine = engineOurs // they share a process
	}
	if e.running[at] == nil && e.missing[at] == nil {
		c, err := e.place.launch(at)
		if err != nil {
			e.missing[at] = err
			return nil, err
		}
		e.running[at] = c
	}
	return e.running[at], e.missing[at]
}

func (e *engines) close() {
	for _, c := range e.running {
		c.close()
	}
}
