package onnxgo_test

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	onnx "github.com/owulveryck/onnx-go"
	"github.com/owulveryck/onnx-go/backend"
	"github.com/owulveryck/onnx-go/backend/x/gorgonnx"
	"gorgonia.org/tensor"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/internal/testfile"
	"github.com/bagscope/bagscope/onnxbackend/onnxgo"
	"github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// What the official runner allows: absolute plus relative.
const (
	nodeAbsolute = 1e-7
	nodeRelative = 1e-3
)

// TestConformance runs the official ONNX node tests through onnx-go's decoder on both backends. The
// package documentation states both counts, and the test holds it to them.
func TestConformance(t *testing.T) {
	cases := nodeCases(t)
	ours := 0
	for name, files := range cases {
		g := onnxgo.New()
		g.Opset = onnxgo.OpsetOf(files["model.onnx"])
		if err := runCase(g, files); err == nil {
			ours++
		} else if testing.Verbose() {
			t.Logf("%s: %.150v", name, err)
		}
	}
	theirs := countTheirs(t, len(cases))
	doc := must.Get(os.ReadFile("doc.go"))(t)
	text := strings.Join(strings.Fields(strings.ReplaceAll(string(doc), "\n//", " ")), " ")
	said := fmt.Sprintf("Of %d cases %d pass here and %d there.", len(cases), ours, theirs)
	if said = strings.Replace(said, "1765", "1,765", 1); !strings.Contains(text, said) {
		t.Errorf("doc.go does not say: %s", said)
	}
}

// skipCases makes a process of this test run onnx-go's backend, from this case on.
const skipCases = "BAGSCOPE_TEST_CASES_FROM"

// countTheirs counts the cases that pass on onnx-go's backend. It panics in goroutines of its own,
// which ends the process; the next process goes on behind the case.
func countTheirs(t *testing.T, all int) (passed int) {
	for from := 0; from < all; {
		c := exec.Command(os.Args[0], "-test.run", "^TestTheirs$", "-test.v")
		c.Env = append(os.Environ(), fmt.Sprintf("%s=%d", skipCases, from))
		out, err := c.Output()
		started := strings.Count(string(out), "\nstart ")
		passed += strings.Count(string(out), "\npass ")
		if err == nil && started != all-from || started == 0 {
			t.Fatalf("a process from case %d on ran %d of %d: %v", from, started, all, err)
		}
		from += started
	}
	return passed
}

// TestTheirs is the process that countTheirs starts.
func TestTheirs(t *testing.T) {
	from, err := strconv.Atoi(os.Getenv(skipCases))
	if err != nil {
		t.Skip("started by TestConformance")
	}
	cases := nodeCases(t)
	names := slices.Sorted(maps.Keys(cases))
	for _, name := range names[from:] {
		fmt.Printf("\nstart %s\n", name)
		if runCase(gorgonnx.NewGraph(), cases[name]) == nil {
			fmt.Printf("\npass %s\n", name)
		}
	}
}

func nodeCases(t *testing.T) map[string]map[string][]byte {
	t.Helper()
	return must.Get(onnxtest.Cases(testfile.Fetched(t, testfile.NodeTests)))(t)
}

// caseTime is how long a case may take: they are tiny, and a backend that hangs has failed.
const caseTime = time.Minute

// runCase runs the first data set of a test.
func runCase(g backend.ComputationBackend, files map[string][]byte) error {
	done := make(chan error, 1)
	go func() {
		defer func() {
			if r := recover(); r != nil {
				done <- fmt.Errorf("panic: %v", r)
			}
		}()
		done <- compute(g, files)
	}()
	select {
	case err := <-done:
		return err
	case <-time.After(caseTime):
		return errors.New("it hangs")
	}
}

func compute(g backend.ComputationBackend, files map[string][]byte) error {
	m := onnx.NewModel(g)
	if err := m.UnmarshalBinary(files["model.onnx"]); err != nil {
		return err
	}
	for i := range m.Input {
		in, err := onnx.NewTensor(files[fmt.Sprintf("test_data_set_0/input_%d.pb", i)])
		if err != nil {
			return err
		}
		if err := m.SetInput(i, in); err != nil {
			return err
		}
	}
	if err := g.Run(); err != nil {
		return err
	}
	outputs, err := m.GetOutputTensors()
	if err != nil {
		return err
	}
	if len(outputs) == 0 {
		return errors.New("no output")
	}
	for i, got := range outputs {
		want, err := onnx.NewTensor(files[fmt.Sprintf("test_data_set_0/output_%d.pb", i)])
		if err != nil {
			return err
		}
		if err := same(got, want); err != nil {
			return fmt.Errorf("output %d: %w", i, err)
		}
	}
	return nil
}

func same(got, want tensor.Tensor) error {
	if got == nil || got.Dtype() != want.Dtype() || !slices.Equal(got.Shape(), want.Shape()) {
		return fmt.Errorf("%v instead of %v %v", got, want.Dtype(), want.Shape())
	}
	x, y := numbers(got), numbers(want)
	for i, v := range x {
		if w := y[i]; v != w && !(math.Abs(v-w) <= nodeAbsolute+nodeRelative*math.Abs(w)) &&
			!(math.IsNaN(v) && math.IsNaN(w)) {
			return fmt.Errorf("element %d is %v instead of %v", i, v, w)
		}
	}
	return nil
}

// numbers are the elements of a tensor, true as 1.
func numbers(t tensor.Tensor) []float64 {
	v := reflect.ValueOf(t.Data())
	if v.Kind() != reflect.Slice {
		return []float64{number(v)}
	}
	out := make([]float64, v.Len())
	for i := range out {
		out[i] = number(v.Index(i))
	}
	return out
}

func number(v reflect.Value) float64 {
	switch {
	case v.CanFloat():
		return v.Float()
	case v.CanInt():
		return float64(v.Int())
	case v.CanUint():
		return float64(v.Uint())
	case v.Bool():
		return 1
	}
	return 0
}
