package query

import (
	"os"
	"reflect"
	"strings"
	"testing"
)

// TestEveryCardKeyIsDocumented looks for each key of a card, and of the objects in it, in the
// engine's README.
func TestEveryCardKeyIsDocumented(t *testing.T) {
	text, err := os.ReadFile("../../../onnxbackend/README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, object := range []any{Card{}, Preprocess{}, Patch{}, Truth{}} {
		for _, field := range reflect.VisibleFields(reflect.TypeOf(object)) {
			key, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			if !strings.Contains(string(text), "`"+key+"`") {
				t.Errorf("the README does not say what %q means", key)
			}
		}
	}
}
