package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A suite is the compiled tests of a package with all mutants.
type suite struct {
	program string
	dir     string
	tests   []test // the quickest first
}

// A test is a test function, what it takes without a mutant and the mutants that it reaches.
type test struct {
	name    string
	took    time.Duration
	reaches []int
}

const (
	// A test with a mutant may take slack times what it takes without one, and grace more.
	slack = 5
	grace = 5 * time.Second
	// Tests that take less than quick run together in one process.
	quick = 300 * time.Millisecond
	// A test without a mutant ends within longest.
	longest = 2 * time.Minute
	// memory is the limit of a test's address space in KiB. A mutant may allocate without end.
	memory = 16 << 20
)

// buildSuite compiles the tests of a folder.
func buildSuite(ctx context.Context, folder, overlay, scratch string) (*suite, error) {
	dir, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	s := &suite{dir: dir,
		program: filepath.Join(scratch, strings.ReplaceAll(folder, "/", "_")+".test")}
	_, err = output(exec.CommandContext(ctx, "go", "test", "-c", "-vet=off", "-overlay", overlay,
		"-o", s.program, "./"+folder))
	if err != nil {
		return nil, fmt.Errorf("the tests of %s do not compile: %w", folder, err)
	}
	return s, nil
}

// run runs tests with a limit of time, and reports whether they pass.
func (s *suite) run(ctx context.Context, tests []string, limit time.Duration, env ...string) bool {
	ctx, cancel := context.WithTimeout(ctx, limit+grace)
	defer cancel()
	return s.command(ctx, tests, limit, []string{"-test.failfast"}, env).Run() == nil
}

// output runs tests with a mutant to their ends, and returns what they print and whether they pass.
func (s *suite) output(ctx context.Context, tests []test, id int) (string, bool) {
	var names []string
	limit := grace
	for _, t := range tests {
		names, limit = append(names, t.name), limit+slack*t.took
	}
	ctx, cancel := context.WithTimeout(ctx, limit+grace)
	defer cancel()
	out, err := s.command(ctx, names, limit, []string{"-test.v"},
		[]string{"MUTANT=" + strconv.Itoa(id)}).Output()
	return string(out), err == nil
}

// command returns the command that runs tests.
func (s *suite) command(ctx context.Context, tests []string, limit time.Duration,
	flags, env []string) *exec.Cmd {
	c := exec.CommandContext(ctx, "sh", append([]string{"-c",
		fmt.Sprintf(`ulimit -v %d 2>/dev/null; exec "$@"`, memory), "sh",
		s.program, "-test.short", "-test.timeout", limit.String(),
		"-test.run", "^(" + strings.Join(tests, "|") + ")$"}, flags...)...)
	c.Dir, c.Env, c.WaitDelay = s.dir, append(os.Environ(), env...), time.Second
	return c
}

// record runs each test without a mutant and notes which mutants it reaches. It returns the tests
// that fail, which cannot notice a mutant.
func (s *suite) record(ctx context.Context, scratch string) (failed []string) {
	c := exec.CommandContext(ctx, s.program, "-test.short", "-test.list", ".")
	c.Dir = s.dir
	list, err := c.Output()
	if err != nil {
		return []string{filepath.Base(s.program)}
	}
	file := filepath.Join(scratch, "reached")
	for _, name := range strings.Fields(string(list)) {
		if strings.HasPrefix(name, "Benchmark") || ctx.Err() != nil {
			continue
		}
		start := time.Now()
		passed := s.run(ctx, []string{name}, longest, "MUTANTS_REACHED="+file)
		t := test{name: name, took: time.Since(start)}
		reached, _ := os.ReadFile(file) // a test that reaches no mutant writes no file
		_ = os.Remove(file)
		for _, id := range bytes.Fields(reached) {
			n, _ := strconv.Atoi(string(id)) // the program wrote it
			t.reaches = append(t.reaches, n)
		}
		switch {
		case len(t.reaches) == 0:
		case passed:
			s.tests = append(s.tests, t)
		default:
			failed = append(failed, name)
		}
	}
	slices.SortFunc(s.tests, func(a, b test) int { return cmp.Compare(a.took, b.took) })
	return failed
}

// reaching returns the tests that reach a mutant, the quickest first.
func (s *suite) reaching(id int) []test {
	var list []test
	for _, t := range s.tests {
		if slices.Contains(t.reaches, id) {
			list = append(list, t)
		}
	}
	return list
}

// notices reports whether a test that reaches the mutant fails or exceeds its limits.
func (s *suite) notices(ctx context.Context, id int) bool {
	tests := s.reaching(id)
	for len(tests) > 0 {
		n := 1
		for n < len(tests) && tests[n].took < quick {
			n++
		}
		var names []string
		var took time.Duration
		for _, t := range tests[:n] {
			names, took = append(names, t.name), took+t.took
		}
		if !s.run(ctx, names, slack*took+grace, "MUTANT="+strconv.Itoa(id)) {
			return true
		}
		tests = tests[n:]
	}
	return false
}
