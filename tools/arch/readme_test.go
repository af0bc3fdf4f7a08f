package arch

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

var shellBlock = regexp.MustCompile("(?s)```sh\n(.*?)```")

// TestReadme runs the README's tour of the command line, block after block, as a reader would.
func TestReadme(t *testing.T) {
	if testing.Short() {
		t.Skip("the tour builds and runs the command line")
	}
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no sh here to run the tour with")
	}
	blocks := shellBlock.FindAllStringSubmatch(read(t, "README.md"), -1)
	if len(blocks) < 4 {
		t.Fatalf("the README has only %d shell blocks", len(blocks))
	}
	files := []string{"build/bag.png", "build/bag.csv", "build/bag.json"}
	for _, file := range files {
		os.Remove(filepath.Join(root, file))
	}
	for _, block := range blocks {
		cmd := exec.CommandContext(t.Context(), shell, "-eu", "-c", block[1])
		cmd.Dir = root
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v in\n%s\n%s", err, block[1], out)
		}
	}
	for _, file := range files {
		if info, err := os.Stat(filepath.Join(root, file)); err != nil || info.Size() == 0 {
			t.Errorf("the tour leaves no %s: %v", file, err)
		}
	}
}

// TestReadmeLinks wants every file that the README links or shows to be there.
func TestReadmeLinks(t *testing.T) {
	for _, m := range regexp.MustCompile(`\]\(([^):]+)\)`).FindAllStringSubmatch(read(t, "README.md"), -1) {
		if _, err := os.Stat(filepath.Join(root, m[1])); err != nil {
			t.Errorf("README.md points to %s: %v", m[1], err)
		}
	}
}
