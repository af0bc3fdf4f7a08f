package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
)

// modulePath is the import path of the root of the repository.
const modulePath = "github.com/bagscope/bagscope"

// A pkg is a package of the module, as go list describes it.
type pkg struct {
	ImportPath                         string
	Imports, TestImports, XTestImports []string
	Deps                               []string // all packages that it imports, also indirectly
}

// listPackages returns all packages of the module.
func listPackages(ctx context.Context) ([]pkg, error) {
	out, err := output(ctx, "go", "list",
		"-json=ImportPath,Imports,TestImports,XTestImports,Deps", "./...")
	var list []pkg
	for d := json.NewDecoder(strings.NewReader(out)); err == nil; {
		var p pkg
		if err = d.Decode(&p); err == nil {
			list = append(list, p)
		}
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return list, err
}

// affected returns the packages that a change of files may break, the nearest first: packages with
// changed files, packages that import one of them directly, and all others that depend on one. The
// tests of a package belong to it. It does not find tests that read a file of another folder by its
// path.
func affected(packages []pkg, files []string) []string {
	changed := map[string]bool{}
	for _, file := range files {
		switch {
		case file == "go.mod" || file == "go.sum":
			for _, p := range packages {
				changed[p.ImportPath] = true
			}
		case strings.HasPrefix(file, "testdata/"):
			changed[modulePath+"/internal/testfile"] = true
		}
		changed[packageOf(packages, file)] = true
	}
	isChanged := func(name string) bool { return changed[name] }
	// dependent holds the packages whose code, without tests, depends on a changed package.
	dependent := map[string]bool{}
	for _, p := range packages {
		dependent[p.ImportPath] = slices.ContainsFunc(p.Deps, isChanged)
	}
	var byDistance [3][]string
	for _, p := range packages {
		imports := slices.Concat(p.Imports, p.TestImports, p.XTestImports)
		switch {
		case changed[p.ImportPath]:
			byDistance[0] = append(byDistance[0], p.ImportPath)
		case slices.ContainsFunc(imports, isChanged):
			byDistance[1] = append(byDistance[1], p.ImportPath)
		case slices.ContainsFunc(imports, func(name string) bool { return dependent[name] }):
			byDistance[2] = append(byDistance[2], p.ImportPath)
		}
	}
	return slices.Concat(byDistance[:]...)
}

// packageOf returns the import path of the nearest folder above a file that is a package, or "".
func packageOf(packages []pkg, file string) string {
	for dir := path.Dir(file); dir != "."; dir = path.Dir(dir) {
		name := modulePath + "/" + dir
		if slices.ContainsFunc(packages, func(p pkg) bool { return p.ImportPath == name }) {
			return name
		}
	}
	return ""
}

// unfinished returns the packages for which go test printed no result.
func unfinished(names []string, printed string) []string {
	finished := map[string]bool{}
	for line := range strings.Lines(printed) {
		// "ok  	PACKAGE	0.1s" or "?   	PACKAGE	[no test files]"
		if f := strings.Fields(line); len(f) > 1 && (f[0] == "ok" || f[0] == "?") {
			finished[f[1]] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(names), func(n string) bool { return finished[n] })
}

// report states the result, and the checks that quick does not run.
func report(w io.Writer, files, unfinished []string) {
	if len(unfinished) == 0 {
		fmt.Fprintln(w, "\nThe short Go tests pass.")
	} else {
		fmt.Fprintf(w, "\nNo test failed within the time limit. %d packages did not finish:\n",
			len(unfinished))
		for _, name := range unfinished {
			fmt.Fprintln(w, "  "+strings.TrimPrefix(name, modulePath+"/"))
		}
	}
	fmt.Fprintln(w,
		"Not run: longer Go tests, JavaScript tests, static checks. make test runs them.")
	for _, s := range []struct{ folder, target string }{
		{"wasm/npm/", "npm-test"}, {"www/", "www-test browsers"}, {"examples/", "examples-test"},
		{"tools/cohort/", "cohort-test"},
	} {
		inFolder := func(file string) bool { return strings.HasPrefix(file, s.folder) }
		if slices.ContainsFunc(files, inFolder) {
			fmt.Fprintf(w, "Files in %s differ: run make %s.\n", s.folder, s.target)
		}
	}
}
