package main

import (
	"cmp"
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// A redundant test is one without which the others of its package notice the same mutants.
type redundant struct {
	name           string
	place          string // its function's, relative to the root of the repository
	lines          int    // its comment counts
	noticed, tried int    // mutants that it notices, and that it reaches
}

// redundantTests returns the tests of a package that can go together, the longest first: each
// mutant of the sample that one of them notices is noticed by a test that stays. Such a test may
// still guard what no mutant of the sample changes, so the list is a place to look.
func redundantTests(ctx context.Context, t target, size int, seed uint64,
	known map[string]string) ([]redundant, error) {
	scratch, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(scratch)
	chosen, overlay, err := sampleOf(ctx, t, size, seed, known, scratch)
	if err != nil {
		return nil, err
	}
	s, err := buildSuite(ctx, t.folder, overlay, scratch)
	if err != nil {
		return nil, err
	}
	s.record(ctx, scratch)
	list, err := testsOf(t.folder)
	if err != nil {
		return nil, err
	}
	noticing := make([][]string, len(chosen)) // the tests that notice each mutant
	free := make(chan struct{}, max(1, runtime.NumCPU()))
	var all sync.WaitGroup
	for i, m := range chosen {
		free <- struct{}{}
		all.Go(func() {
			noticing[i] = s.noticing(ctx, s.reaching(m.id), m.id)
			<-free
		})
	}
	all.Wait()
	for i := range list {
		for _, t := range s.tests {
			if t.name == list[i].name {
				list[i].tried = len(t.reaches)
			}
		}
		for _, names := range noticing {
			if slices.Contains(names, list[i].name) {
				list[i].noticed++
			}
		}
	}
	return slices.DeleteFunc(list, func(r redundant) bool {
		for _, names := range noticing {
			if slices.Equal(names, []string{r.name}) {
				return true
			}
		}
		for i, names := range noticing {
			noticing[i] = slices.DeleteFunc(names, func(name string) bool { return name == r.name })
		}
		return false
	}), ctx.Err()
}

// endOfTest matches what a test program prints when a test ends.
var endOfTest = regexp.MustCompile(`(?m)^--- (PASS|FAIL|SKIP): (\S+) `)

// noticing returns the tests of a list that fail with a mutant. A test that ends the program is run
// alone, so that the others run, too.
func (s *suite) noticing(ctx context.Context, tests []test, id int) []string {
	if len(tests) == 0 || ctx.Err() != nil {
		return nil
	}
	out, passed := s.output(ctx, tests, id)
	if passed {
		return nil
	}
	if len(tests) == 1 {
		return []string{tests[0].name}
	}
	var failed []string
	for _, m := range endOfTest.FindAllStringSubmatch(out, -1) {
		if m[1] == "FAIL" {
			failed = append(failed, m[2])
		}
		tests = slices.DeleteFunc(slices.Clone(tests), func(t test) bool { return t.name == m[2] })
	}
	for _, t := range tests {
		failed = append(failed, s.noticing(ctx, []test{t}, id)...)
	}
	return failed
}

// testsOf returns the test functions of a folder, the longest first.
func testsOf(folder string) ([]redundant, error) {
	paths, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
	if err != nil {
		return nil, err
	}
	var list []redundant
	set := token.NewFileSet()
	for _, path := range paths {
		file, err := parser.ParseFile(set, path, nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		for _, d := range file.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv != nil || !strings.HasPrefix(fn.Name.Name, "Test") {
				continue
			}
			first := set.Position(fn.Pos()).Line
			if fn.Doc != nil {
				first = set.Position(fn.Doc.Pos()).Line
			}
			list = append(list, redundant{name: fn.Name.Name,
				place: filepath.ToSlash(path) + ":" + strconv.Itoa(first),
				lines: set.Position(fn.End()).Line - first + 1})
		}
	}
	slices.SortStableFunc(list, func(a, b redundant) int { return cmp.Compare(b.lines, a.lines) })
	return list, nil
}

// printRedundant writes tests, and how many lines they have.
func printRedundant(w io.Writer, folder string, list []redundant) {
	lines := 0
	for _, r := range list {
		lines += r.lines
		fmt.Fprintf(w, "| %s %s | %d lines | notices %d of %d |\n", r.place, r.name, r.lines,
			r.noticed, r.tried)
	}
	fmt.Fprintf(w, "| %s | %d tests | %d lines |\n", folder, len(list), lines)
}
