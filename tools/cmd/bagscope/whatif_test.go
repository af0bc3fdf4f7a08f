package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
	"github.com/bagscope/bagscope/tools/cmd/internal/clitest"
)

// TestWhatIfTexts checks the tables that people read. TestQuestions compares the answers.
func TestWhatIfTexts(t *testing.T) {
	for command, parts := range map[string][]string{
		"sets --several 2": {"class 3 an 8 and a 9", "proved", "15, 21", "evaluations"},
		"pairs --top 3": {"shapley interactions of 29 instances", "they complete each other",
			"and 403 more", "2 instances act alike: 15, 21"},
		"whatif": {"until class 3 an 8 and a 9 is no longer the largest", "remove 15",
			"fewest changes (proved): remove 15, 21; add none"},
		"inside --instance 15 --top 3": {"10 by 10 cells of instance 15", "and 97 more",
			"evaluations"},
		"groups": {"nearly equal for the model",
			"14 other instances are in no group"},
		"check --method one_removed": {"the map of one_removed", "layers: ", "evaluations"},
	} {
		t.Run(command, func(t *testing.T) {
			text := succeed(t, append(strings.Fields(command), "--model", exampleModel, "--bag",
				exampleBags)...)
			for _, part := range parts {
				must.Contain(t, text, part)
			}
		})
	}
}

// TestEveryWhatIfHasAView checks that the command of each what-if can write its answer.
func TestEveryWhatIfHasAView(t *testing.T) {
	rows := ask.WhatIfs()
	for _, w := range rows {
		must.Equal(t, views[w.Name].result != nil, true, w.Name)
	}
	must.Equal(t, len(views), len(rows))
}

// TestPairsTable checks that the CSV file has a row for each pair.
func TestPairsTable(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pairs.csv")
	succeed(t, "pairs", "--model", exampleModel, "--bag", exampleBags, "--csv", file)
	must.Equal(t, len(readCSV(t, file)), 1+29*28/2)
}

// TestDonorFile checks that a bag of another file is the donor that a bag of the same file is.
func TestDonorFile(t *testing.T) {
	args := []string{"whatif", "--model", exampleModel, "--bag", exampleBags, "--index", "3",
		"--class", "3", "--json"}
	var a ask.TurnAnswer
	text := succeed(t, append(args, "--donor", exampleBags)...)
	clitest.Decode(t, text, &a)
	must.Equal(t, text, succeed(t, append(args, "--donor-index", "0")...))
	must.Equal(t, len(a.Fewest.Added), 2, a.Fewest)
}

// TestWhatifMistakes checks the errors of flags that only the commands have.
func TestWhatifMistakes(t *testing.T) {
	for args, says := range map[string]string{
		"sets --model " + exampleModel: "--bag is missing",
		"pairs --model " + exampleModel + " --bag " + exampleBags +
			" --top -1": "--top must not be negative",
	} {
		t.Run(args, func(t *testing.T) {
			code, _, message := bagscope(t, strings.Fields(args)...)
			must.Equal(t, code, cli.ExitUsage)
			must.Contain(t, message, says)
		})
	}
}
