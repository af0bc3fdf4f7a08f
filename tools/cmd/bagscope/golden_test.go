package main

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/internal/testfile"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/tools/cmd/internal/clitest"
)

// golden is the file of numbers that the paper's own code gives.
type golden struct {
	Bags []struct {
		Index   int
		Logits  []float64
		Phi     map[string][][]float64 // method to (class, instance)
		Sampled map[string]struct {
			Class      int
			Coalitions []string
			Phi        []float64
		}
	}
	Table struct {
		NDCG  map[string][]float64 // method to mean, standard error, count
		AOPCR map[string][]float64 `json:"aopc_r"`
	}
}

// tolerance is how near the golden numbers must be met.
const tolerance = 1e-4

func readGolden(t *testing.T) (g golden) {
	t.Helper()
	must.Do(t, json.Unmarshal(testfile.Read(t, "golden/mnist_mi_attn.json"), &g))
	return g
}

// encodedBags returns the network behind its encoder, and the features of the 100 test bags.
func encodedBags(t *testing.T) (model, bags string) {
	return testfile.Path(t, "models/mnist/mi_attn_pooling.onnx"), testfile.Path(t,
		"models/mnist/encoded_bags.npz")
}

// TestGolden compares predictions and explanations with the golden numbers, through their JSON.
func TestGolden(t *testing.T) { meetsGolden(t) }

// TestGoldenPlain does the same without passes and without encoding once.
func TestGoldenPlain(t *testing.T) { meetsGolden(t, "--plain") }

func meetsGolden(t *testing.T, flags ...string) {
	t.Helper()
	t.Run("features", func(t *testing.T) {
		model, bags := encodedBags(t)
		meetsGoldenOf(t, model, bags, flags)
	})
	t.Run("pictures", func(t *testing.T) {
		bags := testfile.Restricted(t, "models/mnist/test_bags.npz")
		meetsGoldenOf(t, testfile.Path(t, "models/mnist/mi_attn.onnx"), bags, flags)
	})
}

func meetsGoldenOf(t *testing.T, model, bags string, flags []string) {
	t.Helper()
	g := readGolden(t)
	must.Equal(t, len(g.Bags) != 0, true, "the golden file holds no bags")
	for _, b := range g.Bags {
		at := []string{"--model", model, "--bag", bags, "--index", strconv.Itoa(b.Index), "--json"}
		at = append(at, flags...)
		var p ask.Prediction
		clitest.Decode(t, succeed(t, append([]string{"predict"}, at...)...), &p)
		near(t, "logits", p.Outputs["logits"].Data, b.Logits)

		reference := append([]string{"explain", "--preset", "reference", "--settings", "mnist"},
			at...)
		var names []string
		for name := range b.Phi {
			names = append(names, name)
		}
		must.Equal(t, len(names), 5, names)
		var x ask.Explanation
		clitest.Decode(t, succeed(t, append(reference, "--method", strings.Join(names, ","))...),
			&x)
		for _, e := range x.Explanations {
			near(t, e.Method, e.Scores, b.Phi[e.Method][e.Class])
		}
		for name, s := range b.Sampled {
			file := filepath.Join(t.TempDir(), name)
			must.Do(t, os.WriteFile(file, []byte(strings.Join(s.Coalitions, "\n")), 0o644))
			var x ask.Explanation
			clitest.Decode(t, succeed(t, append(reference, "--method", name, "--coalitions", file,
				"--class", strconv.Itoa(s.Class))...), &x)
			must.Equal(t, len(x.Explanations), 1, name)
			near(t, name, x.Explanations[0].Scores, s.Phi)
		}
	}
}

func near(t *testing.T, what string, got []ask.Number, want []float64) {
	t.Helper()
	must.Equal(t, len(got), len(want), what)
	for i := range want {
		if !(math.Abs(float64(got[i])-want[i]) <= tolerance) {
			t.Errorf("%s, entry %d is %v, want %v", what, i, got[i], want[i])
			return
		}
	}
}

// TestGoldenTable evaluates the 100 bags and compares with the golden table: within three
// standard errors of the difference.
func TestGoldenTable(t *testing.T) {
	if testing.Short() {
		t.Skip("the evaluation of 100 bags takes a while")
	}
	g := readGolden(t)
	model, bags := encodedBags(t)
	for _, seed := range []string{"1", "11", "12"} {
		t.Run("seed "+seed, func(t *testing.T) {
			var s clitest.Statistics
			clitest.Decode(t, succeed(t, "evaluate", "--model", model, "--bags", bags, "--method",
				"all", "--metrics", "ndcg,aopc-r", "--settings", "mnist", "--seed", seed, "--json"),
				&s)
			for metric, table := range map[string]map[string][]float64{"ndcg": g.Table.NDCG,
				"aopc_r": g.Table.AOPCR} {
				must.Equal(t, len(table) >= 8, true, metric, len(table))
				for method, want := range table {
					got := s.Stat(t, method, metric)
					if !(math.Abs(got.Mean-want[0]) <= 3*want[1]) {
						t.Errorf("%s of %s is %.4f ± %.4f, want %.4f ± %.4f", metric, method,
							got.Mean, got.SEM, want[0], want[1])
					}
				}
			}
			must.Equal(t, math.Abs(s.Stat(t, "random", "ndcg").Mean-.38) <= .04, true)
		})
	}
}
