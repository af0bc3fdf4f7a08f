package arch

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bagscope/bagscope/internal/must"
)

// TestGuides runs the commands of each guide of the documentation in a folder with the example's
// model and bags, as a reader would who has installed the command line.
func TestGuides(t *testing.T) {
	if testing.Short() {
		t.Skip("the guides build and run the command line")
	}
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no sh here to run the guides with")
	}
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("curl is missing")
	}
	programs := t.TempDir()
	build := exec.Command("go", "build", "-o", programs+string(os.PathSeparator),
		"./tools/cmd/bagscope")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	guides := must.Get(filepath.Glob(filepath.Join(root, "www/docs/*.md")))(t)
	must.Equal(t, len(guides) != 0, true)
	run := 0
	for _, guide := range guides {
		text := must.Get(os.ReadFile(guide))(t)
		blocks := shellBlock.FindAllStringSubmatch(string(text), -1)
		if len(blocks) == 0 {
			continue
		}
		run++
		t.Run(filepath.Base(guide), func(t *testing.T) {
			dir := t.TempDir()
			for _, name := range []string{"model.onnx", "bags.npz", "networks/embedding.onnx"} {
				data := must.Get(os.ReadFile(filepath.Join(root, "examples/digits", name)))(t)
				name = filepath.Join(dir, filepath.Base(name))
				must.Do(t, os.WriteFile(name, data, 0o600))
			}
			script := `servers=; trap 'test -z "$servers" || kill $servers; wait' EXIT` + "\n"
			for _, block := range blocks {
				script += strings.ReplaceAll(block[1], " &\n", " & servers=\"$servers $!\"\n")
			}
			script = strings.ReplaceAll(script, "8018", freePort(t))
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, shell, "-eu", "-c", script)
			cmd.Dir, cmd.WaitDelay = dir, time.Second
			cmd.Env = append(os.Environ(),
				"PATH="+programs+string(os.PathListSeparator)+os.Getenv("PATH"))
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v in\n%s\n%.20000s", err, script, out)
			}
		})
	}
	must.Equal(t, run >= 5, true, run)
}
