// Vulnerabilities runs govulncheck over all Go modules of the repository and over programs, and
// fails on every known vulnerability that their code reaches and that testdata/vulnerabilities.txt
// does not except:
//
//	go run ./tools/dev/vulnerabilities -govulncheck bin/govulncheck build/bagscope
//
// It needs the module proxy alone: the database is a Go module, golang.org/x/vulndb. The standard
// library is that of the toolchain that go.mod names, because releases are built with it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"
)

// exceptionsFile lists accepted vulnerabilities.
const exceptionsFile = "testdata/vulnerabilities.txt"

func main() {
	log.SetFlags(0)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	govulncheck := flag.String("govulncheck", "bin/govulncheck", "the `program` govulncheck")
	flag.Parse()
	if err := run(ctx, *govulncheck, flag.Args()); err != nil {
		log.Fatal("vulnerabilities: ", err)
	}
}

func run(ctx context.Context, govulncheck string, programs []string) error {
	text, err := os.ReadFile(exceptionsFile)
	if err != nil {
		return err
	}
	excepted, err := parseExceptions(string(text))
	if err != nil {
		return err
	}
	toolchain, err := releaseToolchain("go.mod")
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "bagscope-vulnerabilities-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	s := scanner{database: filepath.Join(work, "database"), toolchain: toolchain}
	if s.program, err = filepath.Abs(govulncheck); err != nil {
		return err
	}
	version, err := writeDatabase(ctx, s.database)
	if err != nil {
		return err
	}
	fmt.Printf("golang.org/x/vulndb %s, %s\n", version, toolchain)
	if err := s.check(ctx, filepath.Join(work, "old")); err != nil {
		return err
	}
	var all []finding
	for _, one := range append(modules, scansOf(programs)...) {
		found, err := s.scan(ctx, one)
		if err != nil {
			return fmt.Errorf("%s: %w", one.name, err)
		}
		fmt.Printf("%s: %d vulnerabilities\n", one.name, len(found))
		all = append(all, found...)
	}
	if problems := judge(all, excepted, time.Now()); len(problems) > 0 {
		return errors.New(strings.Join(problems, "\n"))
	}
	return nil
}

// releaseToolchain returns the toolchain of releases, such as go1.26.10: that of a go.mod file.
func releaseToolchain(file string) (string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(text)) {
		if name, ok := strings.CutPrefix(line, "toolchain "); ok {
			return strings.TrimSpace(name), nil
		}
	}
	return "", fmt.Errorf("%s has no toolchain line", file)
}
