package main

import (
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// modulePath is removed from the names of packages.
const modulePath = "github.com/bagscope/bagscope/"

// A group is a testsuite element, or the root, of a JUnit report.
type group struct {
	Name   string  `xml:"name,attr"`
	Groups []group `xml:"testsuite"`
	Cases  []struct {
		Class   string `xml:"classname,attr"` // package of a Go test
		Name    string `xml:"name,attr"`
		Skipped *struct {
			Message string `xml:"message,attr"`
		} `xml:"skipped"`
	} `xml:"testcase"`
}

// junitTests returns the outcome of each test in reports, of which none may be empty. The runner
// itself reports failed tests.
func junitTests(files []string) ([]outcome, error) {
	var tests []outcome
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		var root group
		if err := xml.Unmarshal(data, &root); err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Base(file), err)
		}
		ran := root.tests("")
		if len(ran) == 0 {
			return nil, fmt.Errorf("%s: no test ran", filepath.Base(file))
		}
		tests = append(tests, ran...)
	}
	return tests, nil
}

// tests returns the tests of a group and of the groups inside. The prefix of their names is within.
func (g group) tests(within string) []outcome {
	var list []outcome
	for _, c := range g.Cases {
		o := outcome{name: within + c.Name}
		if folder, ok := strings.CutPrefix(c.Class, modulePath); ok {
			o.name = folder + "." + c.Name
		}
		if c.Skipped != nil {
			o.skipped, o.reason = true, strings.Join(strings.Fields(c.Skipped.Message), " ")
		}
		list = append(list, o)
	}
	for _, inner := range g.Groups {
		list = append(list, inner.tests(within+inner.Name+" > ")...)
	}
	return list
}
