package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

var (
	shellBlock = regexp.MustCompile("(?s)```sh\n(.*?)```")
	plainBlock = regexp.MustCompile("(?s)```\n(.*?)```")
	longFlag   = regexp.MustCompile(`--([a-z_-]+)`)
)

// TestReadme runs the page's commands, block after block, as a reader would, and then holds what
// the cohort says of each bag to what the command line prints.
func TestReadme(t *testing.T) {
	for _, program := range []string{"sh", "make"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("there is no %s here", program)
		}
	}
	const root = "../../.."
	page := must.Get(os.ReadFile("../README.md"))(t)
	folder := filepath.Join(root, "build", "cohort")
	must.Do(t, os.RemoveAll(folder))
	blocks := shellBlock.FindAllStringSubmatch(string(page), -1)
	must.Equal(t, len(blocks) >= 4, true, len(blocks))
	said := ""
	for _, block := range blocks {
		cmd := exec.CommandContext(t.Context(), "sh", "-eu", "-c", block[1])
		cmd.Dir = root
		out, err := cmd.CombinedOutput()
		must.Do(t, err, block[1], out)
		said += string(out)
	}
	for _, want := range []string{"6 of 6 bags explained", `"kinds":{"file":1}`,
		"missing.onnx does not exist"} {
		must.Contain(t, said, want)
	}
	must.Equal(t, strings.Contains(said, "INFO"), false, said)
	must.Equal(t, strings.Contains(said, "WARN"), false, said)
	for _, c := range []struct{ results, args string }{
		{"out", "--method milli,single --settings mnist"},
		{"two", "--method milli --samples 60 --index 4"},
	} {
		data := must.Get(os.ReadFile(filepath.Join(folder, c.results, "results.jsonl")))(t)
		lines := bytes.Split(bytes.TrimSpace(data), []byte("\n"))
		if len(lines) < 1 || c.results == "out" && len(lines) != 6 {
			t.Fatalf("%s has %d lines", c.results, len(lines))
		}
		for _, line := range lines {
			var r struct {
				Index       json.Number
				Explanation json.RawMessage
			}
			must.Do(t, json.Unmarshal(line, &r))
			args := append([]string{"explain", "--model", "examples/digits/model.onnx", "--bag",
				"examples/digits/bags.npz", "--json"}, strings.Fields(c.args)...)
			if c.results == "out" {
				args = append(args, "--index", r.Index.String(), "--seed", r.Index.String())
			}
			cmd := exec.CommandContext(t.Context(), "build/bagscope", args...)
			cmd.Dir = root
			want, err := cmd.Output()
			if err != nil || string(r.Explanation)+"\n" != string(want) {
				t.Errorf("%v: %v: the cohort says\n%.300s\nand the command line\n%.300s", args, err,
					r.Explanation, want)
			}
		}
	}
}

// TestReadmeFlags wants the flags of commands that need an engine elsewhere to exist.
func TestReadmeFlags(t *testing.T) {
	page := must.Get(os.ReadFile("../README.md"))(t)
	var ours flags
	known := flag.NewFlagSet("", flag.ContinueOnError)
	ours.register(known)
	blocks := plainBlock.FindAllStringSubmatch(shellBlock.ReplaceAllString(string(page), ""), -1)
	must.Equal(t, len(blocks) != 0, true, "the page has no plain block")
	for _, block := range blocks {
		for _, m := range longFlag.FindAllStringSubmatch(block[1], -1) {
			if known.Lookup(m[1]) == nil && flag.Lookup(m[1]) == nil {
				t.Errorf("there is no flag --%s", m[1])
			}
		}
	}
}
