package main

import (
	"io"
	"testing"

	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/ask"
)

// TestAdviceFlags: the flags that errors name exist on the commands that read bags and models, and
// on serve.
func TestAdviceFlags(t *testing.T) {
	root := newRoot(io.Discard, io.Discard)
	has := func(command string, flag string) {
		t.Helper()
		c, _, err := root.Find([]string{command})
		must.Do(t, err)
		if flag != "" && c.Flags().Lookup(flag[len("--"):]) == nil {
			t.Errorf("%s has no flag %s", command, flag)
		}
	}
	errs := []error{&quota.MemoryError{}}
	for _, s := range []string{"bytes", "elements", "pixels", "instances", "bags", "columns"} {
		errs = append(errs, &bagio.LimitError{Setting: s})
	}
	for _, s := range []string{"modelBytes", "elements", "runBytes", "work"} {
		errs = append(errs, &onnxbackend.LimitError{Setting: s})
	}
	for _, err := range errs {
		for _, command := range []string{"explain", "predict", "evaluate", "inspect"} {
			has(command, ask.RaisedBy(err, ask.CommandLine))
		}
		has("serve", ask.RaisedBy(err, ask.Server))
	}
}
