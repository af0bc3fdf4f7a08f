//go:build gpu

package gpu

import (
	"testing"

	"github.com/bagscope/bagscope/onnxbackend/internal/ops"
)

// TestKernelNames fails for a row of the operator table that names a kernel which does not exist,
// and for a kernel that no row names.
func TestKernelNames(t *testing.T) {
	named := map[string]bool{}
	for _, op := range ops.Names() {
		row := ops.Lookup("", op)
		named[row.Device] = true
		if row.Device != "" && kernels[row.Device] == nil {
			t.Errorf("%s: there is no device kernel %q", op, row.Device)
		}
		if row.Device == "reduce" || row.Device == "globalpool" {
			if _, ok := reductionKinds[row.Reduces]; !ok {
				t.Errorf("%s: along.wgsl has no such reduction", op)
			}
		}
	}
	for name := range kernels {
		if !named[name] {
			t.Errorf("no operator names the device kernel %q", name)
		}
	}
}
