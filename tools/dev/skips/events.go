package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// modulePath is removed from the names of packages.
const modulePath = "github.com/bagscope/bagscope/"

// An event is a line of the output of go test -json, see go doc test2json.
type event struct {
	Action, Package, Test, Output, ImportPath string
	Elapsed                                   float64
}

// readEvents reads the output of go test -json. It prints the result of each package, and the
// output of each package or test that failed.
func readEvents(r io.Reader, w io.Writer) ([]outcome, error) {
	run := events{to: w, output: map[string]string{}}
	for lines := bufio.NewReader(r); ; {
		line, err := lines.ReadString('\n')
		if err == io.EOF && line == "" {
			return run.tests, nil
		}
		if err != nil && err != io.EOF {
			return run.tests, err
		}
		var e event
		if json.Unmarshal([]byte(line), &e) != nil {
			fmt.Fprint(w, line) // a message of the go command itself
			continue
		}
		run.add(e)
	}
}

// events are the events of a run so far.
type events struct {
	to     io.Writer
	tests  []outcome
	output map[string]string // output of each unfinished package or test
}

// add records an event, and prints what must be seen.
func (r *events) add(e event) {
	name := strings.TrimPrefix(e.Package, modulePath)
	if e.Test != "" {
		name += "." + e.Test
	}
	switch e.Action {
	case "build-output":
		fmt.Fprint(r.to, e.Output)
	case "output":
		// After a package's PASS follows its line with ok, which is enough.
		if e.Test != "" || e.Output != "PASS\n" {
			r.output[name] += e.Output
		}
	case "pass", "fail", "skip":
		r.end(e, name)
	}
}

// end records the end of a package or a test.
func (r *events) end(e event, name string) {
	if e.Action == "fail" && e.Test == "" {
		printUnfinished(r.to, name, r.output)
	}
	if e.Action == "fail" || e.Test == "" && e.Action == "pass" {
		fmt.Fprint(r.to, r.output[name])
	}
	if e.Test != "" && e.Action != "fail" {
		r.tests = append(r.tests, outcome{name, e.Action == "skip",
			strings.Join(strings.Fields(r.output[name]), " ")})
	}
	delete(r.output, name)
}

// printUnfinished prints the output of the tests of a package that did not end: a panic is output
// of the test that was running, and ends the package instead of the test.
func printUnfinished(w io.Writer, name string, output map[string]string) {
	for _, test := range slices.Sorted(maps.Keys(output)) {
		if strings.HasPrefix(test, name+".") {
			fmt.Fprint(w, output[test])
			delete(output, test)
		}
	}
}
