package main

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
)

// A groupsAnswer is written as a table or as CSV. The server uses the same JSON.
type groupsAnswer struct{ *ask.GroupsAnswer }

// newGroups returns the command that prints which instances are alike.
func newGroups() *cobra.Command {
	var (
		flags cli.AskFlags
		form  cli.OutputFlags
	)
	c := cli.Command("groups",
		"Find groups of instances that the model encodes to nearly the same values",
		func(c *cobra.Command) error {
			ask, in, err := flags.Open(c)
			if err != nil {
				return err
			}
			update, end := cli.Evaluations(c)
			answer, err := ask.Groups(c.Context(), in, update)
			end()
			if err != nil {
				return err
			}
			out := groupsAnswer{answer}
			return form.Write(c, cli.Result{JSON: answer, Rows: out.csv, Text: out.text})
		})
	flags.Register(c, nil)
	form.Register(c, "write the instances of groups to a CSV file")
	return c
}

// csv returns a row for each instance of a group, after the heading.
func (a groupsAnswer) csv() [][]string {
	rows := [][]string{{"instance", "group"}}
	for n, group := range a.Groups {
		for _, i := range group {
			rows = append(rows, []string{strconv.Itoa(i), strconv.Itoa(n)})
		}
	}
	return rows
}

// text appends a row for each group.
func (a groupsAnswer) text(to *bytes.Buffer) {
	writeAnswered(to, a.Answered)
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
