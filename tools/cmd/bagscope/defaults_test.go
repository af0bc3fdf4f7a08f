package main

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// TestDefaultsOfReference gives commands the default values that the reference states: what they
// print stays the same. Other values, stated here, change it.
func TestDefaultsOfReference(t *testing.T) {
	var reference []commandText
	must.Do(t, json.Unmarshal(must.Get(os.ReadFile(commandReference))(t), &reference))
	other := map[string]string{"method": "milli", "class": "neither 8 nor 9", "output": "logit",
		"top": "3"}
	for command, flags := range map[string][]string{
		"explain": {"class", "colours", "device", "mean", "method", "output", "tiles-number",
			"top"},
		"predict": {"device", "mean", "output"},
	} {
		at := slices.IndexFunc(reference, func(c commandText) bool { return c.Name == command })
		args := []string{command, "--model", exampleModel, "--bag", exampleBags, "--index", "1"}
		plain := succeed(t, args...)
		var stated []string
		for _, f := range reference[at].Flags {
			if f.Default == "" {
				continue
			}
			stated = append(stated, f.Name)
			value := strings.Trim(f.Default, "[]")
			must.Equal(t, succeed(t, append(args, "--"+f.Name, value)...), plain, command, f.Name,
				value)
			if value, ok := other[f.Name]; ok && succeed(t, append(args, "--"+f.Name,
				value)...) == plain {
				t.Errorf("%s --%s %s changes nothing", command, f.Name, value)
			}
		}
		if slices.Sort(stated); !slices.Equal(stated, flags) {
			t.Errorf("%s has defaults of %q, want %q", command, stated, flags)
		}
	}
}
