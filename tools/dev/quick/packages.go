package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

const modulePath = "github.com/bagscope/bagscope"

// A pkg is a package of the module, as go list describes it.
type pkg struct {
	ImportPath                         string
	Imports, TestImports, XTestImports []string
}

// folder returns the package's folder, relative to the root of the repository.
func (p pkg) folder() string {
	return strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, modulePath), "/")
}

func listPackages(ctx context.Context) ([]pkg, error) {
	c := exec.CommandContext(ctx, "go", "list", "-json=ImportPath,Imports,TestImports,XTestImports",
		"./...")
	c.Stderr = os.Stderr
	out, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	var list []pkg
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		if err := d.Decode(&p); err == io.EOF {
			return list, nil
		} else if err != nil {
			return nil, err
		}
		list = append(list, p)
	}
}

// affected returns the packages that changed files may break, in rings: those that hold the files,
// those that import one of the first ring, and so on. The tests of a package belong to it. Tests
// that read a file by its path from elsewhere are not found; report says so.
func affected(packages []pkg, files []string) [][]string {
	ring := map[string]bool{}
	for _, file := range files {
		if file == "go.mod" || file == "go.sum" {
			for _, p := range packages {
				ring[p.ImportPath] = true
			}
		}
		if strings.HasPrefix(file, "testdata/") {
			ring[modulePath+"/internal/testfile"] = true
		}
		if p := holder(packages, file); p != "" {
			ring[p] = true
		}
	}
	var rings [][]string
	listed, followed := map[string]bool{}, map[string]bool{}
	for len(ring) > 0 {
		var names []string
		for name, isCode := range ring {
			if !listed[name] {
				names, listed[name] = append(names, name), true
			}
			followed[name] = followed[name] || isCode
		}
		if slices.Sort(names); len(names) > 0 {
			rings = append(rings, names)
		}
		next := map[string]bool{}
		isReached := func(i string) bool { return ring[i] }
		for _, p := range packages {
			if followed[p.ImportPath] {
				continue
			}
			if slices.ContainsFunc(p.Imports, isReached) {
				next[p.ImportPath] = true
			} else if !listed[p.ImportPath] &&
				slices.ContainsFunc(slices.Concat(p.TestImports, p.XTestImports), isReached) {
				next[p.ImportPath] = false // its tests change, but not what it gives to others
			}
		}
		ring = next
	}
	return rings
}

// holder returns the package in whose folder a file lies, or "": the nearest folder above that is
// one.
func holder(packages []pkg, file string) string {
	for dir := path.Dir(filepath.ToSlash(file)); dir != "."; dir = path.Dir(dir) {
		at := slices.IndexFunc(packages, func(p pkg) bool { return p.folder() == dir })
		if at >= 0 {
			return packages[at].ImportPath
		}
	}
	return ""
}

func count(rings [][]string) int { return len(slices.Concat(rings...)) }

// report says what was not run.
func report(w io.Writer, files []string, left [][]string) {
	if n := count(left); n > 0 {
		fmt.Fprintf(w, "\nTIME IS UP: the tests of these %d packages did not end:\n", n)
		for _, name := range slices.Concat(left...) {
			fmt.Fprintln(w, "  "+strings.TrimPrefix(name, modulePath+"/"))
		}
	} else {
		fmt.Fprintln(w, "\nThe short Go tests pass.")
	}
	fmt.Fprint(w, "Not run: tests that take longer (go test without -short), tests in "+
		"JavaScript, tests that read a changed file\nof another folder, static checks. make test "+
		"runs them all.\n")
	for _, s := range []struct{ folder, verb string }{
		{"wasm/npm/", "npm-test"}, {"www/", "www-test"}, {"examples/", "examples-test"},
		{"tools/cohort/", "cohort-test"},
	} {
		if slices.ContainsFunc(files, func(file string) bool {
			return strings.HasPrefix(file,
				s.folder)
		}) {
			fmt.Fprintf(w, "Files in %s differ: run make %s.\n", s.folder, s.verb)
		}
	}
}
