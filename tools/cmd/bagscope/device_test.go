package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/onnxbackend/gpu"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
)

// TestDevice names a device that is none, and a graphics processor where the program reaches none.
func TestDevice(t *testing.T) {
	args := []string{"predict", "--model", exampleModel, "--bag", exampleBags, "--device"}
	code, out, errors := bagscope(t, append(args, "tpu")...)
	if code != cli.ExitUsage || out != "" ||
		errors != "bagscope: --device \"tpu\" is unknown; use cpu, gpu or auto\n" {
		t.Errorf("tpu: exit code %d, stdout %q, stderr %q", code, out, errors)
	}
	code, _, errors = bagscope(t, "tiles", smallSlide, "--mpp", "1", "--encoder", meanEncoder(t),
		"--out", filepath.Join(t.TempDir(), "bag.h5"), "--device", "tpu")
	if code != cli.ExitUsage || !strings.Contains(errors, "--device \"tpu\" is unknown") {
		t.Errorf("tiles: exit code %d, stderr %q", code, errors)
	}
	if gpu.Built {
		t.Skip("this program reaches graphics processors")
	}
	code, out, errors = bagscope(t, append(args, "gpu")...)
	if code != cli.ExitFailed || out != "" ||
		!strings.Contains(errors, "no graphics processor can be used: ") ||
		!strings.Contains(errors, "-tags gpu") {
		t.Errorf("gpu: exit code %d, stdout %q, stderr %q", code, out, errors)
	}
	if succeed(t, append(args, "auto")...) != succeed(t, append(args, "cpu")...) {
		t.Error("auto says something else than cpu")
	}
}
