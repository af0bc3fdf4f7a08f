// Command mutate measures what the tests notice. It changes one operator, constant, guard or
// statement of a package at a time, runs the tests that reach it, and prints the changes that no
// test notices.
//
//	go run ./tools/dev/mutate [-n 25] [-seed 1] [-least 85] [FOLDERS...]
//
// Without folders it measures all packages of packages.txt and writes testdata/mutants.md. All
// mutants of a package are compiled into one test program, which reads the number of the active one
// from the environment; the files of the package are replaced by go's -overlay and not edited.
package main

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
)

// tableFile is relative to the root of the repository.
const tableFile = "testdata/mutants.md"

//go:embed packages.txt
var packagesText string

//go:embed equivalent.txt
var equivalentText string

func main() {
	size := flag.Int("n", 25, "number of mutants of each package")
	seed := flag.Uint64("seed", 1, "seed of the samples")
	least := flag.Float64("least", 85, "fail if the score of a package is below this, in percent")
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: go run ./tools/dev/mutate [flags] [FOLDERS...]")
		flag.PrintDefaults()
	}
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *size, *seed, *least, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run measures packages one after the other and prints each result when it is known. It returns an
// error for each package whose score is below least, in percent, and for invalid lists.
func run(ctx context.Context, size int, seed uint64, least float64, folders []string) error {
	listed, err := parsePackages(packagesText)
	if err != nil {
		return err
	}
	known, err := parseEquivalents(equivalentText)
	if err != nil {
		return err
	}
	last, err := os.ReadFile(tableFile)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	before := survivorLines(string(last))
	all := len(folders) == 0
	chosen := listed
	if !all {
		chosen = nil
		for _, folder := range folders {
			chosen = append(chosen, listed.find(filepath.ToSlash(filepath.Clean(folder))))
		}
	}
	var results []result
	var problems error
	for _, p := range chosen {
		r, err := measure(ctx, p, size, seed, known)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			problems = errors.Join(problems, err)
			continue
		}
		r.print(os.Stdout, before)
		if r.score() < least {
			problems = errors.Join(problems, fmt.Errorf("%s: the score is %.0f %%, want %.0f %%; "+
				"add tests of what the list shows, or state in %s why no test can notice it",
				p.folder, r.score(), least, equivalentFile))
		}
		results = append(results, r)
	}
	if all && len(results) == len(chosen) {
		problems = errors.Join(problems,
			os.WriteFile(tableFile, []byte(table(results, seed)), 0o644))
	}
	return problems
}
