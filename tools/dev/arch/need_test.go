package arch

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// TestNeed runs tools/dev/need where a browser is, where a stub that cannot run is, and where none
// is and none can be installed.
func TestNeed(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no sh here")
	}
	script := must.Get(filepath.Abs(filepath.Join(root, "tools/dev/need")))(t)
	for _, c := range []struct {
		name, need, program, named string
		finds, fails               bool
		says                       string
	}{
		{name: "a browser", need: "chromium", program: "exit 0", finds: true},
		{name: "a stub", need: "chromium", program: "exit 1", fails: true,
			says: "CHROMIUM=/path/to/chromium"},
		{name: "nothing", need: "chromium", fails: true, says: "need chromium"},
		{name: "a wrong name", need: "chromium", program: "exit 0", named: "netscape", fails: true,
			says: "no program of that name"},
		{name: "a browser whose tests skip", need: "firefox", says: "tests are skipped"},
		{name: "a program that is not in the table", need: "netscape", fails: true, says: "usage"},
	} {
		t.Run(c.name, func(t *testing.T) {
			folder := t.TempDir()
			if path, err := exec.LookPath("id"); err != nil {
				t.Skip("there is no id here")
			} else if err := os.Symlink(path, filepath.Join(folder, "id")); err != nil {
				t.Skip(err)
			}
			browser := filepath.Join(folder, "chromium")
			if c.program != "" {
				must.Do(t, os.WriteFile(browser, []byte("#!"+shell+"\n"+c.program+"\n"), 0o755))
			}
			var stderr strings.Builder
			cmd := exec.CommandContext(t.Context(), shell, script, c.need)
			cmd.Env, cmd.Stderr = []string{"PATH=" + folder, "CHROMIUM=" + c.named}, &stderr
			out, err := cmd.Output()
			want := ""
			if c.finds {
				want = browser
			}
			must.Equal(t, strings.TrimSpace(string(out)), want, err, &stderr, c.says)
			must.Equal(t, err != nil, c.fails, want, err, &stderr, c.says)
			must.Equal(t, strings.Contains(stderr.String(), c.says), true, want, err, &stderr,
				c.says)
		})
	}
}
