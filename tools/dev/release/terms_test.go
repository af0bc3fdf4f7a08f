package main

import (
	"os"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/tools/dev/linked"
)

// TestTerms checks that what has no licence, or one that is not allowed, stops a release.
func TestTerms(t *testing.T) {
	apache, err := os.ReadFile("../../../LICENSE")
	if err != nil {
		t.Fatal(err)
	}
	gpl := "This program is free software: you can redistribute it and/or modify it under the " +
		"terms of the GNU General Public License as published by the Free Software Foundation, " +
		"either version 3 of the License, or (at your option) any later version."
	module := func(name string, files ...linked.Licence) materials {
		return materials{modules: []linked.Module{{Path: "example.com/" + name, Sum: "h1:AAEC",
			Licences: files}}}
	}
	good := linked.Licence{File: "LICENSE", Text: string(apache)}
	for name, c := range map[string]struct {
		m    materials
		want string // a part of the error; empty for none
	}{
		"allowed":    {module("a", good, linked.Licence{File: "NOTICE", Text: "by A"}), ""},
		"no licence": {module("a"), "no known licence"},
		"unknown part": {module("a", good, linked.Licence{File: "b/COPYING", Text: "Ask me."}),
			"b/COPYING"},
		"GPL": {module("a", good, linked.Licence{File: "COPYING", Text: gpl}),
			`"GPL-3.0-or-later"`},
		"package":        {materials{bundled: []bundled{{"a", "1", "ISC"}}}, ""},
		"GPL of package": {materials{bundled: []bundled{{"a", "1", "GPL-2.0"}}}, `"GPL-2.0"`},
		"GPL of material": {materials{modules: []linked.Module{{Path: linked.Own,
			Materials: []linked.Material{{Name: "a", License: "GPL-2.0"}}}}}, `"GPL-2.0"`},
		"no field": {materials{bundled: []bundled{{"a", "1", ""}}}, `a has the licence ""`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := c.m.bill(source{}, "", "")
			if c.want == "" && err != nil {
				t.Error(err)
			}
			if c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("error %v, want one with %s", err, c.want)
			}
		})
	}
}

// TestTermsOfPrograms checks the licences of everything that programs link.
func TestTermsOfPrograms(t *testing.T) {
	r := &release{source: source{root: "../../.."}}
	engine, err := r.engine(t.Context(), "gpu")
	if err != nil {
		t.Fatal(err)
	}
	for _, programs := range [][]program{{everyday, train}, {cohort, boot}} {
		modules := must.Get(r.linked(t.Context(), platform{"linux", "amd64"}, programs...))(t)
		m := materials{modules: linked.Union(modules, engine), bundled: []bundled{roots}}
		if _, err := m.bill(source{}, "", ""); err != nil {
			t.Error(err)
		}
	}
}
