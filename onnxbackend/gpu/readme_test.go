//go:build gpu && !js

package gpu

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// TestReadme runs the page's commands as a reader would, and wants every operator that it speaks of
// to have a kernel.
func TestReadme(t *testing.T) {
	processorFor(t)
	page := must.Get(os.ReadFile("README.md"))(t)
	blocks := regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(string(page), -1)
	if len(blocks) < 3 {
		t.Fatalf("the page has only %d blocks of commands", len(blocks))
	}
	said := ""
	for _, block := range blocks {
		cmd := exec.CommandContext(t.Context(), "sh", "-eu", "-c", block[1])
		cmd.Dir = "../.."
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v in\n%s\n%s", err, block[1], out)
		}
		said += string(out)
	}
	for _, want := range []string{"encoded the bag: it computed ", "threads of the CPU"} {
		if !strings.Contains(said, want) {
			t.Errorf("the commands do not say %q", want)
		}
	}
	for _, op := range strings.Fields("Conv Gemm MatMul Softmax Transpose Concat") {
		if !slices.Contains(Covered(), op) {
			t.Errorf("%s has no kernel", op)
		}
	}
}
