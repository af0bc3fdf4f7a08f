//go:build gpu

package gpu

import (
	"slices"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend/internal/decode"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// nodeCases returns the files of each official ONNX node test.
func nodeCases(t *testing.T) map[string]map[string][]byte {
	t.Helper()
	return must.Get(ot.Cases(nodeTests(t)))(t)
}

// elsewhere are operators whose node tests have parameters that are no constants, outputs that
// nobody reads, numbers of float64, or an input that does not lie on the device: TestKernels and
// TestViews run them there.
var elsewhere = []string{"ReduceLogSumExp", "BatchNormalization", "LayerNormalization", "Dropout",
	"Flatten", "Identity", "Reshape", "Squeeze", "Unsqueeze"}

// TestConformance runs the official ONNX node tests on the CPU and on the device, with passes and,
// natively, without, and wants the same of both. Every operator that is covered has to have run on
// the device in one of them.
func TestConformance(t *testing.T) {
	p := processorFor(t)
	cases := nodeCases(t)
	ran, ops := 0, map[string]bool{}
	for name, files := range cases {
		for _, rewritten := range triedWithPasses {
			g, err := compile(files["model.onnx"], rewritten)
			if err != nil || g.plan == nil {
				continue // what the engine does not run, its own conformance test tells
			}
			in, ok := caseInputs(files, len(g.given))
			if !ok {
				continue
			}
			want, err := g.run(in, nil)
			if err != nil {
				continue
			}
			s := p.Load().Session(false)
			got, err := g.run(in, s)
			if err != nil {
				if got, err = g.run(in, nil); err != nil { // the device gave it back
					t.Errorf("%s: %v", name, err)
				}
			} else if n := s.Cost().Nodes; n > 0 {
				ran++
				var covered []string
				for _, step := range g.plan.Steps() {
					if kernels[step.Node.Row.Device] != nil {
						covered = append(covered, step.Node.Op)
					}
				}
				for _, op := range covered {
					ops[op] = ops[op] || n == len(covered)
				}
			}
			for i := range want {
				if d := distance(got[i], want[i]); !(d <= tolerance) {
					t.Errorf("%s (rewritten %v): output %d is off by %g of the largest element",
						name, rewritten, i, d)
				}
			}
		}
	}
	t.Logf("%d runs with nodes on %s", ran, p.Name())
	for _, op := range Covered() {
		if !ops[op] && !slices.Contains(elsewhere, op) {
			t.Errorf("no test ran %s on the device", op)
		}
	}
}

func caseInputs(files map[string][]byte, n int) ([]*tensor.Tensor, bool) {
	var in []*tensor.Tensor
	for i := range n {
		data := files["test_data_set_0/input_"+string(rune('0'+i))+".pb"]
		if data == nil || i > 9 {
			return nil, false
		}
		x, err := decode.Tensor(data, decode.Limits{Elements: 1 << 28, Bytes: 2 << 30})
		if err != nil || slices.Contains(x.Shape, -1) {
			return nil, false
		}
		in = append(in, x)
	}
	return in, true
}
