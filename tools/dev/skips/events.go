package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

const modulePath = "github.com/bagscope/bagscope/"

// An event is a line that go test -json writes.
type event struct {
	Action, Package, Test, Output, ImportPath string
	Elapsed                                   float64
}

// readEvents reads what go test -json writes until its end, and prints the result of each package
// and the output of each package or test that failed.
func readEvents(r io.Reader, w io.Writer) ([]outcome, error) {
	var tests []outcome
	output := map[string]*strings.Builder{}
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadString('\n')
		if err == io.EOF && line == "" {
			return tests, nil
		}
		if err != nil && err != io.EOF {
			return tests, err
		}
		var e event
		if json.Unmarshal([]byte(line), &e) != nil {
			fmt.Fprint(w, line) // what is not an event is a message of the go command
			continue
		}
		name := strings.TrimPrefix(e.Package, modulePath)
		if e.Test != "" {
			name += "." + e.Test
		}
		switch e.Action {
		case "build-output":
			fmt.Fprint(w, e.Output)
		case "output":
			if e.Test == "" && e.Output == "PASS\n" {
				continue // the line below it says so too
			}
			if output[name] == nil {
				output[name] = &strings.Builder{}
			}
			output[name].WriteString(e.Output)
		case "pass", "fail", "skip":
			said := ""
			if output[name] != nil {
				said = output[name].String()
				delete(output, name)
			}
			if e.Action == "fail" || e.Test == "" && e.Action == "pass" {
				fmt.Fprint(w, said)
			}
			if e.Test != "" && e.Action != "fail" {
				tests = append(tests, outcome{name, e.Action == "skip",
					strings.Join(strings.Fields(said), " ")})
			}
		}
	}
}
