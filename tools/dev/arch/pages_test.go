package arch

import (
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/bagscope/bagscope/internal/must"
)

// pages are those whose every command is run, servers and all.
var pages = []string{"tools/service/server/README.md", "tools/service/oip/README.md"}

// TestPages runs the commands of each page in one shell, as a reader would who leaves the servers
// running; their ports and the folder build are others, so that nothing that is there is in the
// way.
func TestPages(t *testing.T) {
	if testing.Short() {
		t.Skip("the pages build and run servers")
	}
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no sh here to run the pages with")
	}
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("curl is missing")
	}
	for _, page := range pages {
		t.Run(page, func(t *testing.T) {
			script := "servers=; trap 'kill $servers; wait' EXIT\n"
			for _, block := range shellBlock.FindAllStringSubmatch(read(t, page), -1) {
				script += strings.ReplaceAll(block[1], " &\n", " & servers=\"$servers $!\"\n")
			}
			for _, port := range []string{"8018", "8019", "8020"} {
				script = strings.ReplaceAll(script, port, freePort(t))
			}
			build := t.TempDir()
			script = strings.ReplaceAll(script, "build/", build+"/")
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, shell, "-eu", "-c", script)
			cmd.Dir, cmd.WaitDelay = root, time.Second
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v in\n%s\n%.20000s", err, script, out)
			}
			if left, err := os.ReadDir(build); err != nil || len(left) < 3 {
				t.Errorf("the page leaves %v, %v", left, err)
			}
		})
	}
}

// freePort returns a port of this machine at which nobody listens.
func freePort(t *testing.T) string {
	t.Helper()
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	must.Do(t, err)
	return port
}

func TestPageLinksExist(t *testing.T) {
	for _, page := range pages {
		for _, m := range regexp.MustCompile(`\]\(([^):#]+)[^):]*\)`).FindAllStringSubmatch(
			outsideCode(read(t, page)), -1) {
			if _, err := os.Stat(filepath.Join(root, filepath.Dir(page), m[1])); err != nil {
				t.Errorf("%s points to %s: %v", page, m[1], err)
			}
		}
	}
}
