// Command skips compares the skipped tests of JUnit reports with testdata/skips.txt. It fails if a
// test skips that the list does not contain, or if a listed test does not skip.
//
//	go run ./tools/dev/skips SUITE FILES...
//
// SUITE is the name of the tests in the list.
package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// listFile is relative to the root of the repository.
const listFile = "testdata/skips.txt"

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: skips SUITE FILES...")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run compares the reports of a suite with the list.
func run(suite string, files []string) error {
	data, err := os.ReadFile(listFile)
	if err != nil {
		return fmt.Errorf("run skips in the root of the repository: %w", err)
	}
	list, err := parseList(string(data))
	if err != nil {
		return err
	}
	tests, err := junitTests(files)
	if err != nil {
		return err
	}
	for _, problem := range check(list, suite, tests, hasRestricted()) {
		err = errors.Join(err, errors.New(problem))
	}
	if err != nil {
		return err
	}
	all := len(tests)
	skipped := slices.DeleteFunc(tests, func(o outcome) bool { return !o.skipped })
	fmt.Printf("%s: %d tests, of which %d skip as listed in %s\n",
		suite, all, len(skipped), listFile)
	return nil
}

// hasRestricted reports whether the folder of restricted files exists, see internal/testfile.
func hasRestricted() bool {
	folder := cmp.Or(os.Getenv("BAGSCOPE_SHARED"), filepath.Join("..", "shared"))
	_, err := os.Stat(folder)
	return err == nil
}
