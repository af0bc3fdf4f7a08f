package main

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
)

// turnText appends the steps of the greedy search, and the fewest changes.
func turnText(to *bytes.Buffer, a *ask.TurnAnswer, _ int) {
	writeAnswered(to, a.Answered)
	if a.Donor != nil {
		fmt.Fprintf(to, "instances to add: the %d of %s\n", a.Donor.Instances,
			msg.Line(a.Donor.Name))
	}
	fmt.Fprintf(to, "\n%s, one by one\n", turnAim(a))
	t := cli.Table{Words: true}
	t.Add("step", "change", string(a.Output))
	for n, s := range a.Steps {
		t.Add(strconv.Itoa(n+1), changeText(s.Added)+" "+strconv.Itoa(s.Instance),
			cli.Short(float64(s.Values[a.Class])))
	}
	t.Write(to)
	if !a.Turned {
		to.WriteString("these steps do not turn the answer\n")
	}
	to.WriteString("\n")
	if f := a.Fewest; f == nil {
		to.WriteString("no set of changes that turns the answer was found\n")
	} else {
		fmt.Fprintf(to, "fewest changes (%s): remove %s; add %s; then %s\n",
			provedText(f.Smallest), instancesText(f.Removed), instancesText(f.Added),
			cli.Short(float64(f.Values[a.Class])))
	}
	fmt.Fprintf(to, "\n%d evaluations, seed %d\n", a.Evaluations, a.Seed)
	cli.WriteNotes(to, a.Notes)
}

// turnAim returns what the changes are to do.
func turnAim(a *ask.TurnAnswer) string {
	class := msg.Line(classTitle(a.Class, a.Classes[a.Class]))
	switch {
	case a.Level != nil && a.Above:
		return msg.Sprintf("until class %s is at least %s", class, cli.Short(float64(*a.Level)))
	case a.Level != nil:
		return msg.Sprintf("until class %s is below %s", class, cli.Short(float64(*a.Level)))
	case a.Above:
		return msg.Sprintf("until class %s is the largest", class)
	}
	return msg.Sprintf("until class %s is no longer the largest", class)
}

// changeText names a change.
func changeText(added bool) string {
	if added {
		return "add"
	}
	return "remove"
}
