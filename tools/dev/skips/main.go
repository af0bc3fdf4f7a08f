// Command skips runs tests and fails if a test skips that testdata/skips.txt does not list, or if a
// listed test runs although the list says that it skips.
//
//	go run ./tools/dev/skips go SUITE ARGUMENTS...    runs go test -json ARGUMENTS
//	go run ./tools/dev/skips junit SUITE FILES...     reads the reports that a runner of JavaScript tests wrote
//
// SUITE is the name by which the list knows the tests. The program prints the outcome of each
// package and the output of each test that failed.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

const listFile = "testdata/skips.txt"

func main() {
	if len(os.Args) < 4 {
		fmt.Fprintln(os.Stderr, "usage: skips go SUITE ARGUMENTS... | skips junit SUITE FILES...")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2], os.Args[3:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(kind, suite string, args []string, w io.Writer) error {
	data, err := os.ReadFile(listFile)
	if err != nil {
		return fmt.Errorf("run it in the root of the repository: %w", err)
	}
	list, err := parseList(string(data))
	if err != nil {
		return err
	}
	var tests []outcome
	switch kind {
	case "go":
		tests, err = goTests(args, w)
	case "junit":
		tests, err = junitTests(args)
	default:
		err = fmt.Errorf("%q is no kind of report; use go or junit", kind)
	}
	if len(tests) == 0 && err != nil {
		return err
	}
	for _, problem := range check(list, suite, tests, hasRestricted()) {
		err = errors.Join(err, errors.New(problem))
	}
	if err != nil {
		return err
	}
	skipped := slices.DeleteFunc(slices.Clone(tests), func(o outcome) bool { return !o.skipped })
	fmt.Fprintf(w, "%s: %d tests, of which %d skip as listed in %s\n", suite, len(tests),
		len(skipped), listFile)
	return nil
}

// hasRestricted reports whether the folder of restricted data is there.
func hasRestricted() bool {
	folder := os.Getenv("BAGSCOPE_SHARED")
	if folder == "" {
		folder = filepath.Join("..", "shared")
	}
	_, err := os.Stat(folder)
	return err == nil
}

// goTests runs go test and returns what became of each test.
func goTests(args []string, w io.Writer) ([]outcome, error) {
	line := []string{"test"}
	if len(args) > 2 && args[0] == "-C" { // -C must be the first flag
		line, args = append(line, args[:2]...), args[2:]
	}
	command := exec.Command("go", slices.Concat(line, []string{"-json"}, args)...)
	command.Stderr = os.Stderr
	out, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, err
	}
	tests, err := readEvents(out, w)
	return tests, errors.Join(err, command.Wait())
}
