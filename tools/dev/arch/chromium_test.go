package arch

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestChromium runs tools/dev/chromium where a browser is, where a stub that cannot run is, and
// where none is and none can be installed.
func TestChromium(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no sh here")
	}
	script, err := filepath.Abs(filepath.Join(root, "tools/dev/chromium"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, program, named string
		finds                bool
		says                 string
	}{
		{name: "a browser", program: "exit 0", finds: true},
		{name: "a stub", program: "exit 1", says: "CHROMIUM=/path/to/chromium"},
		{name: "nothing", says: "need Chromium"},
		{name: "a wrong name", program: "exit 0", named: "netscape",
			says: "no program of that name"},
	} {
		t.Run(c.name, func(t *testing.T) {
			folder := t.TempDir()
			for _, tool := range []string{"cat", "id"} {
				if path, err := exec.LookPath(tool); err != nil {
					t.Skipf("there is no %s here", tool)
				} else if err := os.Symlink(path, filepath.Join(folder, tool)); err != nil {
					t.Skip(err)
				}
			}
			browser := filepath.Join(folder, "chromium")
			if c.program != "" {
				if err := os.WriteFile(browser, []byte("#!"+shell+"\n"+c.program+"\n"),
					0o755); err != nil {
					t.Fatal(err)
				}
			}
			var stderr strings.Builder
			cmd := exec.CommandContext(t.Context(), shell, script)
			cmd.Env, cmd.Stderr = []string{"PATH=" + folder, "CHROMIUM=" + c.named}, &stderr
			out, err := cmd.Output()
			if found := strings.TrimSpace(string(out)); c.finds &&
				(err != nil || found != browser) {
				t.Errorf("found %q, %v, want %q", found, err, browser)
			}
			if !c.finds && (err == nil || !strings.Contains(stderr.String(), c.says)) {
				t.Errorf("stdout %q, %v, stderr %q, want %q", out, err, stderr.String(), c.says)
			}
		})
	}
}
