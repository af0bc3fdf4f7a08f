package main

import (
	"os"
	"path/filepath"
)

// peers is the folder of programs for Node.
const peers = "tools/dev/bench/peers/"

// paths are the folders and programs of a run.
type paths struct {
	folder   string // folder that the browser's server serves, see stage
	chromium string // program
}

// launch starts the process of an engine, and returns when it is ready. There are three kinds:
// bagscope and plain natively, onnxruntime natively, and all engines in the browser.
func (p paths) launch(at runner) (*child, error) {
	c, err := p.start(at)
	if err != nil {
		return nil, err
	}
	if _, err := c.call(Request{Op: "ready"}); err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

// start starts the process of an engine without waiting for it.
func (p paths) start(at runner) (*child, error) {
	switch {
	case at.target == targetBrowser:
		return start("Chromium", []string{"CHROMIUM=" + p.chromium}, "node", peers+"browser.mjs",
			p.folder)
	case at.engine == enginePeer:
		return start("onnxruntime-node", nil, "node", peers+"native.mjs",
			filepath.Join(p.folder, "data"))
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return start("bagscope", []string{"GOMAXPROCS=1"}, self, "-serve",
		filepath.Join(p.folder, "data"))
}

// engines are the processes of a run.
type engines struct {
	paths   paths
	running map[runner]*child
	missing map[runner]error // engines that did not start
}

// at returns the process of an engine, which starts at its first use.
func (e *engines) at(at runner) (*child, error) {
	if at.target == targetBrowser || at.engine == enginePlain {
		at.engine = engineOurs // these engines share a process
	}
	if e.running[at] == nil && e.missing[at] == nil {
		c, err := e.paths.launch(at)
		if err != nil {
			e.missing[at] = err
			return nil, err
		}
		e.running[at] = c
	}
	return e.running[at], e.missing[at]
}

// close ends all processes.
func (e *engines) close() {
	for _, c := range e.running {
		c.close()
	}
}
