// Command quick tests what a change may have broken, for at most a minute: it builds the module,
// vets the packages that depend on changed files, and runs their short tests, the nearest packages
// first. It ends by naming what it did not run.
//
//	go run ./tools/dev/quick [-base REVISION] [-for DURATION]
//
// Changed files are those that differ from the revision, committed or not. The default is the
// commit where the branch left main; on main it is HEAD.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"time"
)

func main() {
	base := flag.String("base", "", "revision to compare with")
	limit := flag.Duration("for", 55*time.Second, "time after which no test goes on")
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

func run(ctx context.Context, base string) error {
	if base == "" {
		base = branchPoint(ctx)
	}
	files, err := changedFiles(ctx, base)
	if err != nil {
		return err
	}
	if len(files) == 0 {
		fmt.Printf("nothing differs from %s\n", base)
		return nil
	}
	packages, err := listPackages(ctx)
	if err != nil {
		return err
	}
	rings := affected(packages, files)
	fmt.Printf("%d files differ from %s; %d of %d Go packages depend on them\n", len(files), base,
		count(rings), len(packages))
	if err := goRun(ctx, os.Stdout, "build", "./..."); err != nil {
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return errors.New("no test ran, for the build did not end in time; try again, it " +
				"goes on from the cache")
		}
		return err
	}
	left := rings
	ended := &endedPackages{to: os.Stdout}
	for len(left) > 0 {
		if err := goRun(ctx, os.Stdout, append([]string{"vet"}, left[0]...)...); err != nil &&
			ctx.Err() == nil {
			return err
		}
		if err := goRun(ctx, ended, append([]string{"test", "-short"},
			left[0]...)...); err != nil && ctx.Err() == nil {
			return err
		}
		if ctx.Err() != nil {
			left[0] = slices.DeleteFunc(left[0], ended.has)
			break
		}
		left = left[1:]
	}
	report(os.Stdout, files, left)
	if errors.Is(ctx.Err(), context.Canceled) {
		return errors.New("it was interrupted")
	}
	return nil
}

// endedPackages passes on what go test prints, and keeps the packages that it says are done.
type endedPackages struct {
	to    io.Writer
	lines strings.Builder
}

func (e *endedPackages) Write(b []byte) (int, error) {
	e.lines.Write(b)
	return e.to.Write(b)
}

func (e *endedPackages) has(name string) bool {
	for line := range strings.Lines(e.lines.String()) {
		if f := strings.Fields(line); len(f) > 1 && f[1] == name && (f[0] == "ok" || f[0] == "?") {
			return true
		}
	}
	return false
}

// goRun runs the go command.
func goRun(ctx context.Context, w io.Writer, args ...string) error {
	c := exec.CommandContext(ctx, "go", args...)
	c.Stdout, c.Stderr = w, os.Stderr
	// The interrupt reaches the tests too, which a kill would leave running.
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	c.WaitDelay = 3 * time.Second
	if err := c.Run(); err != nil {
		return fmt.Errorf("go %s: %w", args[0], err)
	}
	return nil
}

// branchPoint returns the commit where the branch left main, or HEAD if there is no such commit
// before it.
func branchPoint(ctx context.Context) string {
	point, err := git(ctx, "merge-base", "HEAD", "main")
	if err != nil {
		return "HEAD"
	}
	return strings.TrimSpace(point)
}

// changedFiles returns the files that differ from a revision, and those that git does not know yet.
func changedFiles(ctx context.Context, base string) ([]string, error) {
	differing, err := git(ctx, "diff", "--name-only", base)
	if err != nil {
		return nil, err
	}
	added, err := git(ctx, "ls-files", "--others", "--exclude-standard")
	if err != nil {
		return nil, err
	}
	return strings.Fields(differing + added), nil
}

func git(ctx context.Context, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, "git", args...).Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w", strings.Join(args, " "), err)
	}
	return string(out), nil
}
