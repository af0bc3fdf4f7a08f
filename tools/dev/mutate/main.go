// Command mutate measures what the tests notice. It changes one operator, constant, guard or
// statement of a package at a time, runs the tests that reach it, and prints the changes that no
// test notices.
//
//	go run ./tools/dev/mutate [-n 25] [-seed 1] [-least 85] [-parts 1] [FOLDERS...]
//	go run ./tools/dev/mutate -redundant [-n 25] [-seed 1] FOLDERS...
//
// The second form prints the tests of packages of Go without which the others notice as much.
//
// Without folders it measures the packages of packages.txt, or one of several parts of them: the
// day of the last commit chooses it. With the default size and seed it replaces the rows of the
// measured packages in testdata/mutants.md. All mutants of a package are compiled into one test
// program, which reads the number of the active one from the environment; the files of the package
// are replaced by go's -overlay and not edited.
package main

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
)

// tableFile is relative to the root of the repository.
const tableFile = "testdata/mutants.md"

//go:embed packages.txt
var packagesText string

//go:embed equivalent.txt
var equivalentText string

// The size and the seed of the samples in the table.
const (
	tableSize = 25
	tableSeed = 1
)

func main() {
	size := flag.Int("n", tableSize, "number of mutants of each package")
	seed := flag.Uint64("seed", tableSeed, "seed of the samples")
	least := flag.Float64("least", 85, "fail if the score of a package is below this, in percent")
	parts := flag.Int("parts", 1, "measure one of so many parts of the listed packages")
	tests := flag.Bool("redundant", false,
		"print the tests without which the others of their package notice as much")
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: go run ./tools/dev/mutate [flags] [FOLDERS...]")
		flag.PrintDefaults()
	}
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	do := func() error { return run(ctx, *size, *seed, *least, *parts, flag.Args()) }
	if *tests {
		do = func() error { return runRedundant(ctx, *size, *seed, flag.Args()) }
	}
	if err := do(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run measures packages one after the other, prints each result when it is known and writes it into
// the table. It returns an error for each package whose score is below least, in percent, and for
// invalid lists.
func run(ctx context.Context, size int, seed uint64, least float64, parts int,
	folders []string) error {
	listed, _, err := parsePackages(packagesText)
	if err != nil {
		return err
	}
	known, err := parseEquivalents(equivalentText)
	if err != nil {
		return err
	}
	day, err := commitDay(ctx)
	if err != nil {
		return err
	}
	chosen := listed.part(parts, day)
	if len(folders) > 0 {
		chosen = nil
		for _, folder := range folders {
			chosen = append(chosen, listed.find(filepath.ToSlash(filepath.Clean(folder))))
		}
	}
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
		text, err := os.ReadFile(tableFile)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		r.print(os.Stdout, survivorLines(string(text)))
		if r.score() < least {
			problems = errors.Join(problems, fmt.Errorf("%s: the score is %.0f %%, want %.0f %%; "+
				"add tests of what the list shows, or state in %s why no test can notice it",
				p.folder, r.score(), least, equivalentFile))
		}
		if size == tableSize && seed == tableSeed {
			rows := parseTable(string(text))
			rows[p.folder] = r.entry(day)
			if err := os.WriteFile(tableFile, []byte(table(listed, rows)), 0o644); err != nil {
				return err
			}
		}
	}
	return problems
}

// runRedundant prints the redundant tests of packages, one after the other.
func runRedundant(ctx context.Context, size int, seed uint64, folders []string) error {
	known, err := parseEquivalents(equivalentText)
	if err != nil {
		return err
	}
	for _, folder := range folders {
		folder = filepath.ToSlash(filepath.Clean(folder))
		list, err := redundantTests(ctx, target{folder: folder}, size, seed, known)
		if err != nil {
			return err
		}
		printRedundant(os.Stdout, folder, list)
	}
	return nil
}

// commitDay returns the day of the last commit, counted from 1970-01-01.
func commitDay(ctx context.Context) (int64, error) {
	out, err := output(exec.CommandContext(ctx, "git", "log", "-1", "--format=%ct"))
	if err != nil {
		return 0, fmt.Errorf("the last commit has no date: %w", err)
	}
	seconds, err := strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
	return seconds / 86400, err
}
