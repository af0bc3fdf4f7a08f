// Command quick tests a change for at most a minute. It runs the short tests of the Go packages
// that depend on changed files, the nearest packages first, and names the packages that it did not
// finish.
//
//	go run ./tools/dev/quick [-base REVISION] [-for DURATION]
//
// Changed files are those that differ from the revision, committed or not. The default is the
// commit where the branch left main; on main it is HEAD.
package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"time"
)

func main() {
	base := flag.String("base", "", "revision to compare with")
	limit := flag.Duration("for", 55*time.Second, "time limit of the tests")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, *limit)
	defer cancel()
	if err := run(ctx, *base); err != nil {
		fmt.Fprintln(os.Stderr, "quick:", err)
		os.Exit(1)
	}
}

// run tests the packages that depend on the files that differ from base.
func run(ctx context.Context, base string) error {
	if base == "" {
		point, err := output(ctx, "git", "merge-base", "HEAD", "main")
		if err != nil {
			point = "HEAD" // a clone without the branch main
		}
		base = strings.TrimSpace(point)
	}
	differing, err1 := output(ctx, "git", "diff", "--name-only", base)
	added, err2 := output(ctx, "git", "ls-files", "--others", "--exclude-standard")
	packages, err3 := listPackages(ctx)
	if err := cmp.Or(err1, err2, err3); err != nil {
		return err
	}
	files := strings.Fields(differing + added)
	names := affected(packages, files)
	fmt.Printf("%d files differ from %s; %d of %d Go packages depend on them\n", len(files), base,
		len(names), len(packages))
	var printed bytes.Buffer
	if len(names) > 0 {
		err := goTest(ctx, io.MultiWriter(os.Stdout, &printed), names)
		// At the time limit, go test also fails because quick interrupts it.
		if err != nil && (ctx.Err() == nil || strings.Contains(printed.String(), "--- FAIL")) {
			return err
		}
	}
	if errors.Is(ctx.Err(), context.Canceled) {
		return errors.New("interrupted")
	}
	report(os.Stdout, files, unfinished(names, printed.String()))
	return nil
}

// goTest runs the short tests of packages. It also compiles and vets packages without tests.
func goTest(ctx context.Context, w io.Writer, names []string) error {
	c := exec.CommandContext(ctx, "go", append([]string{"test", "-short"}, names...)...)
	c.Stdout, c.Stderr = w, w
	// An interrupt also ends the processes of the tests; a kill would leave them running.
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	c.WaitDelay = 3 * time.Second
	if err := c.Run(); err != nil {
		return fmt.Errorf("go test: %w", err)
	}
	return nil
}

// output returns the standard output of a program.
func output(ctx context.Context, program string, args ...string) (string, error) {
	c := exec.CommandContext(ctx, program, args...)
	c.Stderr = os.Stderr
	out, err := c.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w", program, strings.Join(args, " "), err)
	}
	return string(out), nil
}
