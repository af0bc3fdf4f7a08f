package main

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
)

// writeAnswered appends the bag and the value of the class. What follows names instances by their
// indices, which flags have, too.
func writeAnswered(to *bytes.Buffer, a ask.Answered) {
	fmt.Fprintf(to, "%s, %d instances, under %s\n", a.Bag.Name, a.Bag.Instances, a.Model.Name)
	fmt.Fprintf(to, "class %s: %s %s\n",
		msg.Line(classTitle(a.Class, a.Classes[a.Class])),
		cli.Short(float64(a.Prediction[a.Class])), msg.Line(string(a.Units[a.Class])))
	to.WriteString("instances are given by index, from 0\n")
}

// setsText appends a row for each set, and the curves.
func setsText(to *bytes.Buffer, a *ask.SetsAnswer, _ int) {
	writeAnswered(to, a.Answered)
	if a.Sufficient != nil {
		setList(to, "sufficient: these instances alone give the answer", "value alone",
			a.Sufficient)
	}
	if a.Necessary != nil {
		setList(to, "necessary: without these instances the bag does not give the answer",
			"value without", a.Necessary)
	}
	if a.Curves != nil {
		curveText(to, "kept", a.Curves.Kept)
		curveText(to, "removed", a.Curves.Removed)
	}
	fmt.Fprintf(to, "\n%d evaluations, seed %d\n", a.Evaluations, a.Seed)
	cli.WriteNotes(to, a.Notes)
}

// setList appends the sets of one kind.
func setList(to *bytes.Buffer, title, value string, list *ask.SetList) {
	fmt.Fprintf(to, "\n%s\n", title)
	t := cli.Table{Words: true}
	t.Add("size", value, "smallest", "instances")
	for _, d := range list.Sets {
		t.Add(strconv.Itoa(len(d.Instances)), cli.Short(float64(d.Value)), provedText(d.Smallest),
			instancesText(d.Instances))
	}
	if len(list.Sets) > 0 {
		t.Write(to)
	}
	cli.WriteNotes(to, list.Notes)
}

// provedText says whether a set is proved smallest.
func provedText(smallest bool) string {
	if smallest {
		return "proved"
	}
	return "no smaller found"
}

// instancesText lists instances, or says that there are none.
func instancesText(instances []int) string {
	if len(instances) == 0 {
		return "none"
	}
	return strings.Join(ask.ListOf(instances, strconv.Itoa), ", ")
}

// curveText appends the points of a curve.
func curveText(to *bytes.Buffer, title string, points []ask.CurvePoint) {
	to.WriteString("\n")
	t := cli.Table{}
	t.Add(title, "best order", "Consensus", "random order")
	for _, p := range points {
		t.Add(strconv.Itoa(p.Instances), cli.Short(float64(p.Best)), cli.Short(float64(p.Map)),
			cli.Short(float64(p.Random)))
	}
	t.Write(to)
}
