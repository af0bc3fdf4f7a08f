package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"io"
	"os"
	"testing"

	"github.com/spf13/pflag"

	"github.com/bagscope/bagscope/internal/must"
)

var update = flag.Bool("update", false, "write the reference of the commands again")

// commandReference is the file from which the site's documentation makes its page of commands.
const commandReference = "../../../www/docs/commands.json"

// A commandText is what the help of a command states.
type commandText struct {
	Name    string     `json:"name"`
	Short   string     `json:"short"`
	Long    string     `json:"long,omitempty"`
	Use     string     `json:"use"`
	Example string     `json:"example,omitempty"`
	Flags   []flagText `json:"flags,omitempty"`
}

// A flagText is what the help states about a flag.
type flagText struct {
	Name    string `json:"name"`
	Letter  string `json:"letter,omitempty"`
	Value   string `json:"value,omitempty"` // placeholder of its value, "" for a switch
	Default string `json:"default,omitempty"`
	Help    string `json:"help"`
}

// TestCommandReference compares the commands and flags with the reference. -update writes it again.
func TestCommandReference(t *testing.T) {
	var list []commandText
	for _, c := range newRoot(io.Discard, io.Discard).Commands() {
		if c.Hidden || c.Name() == "help" || c.Name() == "completion" {
			continue
		}
		text := commandText{Name: c.Name(), Short: c.Short, Long: c.Long, Use: c.UseLine(),
			Example: c.Example}
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden && f.Name != "help" {
				text.Flags = append(text.Flags, textOf(f))
			}
		})
		list = append(list, text)
	}
	var want bytes.Buffer
	e := json.NewEncoder(&want)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	must.Do(t, e.Encode(list))
	if *update {
		must.Do(t, os.WriteFile(commandReference, want.Bytes(), 0o666))
	}
	got := must.Get(os.ReadFile(commandReference))(t)
	must.EqualSlices(t, got, want.Bytes(), commandReference)
}

// textOf returns what the help states about a flag.
func textOf(f *pflag.Flag) flagText {
	value, usage := pflag.UnquoteUsage(f)
	text := flagText{Name: f.Name, Letter: f.Shorthand, Value: value, Help: usage}
	switch f.DefValue {
	case "", "0", "false", "[]", "0s":
	default:
		text.Default = f.DefValue
	}
	return text
}
