package core

import (
	"errors"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// TestParseColumnRules reads rules, writes them again, and refuses other texts.
func TestParseColumnRules(t *testing.T) {
	for text, want := range map[string]ColumnRules{
		"slide=bag; stain*=skip":  {{"slide", ColumnBag}, {"stain*", ColumnSkip}},
		" a=b = LABEL ;;\n#3=x\n": {{"a=b", ColumnLabel}, {"#3", ColumnX}},
		"; \n":                    nil,
		"":                        nil,
	} {
		got := must.Get(ParseColumnRules(text))(t)
		must.EqualSlices(t, got, want, text)
		must.EqualSlices(t, must.Get(ParseColumnRules(got.String()))(t), got)
	}
	for _, text := range []string{"slide", "=bag", "slide=", "slide=corner", "slide=bag; x",
		"slide:bag"} {
		var setting *SettingError
		if got, err := ParseColumnRules(text); !errors.As(err, &setting) {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	for _, r := range ColumnRoles() {
		must.Equal(t, r.Single(), (r != ColumnFeature && r != ColumnSkip), r)
	}
}
