package installs

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A sandbox is an environment of bubblewrap in which programs run.
type sandbox struct {
	command []string // bubblewrap with the options of the environment
}

// Where every sandbox has the release, the examples and the folder for its results, below an empty
// file system of its own.
const (
	givenInside    = "/mnt"
	releaseInside  = givenInside + "/release"
	examplesInside = givenInside + "/examples"
	workInside     = givenInside + "/work"
)

// networkVariables are those of this process that a sandbox with a network gets.
var networkVariables = []string{"HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy",
	"SSL_CERT_FILE", "PIP_CERT", "PIP_INDEX_URL"}

// host returns a sandbox with the programs of this machine, but without the repository, the user's
// files and, if online is false, the network. Programs see no other variable of this process.
func (m *machine) host(online bool, variables ...string) sandbox {
	options := []string{"--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs",
		"/tmp", "--tmpfs", givenInside, "--tmpfs", "/root", "--tmpfs", "/home", "--tmpfs", m.root}
	search := os.Getenv("PATH")
	for _, prefix := range m.prefixes {
		options = append(options, "--ro-bind", prefix, prefix)
		search = filepath.Join(prefix, "bin") + ":" + search
	}
	variables = append(variables, "HOME="+workInside, "PATH="+search)
	for _, name := range networkVariables {
		if value := os.Getenv(name); online && value != "" {
			variables = append(variables, name+"="+value)
		}
	}
	return m.sandbox(options, online, variables)
}

// bare returns a sandbox that has nothing but the files of a folder, as a user who is not root.
func (m *machine) bare(root string, online bool, variables ...string) sandbox {
	return m.sandbox([]string{"--bind", root, "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs",
		"/tmp", "--tmpfs", givenInside, "--uid", "65532", "--gid", "65532"}, online, variables)
}

// sandbox adds to options what all sandboxes share.
func (m *machine) sandbox(options []string, online bool, variables []string) sandbox {
	c := append(strings.Fields(bubblewrap), options...)
	c = append(c, "--ro-bind", m.release, releaseInside,
		"--ro-bind", m.root+"/examples", examplesInside, "--bind", m.work, workInside,
		"--chdir", workInside, "--unshare-all", "--die-with-parent", "--clearenv")
	if online {
		c = append(c, "--share-net")
	}
	for _, v := range variables {
		name, value, _ := strings.Cut(v, "=")
		c = append(c, "--setenv", name, value)
	}
	return sandbox{command: c}
}

// with returns the sandbox with more options of bubblewrap.
func (s sandbox) with(options ...string) sandbox {
	return sandbox{command: append(append([]string{}, s.command...), options...)}
}

// cmd returns a command that runs in the sandbox.
func (s sandbox) cmd(ctx context.Context, args ...string) *exec.Cmd {
	all := append(append([]string{}, s.command...), args...)
	return exec.CommandContext(ctx, all[0], all[1:]...)
}

// run runs a program and returns its standard output. The error has what it printed.
func (s sandbox) run(ctx context.Context, args ...string) (string, error) {
	c := s.cmd(ctx, args...)
	var out, problems bytes.Buffer
	c.Stdout, c.Stderr = &out, &problems
	if err := c.Run(); err != nil {
		return "", fmt.Errorf("%s: %w\n%s%s", strings.Join(args, " "), err, out.String(),
			problems.String())
	}
	return out.String(), nil
}

// expect runs a program and fails if its output lacks a text.
func (s sandbox) expect(ctx context.Context, text string, args ...string) error {
	out, err := s.run(ctx, args...)
	if err == nil && !strings.Contains(out, text) {
		err = fmt.Errorf("%s prints %q, which lacks %q", strings.Join(args, " "), out, text)
	}
	return err
}
