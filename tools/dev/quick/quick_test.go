package main

import (
	"slices"
	"strings"
	"testing"
)

var small = []pkg{
	{ImportPath: modulePath + "/core"},
	{ImportPath: modulePath + "/core/bagio", Imports: []string{"io", modulePath + "/core"},
		Deps: []string{"io", modulePath + "/core"}},
	{ImportPath: modulePath + "/engine", XTestImports: []string{modulePath + "/core/bagio"}},
	{ImportPath: modulePath + "/tool", Imports: []string{modulePath + "/engine"},
		Deps: []string{modulePath + "/engine"}},
	{ImportPath: modulePath + "/internal/testfile"},
	{ImportPath: modulePath + "/other", TestImports: []string{modulePath + "/internal/testfile"}},
}

func TestAffectedListsNearestPackagesFirst(t *testing.T) {
	for _, c := range []struct {
		name, files, want string
	}{
		// The tests of engine import bagio. The code of tool does not depend on tests of engine.
		{"a package that others import", "core/a.go", "core core/bagio engine"},
		{"two packages", "engine/a.go core/bagio/b_test.go", "core/bagio engine tool"},
		{"a file that a test reads", "core/bagio/testdata/fuzz/x", "core/bagio engine"},
		{"committed test data", "testdata/models/m.onnx", "internal/testfile other"},
		{"the modules", "go.mod", "core core/bagio engine tool internal/testfile other"},
		{"no package", "README.md www/src/a.ts", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			names := strings.Join(affected(small, strings.Fields(c.files)), " ")
			if got := strings.ReplaceAll(names, modulePath+"/", ""); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestAffectedOfThisModule(t *testing.T) {
	t.Chdir("../../..")
	packages, err := listPackages(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	names := affected(packages, []string{"core/consensus.go"})
	if len(names) < 10 || names[0] != modulePath+"/core" ||
		!slices.Contains(names, modulePath+"/onnxbackend") {
		t.Errorf("affected packages %v", names)
	}
}

func TestReportNamesUnfinishedPackagesAndTargets(t *testing.T) {
	var w strings.Builder
	report(&w, []string{"www/src/a.ts"}, []string{modulePath + "/core", modulePath + "/tool"})
	for _, want := range []string{"2 packages did not finish", "  core\n", "  tool\n",
		"make www-test"} {
		if !strings.Contains(w.String(), want) {
			t.Errorf("the report lacks %q: %s", want, &w)
		}
	}
	w.Reset()
	report(&w, []string{"core/a.go"}, nil)
	if got := w.String(); !strings.Contains(got, "short Go tests pass") ||
		strings.Contains(got, "did not finish") {
		t.Errorf("the report of a finished run is %s", got)
	}
}

func TestUnfinishedReadsOutputOfGoTest(t *testing.T) {
	const printed = "ok  \ta/b\t0.1s\n?   \ta/c\t[no test files]\n--- FAIL: TestX\nFAIL\ta/d\t1s\n"
	got := unfinished([]string{"a/b", "a/c", "a/d", "a"}, printed)
	if !slices.Equal(got, []string{"a/d", "a"}) {
		t.Errorf("got %q", got)
	}
}
