package installs

import (
	"context"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

var releaseFolder = flag.String("release", "../../../../build/release-here",
	"the `folder` of a release for this machine")

// bubblewrap is what tools/dev/need bubblewrap prints: its command, or nothing.
var bubblewrap = os.Getenv("BUBBLEWRAP")

// An install is a way to install a release.
type install struct {
	name string
	what string // what it runs, in the words of CONTRIBUTING.md
	run  func(*machine, context.Context) error
}

var installs = []install{
	{"go install", "install from a module proxy; version; explain", (*machine).goInstall},
	{"archive", "unpack; version; explain; train --help; bagscope-cohort --help",
		(*machine).archive},
	{"npm", "install; a program with load, open, explain; npx bagscope-page", (*machine).npm},
	{"pip", "install into a new venv; bagscope.explain; version; explain", (*machine).pip},
	{"server image", "as user 65532: version; explain; GET /v1/models with and without a token",
		(*machine).serverImage},
	{"cohort worker image",
		"as user 65532: bagscope-cohort --help; entrypoint up to its missing worker id",
		(*machine).workerImage},
}

// A machine holds what the installs share.
type machine struct {
	root, release   string   // absolute paths of the repository and of the release's folder
	version, commit string   // what the release states of itself
	prefixes        []string // folders in which Node and Python are installed
	work            string   // a folder for the install that is running
}

// TestInstalls installs the release in every way.
func TestInstalls(t *testing.T) {
	m := &machine{}
	for _, i := range installs {
		t.Run(i.name, func(t *testing.T) {
			if bubblewrap == "" {
				t.Skip("no clean environment: BUBBLEWRAP is not set; " +
					"make installs sets it to what tools/dev/need bubblewrap prints")
			}
			if m.version == "" {
				m = newMachine(t)
			}
			m.work = t.TempDir()
			// A container's user, who is not root, reads files here.
			for _, dir := range []string{filepath.Dir(m.work), m.work} {
				must.Do(t, os.Chmod(dir, 0o755))
			}
			if err := i.run(m, t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

// newMachine finds the release and the programs that installs need.
func newMachine(t *testing.T) *machine {
	t.Helper()
	m := &machine{}
	var err error
	if m.root, err = filepath.Abs("../../../.."); err != nil {
		t.Fatal(err)
	}
	if m.release, err = filepath.Abs(*releaseFolder); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(m.release, "SHA256SUMS")); err != nil {
		t.Fatalf("no release: %v; make installs builds one", err)
	}
	m.version = strings.TrimSpace(read(t, "version.txt"))
	m.commit = output(t, "git", "-C", m.root, "rev-parse", "HEAD")
	// Both may lie in the user's folder, where PATH names a program that chooses among versions.
	node := output(t, "node", "-p", "process.execPath")
	m.prefixes = []string{filepath.Dir(filepath.Dir(node)),
		output(t, "python3", "-c", "import sys; print(sys.base_prefix)")}
	return m
}

// output runs a program and returns what it prints, without white space at the ends.
func output(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.Command(args[0], args[1:]...).Output()
	if err != nil {
		t.Fatalf("%s: %v", strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out))
}
