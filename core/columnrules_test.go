package core

import (
	"errors"
	"slices"
	"testing"
)

// TestParseColumnRules reads rules, writes them again, and refuses other texts.
func TestParseColumnRules(t *testing.T) {
	for text, want := range map[string]ColumnRules{
		"slide=bag; stain*=skip":  {{"slide", ColumnBag}, {"stain*", ColumnSkip}},
		" a=b = LABEL ;;\n#3=x\n": {{"a=b", ColumnLabel}, {"#3", ColumnX}},
		"; \n":                    nil,
		"":                        nil,
	} {
		got, err := ParseColumnRules(text)
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("%q: %v, %v; want %v", text, got, err, want)
		}
		if again, err := ParseColumnRules(got.String()); err != nil || !slices.Equal(again, got) {
			t.Errorf("%q is read as %v, %v", got.String(), again, err)
		}
	}
	for _, text := range []string{"slide", "=bag", "slide=", "slide=corner", "slide=bag; x",
		"slide:bag"} {
		var setting *SettingError
		if got, err := ParseColumnRules(text); !errors.As(err, &setting) {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	for _, r := range ColumnRoles() {
		if want := r != ColumnFeature && r != ColumnSkip; r.Single() != want {
			t.Errorf("%s: Single is %v", r, r.Single())
		}
	}
}
