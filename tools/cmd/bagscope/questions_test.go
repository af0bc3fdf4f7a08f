package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/testfile"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
)

// TestQuestions answers the table of questions that every face answers alike.
func TestQuestions(t *testing.T) {
	for _, q := range testfile.Questions(t, true) {
		t.Run(q.Name, func(t *testing.T) {
			model, bags := q.Paths(t)
			args := []string{q.Question, "--model", model, "--bag", bags, "--json"}
			for key, value := range q.Options {
				if names, ok := value.([]any); ok { // --method a,b
					key = "method"
					value = strings.Trim(strings.Join(strings.Fields(fmt.Sprint(names)), ","), "[]")
				}
				flag := strings.ReplaceAll(key, "_", "-")
				args = append(args, fmt.Sprintf("--%s=%v", flag, value))
			}
			slices.Sort(args[6:])
			if q.Error == "" {
				q.SameAnswer(t, []byte(succeed(t, args...)))
				return
			}
			want, start := cli.ExitFailed, "bagscope: "
			if q.Error == "setting" { // the message names the flag
				want, start = cli.ExitUsage, "bagscope: --"
			}
			code, out, text := bagscope(t, args...)
			if code != want || out != "" || !strings.HasPrefix(text, start) ||
				!strings.Contains(text, q.Says) || strings.Count(text, "\n") != 1 {
				t.Errorf("code %d, %s%s, want %q", code, out, text, q.Says)
			}
		})
	}
}
