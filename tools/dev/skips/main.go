// Command skips runs tests and compares the skipped ones with testdata/skips.txt. It fails if a
// test skips that the list does not contain, or if a listed test does not skip.
//
//	go run ./tools/dev/skips go SUITE ARGUMENTS...    runs go test -json ARGUMENTS
//	go run ./tools/dev/skips junit SUITE FILES...     reads reports of JavaScript tests
//
// SUITE is the name of the tests in the list. The program prints the result of each package and the
// output of each test that failed.
package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

// listFile is relative to the root of the repository.
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

// run runs or reads the tests of a suite, and joins their errors with those of the list.
func run(kind, suite string, args []string, w io.Writer) error {
	data, err := os.ReadFile(listFile)
	if err != nil {
		return fmt.Errorf("run skips in the root of the repository: %w", err)
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
		err = fmt.Errorf("the kind of report %q is unknown; use go or junit", kind)
	}
	if len(tests) == 0 && err != nil {
		return err // if tests are missing, each listed skip would be one more error
	}
	for _, problem := range check(list, suite, tests, hasRestricted()) {
		err = errors.Join(err, errors.New(problem))
	}
	if err != nil {
		return err
	}
	all := len(tests)
	skipped := slices.DeleteFunc(tests, func(o outcome) bool { return !o.skipped })
	fmt.Fprintf(w, "%s: %d tests, of which %d skip as listed in %s\n", suite, all, len(skipped),
		listFile)
	return nil
}

// hasRestricted reports whether the folder of restricted files exists, see internal/testfile.
func hasRestricted() bool {
	folder := cmp.Or(os.Getenv("BAGSCOPE_SHARED"), filepath.Join("..", "shared"))
	_, err := os.Stat(folder)
	return err == nil
}

// goTests runs go test and returns the outcome of each test.
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
