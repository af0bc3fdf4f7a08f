package onnxbackend

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/testfile"
)

// zooTolerance is relative to the largest element of an output; PyTorch made the expected values.
const zooTolerance = 1e-4

// zooModels calls f for every model of the zoo and each of its bags.
func zooBags(t *testing.T, f func(t *testing.T, m *Model, dir, size string, bag *core.Bag)) {
	dirs, err := os.ReadDir(testfile.Path(t, "models/zoo"))
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range dirs {
		m := openTestFile(t, Options{}, "models/zoo/"+d.Name()+"/model.onnx")
		files, _ := filepath.Glob(testfile.Path(t, "models/zoo/"+d.Name()) + "/bag_*.npy")
		if len(files) == 0 {
			t.Fatalf("%s has no bags", d.Name())
		}
		for _, file := range files {
			size := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(file), "bag_"), ".npy")
			t.Run(d.Name()+"/"+size, func(t *testing.T) {
				data, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				f(t, m, filepath.Dir(file), size, npyBag(t, data, m.Info().InstanceAxis))
			})
		}
	}
}

func TestZooOutputs(t *testing.T) {
	zooBags(t, func(t *testing.T, m *Model, dir, size string, bag *core.Bag) {
		p, err := m.Predict(context.Background(), bag)
		if err != nil {
			t.Fatal(err)
		}
		for _, out := range p.Outputs {
			data, err := os.ReadFile(filepath.Join(dir, out.Name+"_"+size+".npy"))
			if err != nil {
				t.Fatal(err)
			}
			_, want := parseNpy(t, data)
			near(t, out.Name, out.Data, want, zooTolerance)
		}
		if want := p.Outputs[0]; want.Name != "logits" || len(p.Scores) != len(want.Data) {
			t.Errorf("scores %v are not output %q", p.Scores, want.Name)
		}
	})
}

// TestZooAttention reads instance scores by class from an output whose file names both axes alike,
// and from one with the classes first.
func TestZooAttention(t *testing.T) {
	for _, c := range []struct {
		model, size string
		classFirst  bool
	}{{"dsmil_critical", "20", false}, {"clam_branches", "30", true}} {
		t.Run(c.model, func(t *testing.T) {
			dir := "models/zoo/" + c.model
			m := openTestFile(t, Options{Card: []byte(`{"inherent": "aux0"}`)}, dir+"/model.onnx")
			bag := npyBag(t, testfile.Read(t, dir+"/bag_"+c.size+".npy"), 0)
			_, all := parseNpy(t, testfile.Read(t, dir+"/aux0_"+c.size+".npy"))
			ev, err := m.Bind(context.Background(), bag)
			if err != nil {
				t.Fatal(err)
			}
			k, classes := bag.Len(), ev.Task().Classes
			for class := range classes {
				got, err := ev.(*Bound).Attention(context.Background(), class)
				if err != nil {
					t.Fatal(err)
				}
				var want []float64
				for i := range k {
					at := i*classes + class
					if c.classFirst {
						at = class*k + i
					}
					want = append(want, all[at])
				}
				near(t, "attention", got, want, zooTolerance)
			}
		})
	}
}

// near compares relative to the largest wanted element.
func near(t *testing.T, what string, got, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s has %d elements, want %d", what, len(got), len(want))
	}
	scale := 1e-30
	for _, v := range want {
		scale = max(scale, math.Abs(v))
	}
	for i, v := range got {
		if !(math.Abs(v-want[i]) <= tolerance*scale) {
			t.Fatalf("%s element %d is %v, want %v", what, i, v, want[i])
		}
	}
}
