// Installs installs a release in every way that the README names, each in an environment that has
// nothing of the repository, and explains a bag with it. It prints a table of what was run.
//
//	make installs    # builds a release for this machine first
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"text/tabwriter"
	"time"
)

// An install is a way to install a release. Its run returns the commands that it ran, in words.
type install struct {
	name string
	run  func(*machine, context.Context) (string, error)
}

var installs = []install{
	{"go install", (*machine).goInstall},
	{"archive", (*machine).archive},
	{"npm", (*machine).npm},
	{"pip", (*machine).pip},
	{"container of the server", (*machine).serverImage},
	{"container of the cohort worker", (*machine).workerImage},
}

// A machine holds what the installs share.
type machine struct {
	root, release   string   // absolute paths of the repository and of the release's folder
	version, commit string   // what the release states of itself
	bubblewrap      []string // the command of bubblewrap
	work            string   // a folder for the install that is running
}

func main() {
	log.SetFlags(0)
	root := flag.String("root", "../../..", "the repository")
	release := flag.String("release", "../../../build/release", "the `folder` of the release")
	only := flag.String("only", "", "run only the `install` of this name")
	flag.Parse()
	m, err := newMachine(*root, *release)
	if err != nil {
		log.Fatal("installs: ", err)
	}
	if err := m.runAll(context.Background(), *only); err != nil {
		log.Fatal("installs: ", err)
	}
}

// newMachine finds the release and bubblewrap.
func newMachine(root, release string) (*machine, error) {
	if runtime.GOOS != "linux" {
		return nil, errors.New("clean environments need bubblewrap, which only Linux has")
	}
	m := &machine{}
	var err error
	if m.root, err = filepath.Abs(root); err != nil {
		return nil, err
	}
	if m.release, err = filepath.Abs(release); err != nil {
		return nil, err
	}
	version, err := os.ReadFile(filepath.Join(m.root, "version.txt"))
	if err != nil {
		return nil, err
	}
	m.version = strings.TrimSpace(string(version))
	commit, err := exec.Command("git", "-C", m.root, "rev-parse", "HEAD").Output()
	if err != nil {
		return nil, fmt.Errorf("git rev-parse: %w", err)
	}
	m.commit = strings.TrimSpace(string(commit))
	found := exec.Command(filepath.Join(m.root, "tools/dev/bubblewrap"))
	found.Stderr = os.Stderr
	out, err := found.Output()
	if err != nil {
		return nil, errors.New("no bubblewrap: see above")
	}
	m.bubblewrap = strings.Fields(string(out))
	return m, nil
}

// runAll runs the installs one after the other and prints the table. All are run, also if one
// fails.
func (m *machine) runAll(ctx context.Context, only string) error {
	var failures []error
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "install\tplatform\twhat was run\tseconds")
	ran := 0
	for _, i := range installs {
		if only != "" && i.name != only {
			continue
		}
		ran++
		start := time.Now()
		what, err := m.runOne(ctx, i)
		if err != nil {
			failures = append(failures, fmt.Errorf("%s: %w", i.name, err))
			what = "FAILED: " + what
		}
		fmt.Fprintf(table, "%s\t%s/%s\t%s\t%.0f\n", i.name, runtime.GOOS, runtime.GOARCH, what,
			time.Since(start).Seconds())
	}
	if ran == 0 {
		return fmt.Errorf("there is no install %q", only)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	return errors.Join(failures...)
}

// runOne runs an install in an empty folder, which is removed afterwards.
func (m *machine) runOne(ctx context.Context, i install) (what string, err error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute)
	defer cancel()
	if m.work, err = os.MkdirTemp("", "bagscope-installs-*"); err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(m.work)) }()
	// A container's user, who is not root, reads files here.
	if err := os.Chmod(m.work, 0o755); err != nil {
		return "", err
	}
	return i.run(m, ctx)
}
