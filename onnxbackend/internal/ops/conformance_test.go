package ops_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/internal/testfile"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/decode"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
	"github.com/bagscope/bagscope/onnxbackend/internal/graph"
	rewrite "github.com/bagscope/bagscope/onnxbackend/internal/passes"
	"github.com/bagscope/bagscope/onnxbackend/internal/plan"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

var update = flag.Bool("update", false,
	"write which official ONNX node tests pass into the manifest and README.md, and the claims of "+
		"TestAxisRules and TestFactsHold")

// nodeTolerance is what the official runner allows: absolute plus relative.
const (
	nodeAbsolute = 1e-7
	nodeRelative = 1e-3
)

// manifest lists every official node test with "pass" or the reason why it does not.
var manifest = filepath.Join("testdata", "node_tests.txt")

const passed = "pass"

// TestConformance runs the official ONNX node tests, each with rewriting passes and without. It
// fails when one that the manifest lists as passing breaks, when another passes, and when the
// manifest is not complete.
func TestConformance(t *testing.T) {
	cases := nodeCases(t)
	listed := readManifest(t)
	count := 0
	for name, files := range cases {
		err := runNodeCase(files, false)
		if err == nil {
			count++
			must.Do(t, runNodeCase(files, true), name)
		}
		reason, known := listed[name]
		switch {
		case *update && err == nil:
			listed[name] = passed
		case *update && (!known || reason == passed):
			listed[name] = err.Error()
		case *update:
		case !known:
			t.Errorf("%s is not in the manifest; run with -update", name)
		case err != nil && reason == passed:
			t.Errorf("%s: %v", name, err)
		case err == nil && reason != passed:
			t.Errorf("%s passes, and the manifest says %q; run with -update", name, reason)
		}
	}
	for name := range listed {
		must.Equal(t, cases[name] != nil, true, name)
	}
	if *update {
		writeManifest(t, listed)
	}
	t.Logf("%d of %d pass", count, len(cases))
	checkReadme(t, len(cases), count)
	for reason, n := range reasons(listed) {
		t.Logf("%d: %s", n, reason)
	}
}

func thousands(n int) string { return fmt.Sprintf("%d,%03d", n/1000, n%1000) }

// readmeCounts finds the sentence of the README that gives the counts of node tests.
var readmeCounts = regexp.MustCompile(
	`([\d,]+) official ONNX node tests it\s+passes\s+([\d,]+) \((\d+) %\)`)

// checkReadme fails if the README gives other counts than the test found. With -update it writes
// them.
func checkReadme(t *testing.T, all, passed int) {
	path := enginetest.RepositoryFile(t, "README.md")
	data := must.Get(os.ReadFile(path))(t)
	at := readmeCounts.FindSubmatchIndex(data)
	must.Equal(t, at != nil, true, readmeCounts)
	var text []byte
	from := 0
	for i, now := range []string{thousands(all), thousands(passed),
		fmt.Sprint(100 * passed / all)} {
		text = append(append(text, data[from:at[2+2*i]]...), now...)
		from = at[3+2*i]
	}
	text = append(text, data[from:]...)
	switch {
	case bytes.Equal(text, data):
	case *update:
		must.Do(t, os.WriteFile(path, text, 0o644))
	default:
		t.Errorf("README.md says %q, but %d of %d tests pass; run with -update", data[at[0]:at[1]],
			passed, all)
	}
}

func readManifest(t *testing.T) map[string]string {
	data, err := os.ReadFile(manifest)
	if err != nil && !*update {
		t.Fatal(err)
	}
	listed := map[string]string{}
	for line := range strings.Lines(string(data)) {
		name, reason, ok := strings.Cut(strings.TrimSpace(line), ": ")
		must.Equal(t, ok, true, line)
		must.Equal(t, listed[name], "", line)
		listed[name] = reason
	}
	return listed
}

func writeManifest(t *testing.T, listed map[string]string) {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(listed)) {
		fmt.Fprintf(&b, "%s: %s\n", name, listed[name])
	}
	must.Do(t, os.WriteFile(manifest, []byte(b.String()), 0o644))
}

// reasons counts the tests that do not pass.
func reasons(listed map[string]string) map[string]int {
	count := map[string]int{}
	for _, reason := range listed {
		if reason != passed {
			count[reason]++
		}
	}
	return count
}

// nodeCases returns the files of each test.
func nodeCases(t *testing.T) map[string]map[string][]byte {
	t.Helper()
	return must.Get(ot.Cases(testfile.Fetched(t, testfile.NodeTests)))(t)
}

// runNodeCase runs a test's model on each of its data sets, rewritten or as it is.
func runNodeCase(files map[string][]byte, rewritten bool) (err error) {
	limits := enginetest.LimitsOf(onnxbackend.Limits{})
	file, err := decode.Decode(files["model.onnx"], limits.Decoding)
	if err != nil {
		return err
	}
	g, err := graph.New(file, limits.Runs)
	if err != nil {
		return err
	}
	if rewritten {
		rewrite.Run(g)
	}
	p, _, _, ok := planOf(g)
	if !ok {
		return errors.New("no plan")
	}
	if files["test_data_set_0/output_0.pb"] == nil {
		return errors.New("no expected output")
	}
	for set := 0; files[fmt.Sprintf("test_data_set_%d/output_0.pb", set)] != nil; set++ {
		read := func(kind string, i int) (*tensor.Tensor, error) {
			return decode.Tensor(files[fmt.Sprintf("test_data_set_%d/%s_%d.pb", set, kind, i)],
				limits.Decoding)
		}
		r := plan.NewRunner(p, limits.Runs)
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
	x, err := got.Float64s()
	if err != nil {
		return err
	}
	y, _ := want.Float64s()
	for i, v := range x {
		if w := y[i]; v != w && !(math.Abs(v-w) <= nodeAbsolute+nodeRelative*math.Abs(w)) &&
			!(math.IsNaN(v) && math.IsNaN(w)) {
			return fmt.Errorf("element %d is %v instead of %v", i, v, w)
		}
	}
	return nil
}
