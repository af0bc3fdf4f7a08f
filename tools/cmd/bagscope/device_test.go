package main

import (
	"path/filepath"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend/gpu"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
)

// TestDevice names a device that is none, and a graphics processor where the program reaches none.
func TestDevice(t *testing.T) {
	args := []string{"predict", "--model", exampleModel, "--bag", exampleBags, "--device"}
	code, out, errors := bagscope(t, append(args, "tpu")...)
	must.Equal(t, code, cli.ExitUsage)
	must.Equal(t, out, "")
	must.Equal(t, errors, "bagscope: --device \"tpu\" is unknown; use cpu, gpu or auto\n")
	code, _, errors = bagscope(t, "tiles", smallSlide, "--mpp", "1", "--encoder", meanEncoder(t),
		"--out", filepath.Join(t.TempDir(), "bag.h5"), "--device", "tpu")
	must.Equal(t, code, cli.ExitUsage)
	must.Contain(t, errors, "--device \"tpu\" is unknown")
	if gpu.Built {
		t.Skip("this program reaches graphics processors")
	}
	code, out, errors = bagscope(t, append(args, "gpu")...)
	must.Equal(t, code, cli.ExitFailed)
	must.Equal(t, out, "")
	must.Contain(t, errors, "no graphics processor can be used: ", "-tags gpu")
	must.Equal(t, succeed(t, append(args, "auto")...), succeed(t, append(args, "cpu")...),
		"auto says something else than cpu")
}
