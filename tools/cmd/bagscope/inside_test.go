package main

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/tools/cmd/internal/clitest"
)

// TestInsideCommand checks that hiding an 8 takes away from "an 8 and a 9", and that its map has
// evident cells in ink.
func TestInsideCommand(t *testing.T) {
	args := []string{"inside", "--model", exampleModel, "--bag", exampleBags, "--instance", "15"}
	var a ask.InsideAnswer
	keys := clitest.Decode(t, succeed(t, append(args, "--json")...), &a)
	clitest.RequireKeys(t, keys, "model bag class prediction instance cell rows columns hidden "+
		"unit scores stderr evident whole without samples contexts notes")
	if a.Class != 3 || a.Instance != 15 || a.Cell != 3 || len(a.Scores) != 100 ||
		len(a.StdErr) != 100 || a.Whole < 1 || a.Unit != "log-odds" {
		t.Fatalf("%d cells of %d pixels, class %d, whole %v %s", len(a.Scores), a.Cell, a.Class,
			a.Whole, a.Unit)
	}
	top := 0
	for c := range a.Scores {
		if math.Abs(float64(a.Scores[c])) > math.Abs(float64(a.Scores[top])) {
			top = c
		}
	}
	if !a.Evident[top] {
		t.Errorf("the largest score %v with the error %v is not evident", a.Scores[top],
			a.StdErr[top])
	}
	text := succeed(t, append(args, "--top", "3")...)
	for _, part := range []string{"10 by 10 cells of instance 15", "and 97 more", "evaluations"} {
		if !strings.Contains(text, part) {
			t.Errorf("%q is missing in\n%s", part, text)
		}
	}
}

// TestGroupsCommand checks that the 8s and 9s, which the network tells apart from other digits, are
// in groups of their own, and that the table counts the instances.
func TestGroupsCommand(t *testing.T) {
	data, err := os.ReadFile(exampleBags)
	if err != nil {
		t.Fatal(err)
	}
	set, err := bagio.Read(exampleBags, data, bagio.Options{})
	if err != nil {
		t.Fatal(err)
	}
	bag, err := set.Bag(0)
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"groups", "--model", exampleModel, "--bag", exampleBags}
	var a ask.GroupsAnswer
	keys := clitest.Decode(t, succeed(t, append(args, "--json")...), &a)
	clitest.RequireKeys(t, keys, "model bag class prediction groups notes")
	if len(a.Groups) == 0 {
		t.Fatal("no groups")
	}
	key := func(i int) int { return max(7, bag.Labels[i]) }
	grouped := 0
	for _, group := range a.Groups {
		grouped += len(group)
		for _, i := range group {
			if len(group) < 2 || key(i) != key(group[0]) {
				t.Errorf("a %d in the group %v of a %d", bag.Labels[i], group, bag.Labels[group[0]])
			}
		}
	}
	text := succeed(t, args...)
	for _, part := range []string{"nearly equal for the model",
		fmt.Sprintf("%d other instances are in no group", bag.Len()-grouped)} {
		if !strings.Contains(text, part) {
			t.Errorf("%q is missing in\n%s", part, text)
		}
	}
}

// TestCheckCommand checks that the map of a trained network passes, and that an option changes the
// method.
func TestCheckCommand(t *testing.T) {
	args := []string{"check", "--model", exampleModel, "--bag", exampleBags}
	var a ask.CheckAnswer
	keys := clitest.Decode(t, succeed(t, append(args, "--json")...), &a)
	clitest.RequireKeys(t, keys, "model bag class prediction method seeds layers noise mark notes")
	if a.Method != "consensus" || a.Layers == nil || !a.Layers.Passed || !a.Noise.Passed ||
		!a.Mark.Passed || len(a.Mark.Instances) != 3 {
		t.Errorf("%+v, %+v, %+v", a.Layers, a.Noise, a.Mark)
	}
	text := succeed(t, append(args, "--method", "one_removed")...)
	for _, part := range []string{"the map of one_removed", "layers: ", "evaluations"} {
		if !strings.Contains(text, part) {
			t.Errorf("%q is missing in\n%s", part, text)
		}
	}
}
