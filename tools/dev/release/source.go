package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/mod/modfile"
)

// A source is a clone of the commit that is released. A clone holds no file that Git does not know,
// and the Go command records its commit in programs, which it does not in a worktree.
type source struct {
	root    string // the clone, an absolute path
	version string // text of version.txt
	commit  string // hash in full
	date    time.Time
}

// cloneSource clones the current commit of a repository into a new folder.
func cloneSource(ctx context.Context, repository, folder string) (source, error) {
	commit, err := output(ctx, repository, "git", "rev-parse", "HEAD")
	if err != nil {
		return source{}, err
	}
	seconds, err := output(ctx, repository, "git", "show", "-s", "--format=%cI", commit)
	if err != nil {
		return source{}, err
	}
	date, err := time.Parse(time.RFC3339, seconds)
	if err != nil {
		return source{}, err
	}
	if changes, err := output(ctx, repository, "git", "status", "--porcelain"); err != nil {
		return source{}, err
	} else if changes != "" {
		fmt.Println("note: changes that are not committed are not part of the release")
	}
	if err := os.MkdirAll(filepath.Dir(folder), 0o755); err != nil {
		return source{}, err
	}
	if _, err := output(ctx, repository, "git", "clone", "--quiet", "--local", "--no-checkout", ".",
		folder); err != nil {
		return source{}, err
	}
	if _, err := output(ctx, folder, "git", "checkout", "--quiet", "--detach", commit); err != nil {
		return source{}, err
	}
	version, err := os.ReadFile(filepath.Join(folder, "version.txt"))
	if err != nil {
		return source{}, err
	}
	return source{folder, strings.TrimSpace(string(version)), commit, date.UTC()}, nil
}

// environment is that of all programs that a build runs. It overrides settings of a user that could
// change what is built. A program takes the last of several values.
func environment(more ...string) []string {
	return append(append(os.Environ(), "GOFLAGS=", "GOWORK=off", "GOEXPERIMENT=", "GOAMD64=v1",
		"GOARM64=v8.0", "GOWASM=", "NODE_ENV=", "SITE_LANGUAGE=src/strings/en.ts"), more...)
}

// output runs a program in a folder and returns what it prints, without white space at the ends.
func output(ctx context.Context, dir, name string, args ...string) (string, error) {
	c := exec.CommandContext(ctx, name, args...)
	c.Dir, c.Env = dir, environment()
	out, err := c.Output()
	if exit, ok := err.(*exec.ExitError); ok {
		err = fmt.Errorf("%w: %s", err, strings.TrimSpace(string(exit.Stderr)))
	}
	if err != nil {
		return "", fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out)), nil
}

// useToolchain makes all programs of the release use the toolchain that go.mod names, and no older
// or newer one: equal commits then give equal bytes, and its library has no known holes.
func useToolchain(ctx context.Context, repository string) error {
	text, err := os.ReadFile(filepath.Join(repository, "go.mod"))
	if err != nil {
		return err
	}
	mod, err := modfile.Parse("go.mod", text, nil)
	if err != nil {
		return err
	}
	if mod.Toolchain == nil {
		return fmt.Errorf("go.mod names no toolchain; releases need one without known holes")
	}
	if err := os.Setenv("GOTOOLCHAIN", mod.Toolchain.Name); err != nil {
		return err
	}
	version, err := output(ctx, repository, "go", "env", "GOVERSION")
	if err != nil {
		return fmt.Errorf("releases are built with %s only, which cannot be had: %w; install it, "+
			"or set GOPROXY to a proxy that has it", mod.Toolchain.Name, err)
	}
	if version != mod.Toolchain.Name {
		return fmt.Errorf("releases are built with %s only, and go is %s",
			mod.Toolchain.Name, version)
	}
	return nil
}

// run runs a program in a folder of the clone. It prints the program's output only if it fails.
func (s source) run(ctx context.Context, folder string, env []string, name string,
	args ...string) error {
	c := exec.CommandContext(ctx, name, args...)
	c.Dir, c.Env = filepath.Join(s.root, folder), environment(env...)
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, out)
	}
	return nil
}
