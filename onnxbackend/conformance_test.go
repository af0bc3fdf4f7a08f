package onnxbackend

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/onnxbackend/internal/decode"
	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	"github.com/bagscope/bagscope/onnxbackend/internal/plan"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

var update = flag.Bool("update", false, "write the list of official ONNX node tests that pass")

// nodeTolerance is what the official runner allows: absolute plus relative.
const (
	nodeAbsolute = 1e-7
	nodeRelative = 1e-3
)

// passing is the pinned list of official node tests that pass.
var passing = filepath.Join("testdata", "node_tests.txt")

// TestOfficialNodes runs the official ONNX node tests. It fails when a listed test breaks and when an
// unlisted one passes.
func TestOfficialNodes(t *testing.T) {
	cases := nodeCases(t)
	listed := map[string]bool{}
	data, err := os.ReadFile(passing)
	if err != nil && !*update {
		t.Fatal(err)
	}
	for _, name := range strings.Fields(string(data)) {
		listed[name] = true
	}
	var pass []string
	for name, files := range cases {
		err := runNodeCase(files)
		if err == nil {
			pass = append(pass, name)
		}
		switch {
		case err != nil && listed[name]:
			t.Errorf("%s: %v", name, err)
		case err == nil && !listed[name] && !*update:
			t.Errorf("%s passes and is not listed; run with -update", name)
		case err != nil && testing.Verbose():
			var gap *UnsupportedError
			if !errors.As(err, &gap) {
				t.Logf("%s: %v", name, err)
			}
		}
	}
	if *update {
		slices.Sort(pass)
		if err := os.WriteFile(passing, []byte(strings.Join(pass, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d of %d pass", len(pass), len(cases))
}

// nodeCases returns the files of each test.
func nodeCases(t *testing.T) map[string]map[string][]byte {
	z, err := gzip.NewReader(bytes.NewReader(readShared(t, "data", "onnx_node_tests", "onnx-v1.22.0-backend-node.tar.gz")))
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string]map[string][]byte{}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			return cases
		}
		if err != nil {
			t.Fatal(err)
		}
		parts := strings.Split(path.Clean(h.Name), "/")
		at := slices.IndexFunc(parts, func(p string) bool { return strings.HasPrefix(p, "test_") && !strings.HasPrefix(p, "test_data_set") })
		if h.Typeflag != tar.TypeReg || at < 0 || at+1 >= len(parts) {
			continue
		}
		name := parts[at-1] + "/" + parts[at]
		if cases[name] == nil {
			cases[name] = map[string][]byte{}
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		cases[name][strings.Join(parts[at+1:], "/")] = data
	}
}

// runNodeCase runs a test's model on each of its data sets.
func runNodeCase(files map[string][]byte) (err error) {
	limits := Limits{}.filled()
	file, err := decode.Decode(files["model.onnx"], limits.decode())
	if err != nil {
		return err
	}
	g, err := graph.New(file, limits.run())
	if err != nil {
		return err
	}
	var given, wanted []int
	for _, p := range g.Inputs {
		given = append(given, p.ID)
	}
	for _, p := range g.Outputs {
		wanted = append(wanted, p.ID)
	}
	p, ok := plan.New(g, given, wanted)
	if !ok {
		return errors.New("no plan")
	}
	if files["test_data_set_0/output_0.pb"] == nil {
		return errors.New("no expected output")
	}
	for set := 0; files[fmt.Sprintf("test_data_set_%d/output_0.pb", set)] != nil; set++ {
		read := func(kind string, i int) (*tensor.Tensor, error) {
			return decode.Tensor(files[fmt.Sprintf("test_data_set_%d/%s_%d.pb", set, kind, i)], limits.decode())
		}
		r := plan.NewRunner(p, limits.run())
		r.Begin(context.Background())
		for i, port := range g.Inputs {
			in, err := read("input", i)
			if err != nil {
				return err
			}
			if port.Type == tensor.Undefined {
				return errors.New("an input is no tensor")
			}
			r.Give(port.ID, in)
		}
		if err := r.Run(nil); err != nil {
			return err
		}
		for i, port := range g.Outputs {
			want, err := read("output", i)
			if err != nil {
				return err
			}
			if err := sameTensor(r.Value(port.ID), want); err != nil {
				return fmt.Errorf("output %q: %w", port.Name, err)
			}
		}
	}
	return nil
}

func sameTensor(got, want *tensor.Tensor) error {
	if got.Type != want.Type || !slices.Equal(got.Shape, want.Shape) {
		return fmt.Errorf("%v %v instead of %v %v", got.Type, got.Shape, want.Type, want.Shape)
	}
	if got.Type.Mini() { // held by code
		return sameBits(got, want)
	}
	x, err := numbers(got)
	if err != nil {
		return err
	}
	y, _ := numbers(want)
	for i, v := range x {
		if w := y[i]; v != w && !(math.Abs(v-w) <= nodeAbsolute+nodeRelative*math.Abs(w)) && !(math.IsNaN(v) && math.IsNaN(w)) {
			return fmt.Errorf("element %d is %v instead of %v", i, v, w)
		}
	}
	return nil
}
