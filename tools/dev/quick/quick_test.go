package main

import (
	"slices"
	"strings"
	"testing"
)

var small = []pkg{
	{ImportPath: modulePath + "/core"},
	{ImportPath: modulePath + "/core/bagio", Imports: []string{"io", modulePath + "/core"}},
	{ImportPath: modulePath + "/engine", XTestImports: []string{modulePath + "/core/bagio"}},
	{ImportPath: modulePath + "/tool", Imports: []string{modulePath + "/engine"}},
	{ImportPath: modulePath + "/internal/testfile"},
	{ImportPath: modulePath + "/alone", TestImports: []string{modulePath + "/internal/testfile"}},
}

func TestAffected(t *testing.T) {
	for _, c := range []struct {
		name, files, want string // rings by ";", packages by space
	}{
		{"a file at the bottom", "core/a.go", "core; core/bagio; engine"},
		{"two packages", "engine/a.go core/bagio/b_test.go", "core/bagio engine; tool"},
		{"a file that a test reads", "core/bagio/testdata/fuzz/x", "core/bagio; engine"},
		{"committed test data", "testdata/models/m.onnx", "internal/testfile; alone"},
		{"the modules", "go.mod", "alone core core/bagio engine internal/testfile tool"},
		{"no package", "README.md www/src/a.ts", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var rings []string
			for _, ring := range affected(small, strings.Fields(c.files)) {
				rings = append(rings, strings.ReplaceAll(strings.Join(ring, " "), modulePath+"/",
					""))
			}
			if got := strings.Join(rings, "; "); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// TestReport names the packages whose tests did not end, and the targets for files that are not
// Go's.
func TestReport(t *testing.T) {
	var w strings.Builder
	report(&w, []string{"www/src/a.ts"}, [][]string{{modulePath + "/core"}, {modulePath + "/tool"}})
	for _, want := range []string{"these 2 packages", "  core\n", "  tool\n", "make www-test"} {
		if !strings.Contains(w.String(), want) {
			t.Errorf("it does not say %q: %s", want, &w)
		}
	}
	w.Reset()
	report(&w, []string{"core/a.go"}, nil)
	if got := w.String(); !strings.Contains(got, "short Go tests pass") ||
		strings.Contains(got, "TIME") {
		t.Errorf("it says %s", got)
	}
}

// TestRingsAreOfThisModule: the module's own packages are listed and import one another.
func TestRingsAreOfThisModule(t *testing.T) {
	t.Chdir("../../..")
	packages, err := listPackages(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	rings := affected(packages, []string{"core/consensus.go"})
	if len(rings) < 3 || !slices.Equal(rings[0], []string{modulePath + "/core"}) ||
		!slices.Contains(rings[1], modulePath+"/onnxbackend") {
		t.Errorf("rings %v", rings)
	}
}

// TestEndedPackages reads which packages go test has done with.
func TestEndedPackages(t *testing.T) {
	var shown strings.Builder
	e := &endedPackages{to: &shown}
	for _, part := range []string{"ok  \ta/b\t0.1s\n?",
		"   \ta/c\t[no test files]\n--- FAIL: TestX\nFAIL\ta/d\t1s\n"} {
		if _, err := e.Write([]byte(part)); err != nil {
			t.Fatal(err)
		}
	}
	if !e.has("a/b") || !e.has("a/c") || e.has("a/d") || e.has("a") ||
		!strings.Contains(shown.String(), "a/d") {
		t.Errorf("of %q", &shown)
	}
}
