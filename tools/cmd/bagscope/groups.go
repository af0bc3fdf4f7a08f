package main

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
)

// groupsCSV returns a row for each instance of a group, or for each concept, after the heading.
func groupsCSV(a *ask.GroupsAnswer) [][]string {
	if a.Concepts != nil {
		return a.ConceptRows()
	}
	rows := [][]string{{"instance", "group"}}
	for n, group := range a.Groups {
		for _, i := range group {
			rows = append(rows, []string{strconv.Itoa(i), strconv.Itoa(n)})
		}
	}
	return rows
}

// groupsText appends a row for each group.
func groupsText(to *bytes.Buffer, a *ask.GroupsAnswer, _ int) {
	writeAnswered(to, a.Answered)
	if a.Concepts != nil {
		conceptsText(to, a)
		return
	}
	grouped := 0
	t := cli.Table{Words: true}
	t.Add("count", "instances")
	for _, group := range a.Groups {
		grouped += len(group)
		t.Add(strconv.Itoa(len(group)), instancesText(group))
	}
	if grouped == 0 {
		to.WriteString("\nno two instances are nearly equal for the model\n")
	} else {
		to.WriteString("\ninstances that are nearly equal for the model\n")
		t.Write(to)
		fmt.Fprintf(to, "%d other instances are in no group\n", a.Bag.Instances-grouped)
	}
	cli.WriteNotes(to, a.Notes)
}
