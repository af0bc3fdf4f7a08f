// Package clitest runs command-line programs in tests, on the bundled example.
package clitest

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
)

// The bundled example, seen from the folder of a program.
const (
	ExampleModel = "../../../examples/digits/model.onnx"
	ExampleBags  = "../../../examples/digits/bags.npz"
)

// Run runs a program in this process.
func Run(t *testing.T, p cli.Program, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errors bytes.Buffer
	code = p.Run(t.Context(), args, &out, &errors)
	return code, out.String(), errors.String()
}

// Succeed runs a command line by run and returns its output. It fails the test unless the exit code
// is ExitDone and stderr is empty, but for a note on a long wait: it tells how fast the machine is.
func Succeed(
	t *testing.T, run func(t *testing.T, args ...string) (code int, stdout, stderr string),
	args ...string,
) string {
	t.Helper()
	code, out, errors := run(t, args...)
	errors = longWait.ReplaceAllString(errors, "")
	if code != cli.ExitDone || errors != "" {
		t.Fatalf("bagscope %s: exit code %d, stderr %q", strings.Join(args, " "), code, errors)
	}
	return out
}

var longWait = regexp.MustCompile(`(?m)^  note: This takes .*\n`)

// Decode decodes a JSON object into v, and returns its keys.
func Decode(t *testing.T, text string, v any) map[string]json.RawMessage {
	t.Helper()
	if err := json.Unmarshal([]byte(text), v); err != nil {
		t.Fatalf("%v in %.200s", err, text)
	}
	keys := map[string]json.RawMessage{}
	if err := json.Unmarshal([]byte(text), &keys); err != nil {
		t.Fatal(err)
	}
	return keys
}

// RequireKeys fails the test if an object lacks one of the keys, which are separated by blanks.
// Scripts rely on them.
func RequireKeys(t *testing.T, object map[string]json.RawMessage, keys string) {
	t.Helper()
	for _, k := range strings.Fields(keys) {
		if _, ok := object[k]; !ok {
			t.Errorf("the key %q is missing", k)
		}
	}
}
