// Package clitest runs command-line programs in tests, on the bundled example.
package clitest

import (
	"bytes"
	"encoding/json"
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

// WantKeys fails the test if an object lacks a key on which scripts rely.
func WantKeys(t *testing.T, object map[string]json.RawMessage, keys string) {
	t.Helper()
	for _, k := range strings.Fields(keys) {
		if _, ok := object[k]; !ok {
			t.Errorf("the key %q is missing", k)
		}
	}
}
