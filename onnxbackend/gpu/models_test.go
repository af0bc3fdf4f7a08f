//go:build gpu && !js

package gpu

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/internal/testfile"
	"github.com/bagscope/bagscope/onnxbackend"
)

// TestModels predicts and binds with each committed model on the CPU and on the device. The scores
// of bags and of coalitions must be the same.
func TestModels(t *testing.T) {
	p := processorFor(t)
	var files []string
	for _, pattern := range []string{"*/*.onnx", "*/*/*.onnx"} {
		found, _ := filepath.Glob(filepath.Join(testfile.Path(t, "models"),
			filepath.FromSlash(pattern)))
		files = append(files, found...)
	}
	if len(files) < 16 {
		t.Errorf("only %d models are there", len(files))
	}
	for _, file := range append(files, "../../examples/tissue/model.onnx",
		"../../examples/tissue/networks/mi-net-instance.onnx") {
		folder, name := filepath.Split(file)
		t.Run(filepath.Base(folder)+"/"+strings.TrimSuffix(name, ".onnx"), func(t *testing.T) {
			data := must.Get(os.ReadFile(file))(t)
			cpu, gpu := openBoth(t, p, data)
			for _, k := range []int{1, 17} {
				sameScores(t, cpu, gpu, randomBag(t, cpu, k))
			}
			bags, _ := filepath.Glob(filepath.Join(filepath.Dir(file), "bag_*.npy"))
			for _, bag := range bags {
				sameScores(t, cpu, gpu, readBag(t, bag, cpu.Info().InstanceAxis))
			}
		})
	}
}

// TestExported predicts with the files that other frameworks have exported, and wants the CPU's
// outputs. Those that take no bag of 17 instances are left out.
func TestExported(t *testing.T) {
	p := processorFor(t)
	files := must.Get(filepath.Glob("../testdata/zoo/*/*.onnx"))(t)
	compared, onDevice := 0, 0
	for _, file := range files {
		data := must.Get(os.ReadFile(file))(t)
		cpu, device := openBoth(t, p, data)
		bag := randomBag(t, cpu, 17)
		want, err := cpu.Predict(t.Context(), bag)
		if err != nil {
			continue
		}
		got, err := device.Predict(t.Context(), bag)
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		compared++
		if notes := strings.Join(got.Notes, " "); strings.Contains(notes,
			"encoded the bag: it computed") {
			onDevice++
		}
		for i := range want.Outputs {
			if d := apart(got.Outputs[i].Data, want.Outputs[i].Data); !(d <= tolerance) {
				t.Errorf("%s: output %s is off by %g of the largest element", file,
					want.Outputs[i].Name, d)
			}
		}
	}
	if t.Logf("%d of %d files, %d of them on the device", compared, len(files),
		onDevice); onDevice < 100 {
		t.Errorf("only %d models ran on the device", onDevice)
	}
}

// sameScores compares predictions, and the scores of coalitions, within tolerance of the largest.
func sameScores(t *testing.T, cpu, gpu *onnxbackend.Model, bag *core.Bag) {
	t.Helper()
	ctx := context.Background()
	want, err := cpu.Predict(ctx, bag)
	if err != nil {
		t.Fatalf("the CPU takes no bag of shape %v: %v", bag.Shape, err)
	}
	got := must.Get(gpu.Predict(ctx, bag))(t)
	if notes := strings.Join(got.Notes, " "); !strings.Contains(notes,
		"encoded the bag: it computed") {
		t.Errorf("notes %q name no device that encoded the bag", notes)
	}
	t.Logf("%d instances: %s", bag.Len(), got.Notes[len(got.Notes)-1])
	for i := range want.Outputs {
		if d := apart(got.Outputs[i].Data, want.Outputs[i].Data); !(d <= tolerance) {
			t.Errorf("%d instances, output %s is off by %g of the largest element", bag.Len(),
				want.Outputs[i].Name, d)
		}
	}
	scores := func(m *onnxbackend.Model) []float64 {
		ev := must.Get(m.Bind(ctx, bag))(t)
		if notes := strings.Join(ev.(core.Noter).Notes(), " "); strings.Contains(notes,
			"was lost") {
			t.Errorf("notes %q", notes)
		}
		r, z := rand.New(rand.NewPCG(1, 2)), core.NewCoalitions(bag.Len(), 8)
		for range 8 {
			z.AppendMembers(r.Perm(bag.Len())[:1+r.IntN(bag.Len())]...)
		}
		y := make([]float64, z.Len()*ev.Task().Classes)
		must.Do(t, ev.Evaluate(ctx, y, z))
		return y
	}
	if d := apart(scores(gpu), scores(cpu)); !(d <= tolerance) {
		t.Errorf("%d instances: scores of coalitions are off by %g of the largest", bag.Len(), d)
	}
}

// randomBag returns a bag of k instances in the shape that a model takes, 28 where it leaves a side
// open.
func randomBag(t *testing.T, m *onnxbackend.Model, k int) *core.Bag {
	info := m.Info()
	var shape []int
	for _, in := range info.Inputs {
		if in.Name != info.Input {
			continue
		}
		for i, d := range in.Shape {
			if i != info.InstanceAxis && !(info.InstanceAxis == 1 && i == 0) {
				if d < 0 {
					d = 28
				}
				shape = append(shape, d)
			}
		}
	}
	r := rand.New(rand.NewPCG(3, uint64(k)))
	bag := &core.Bag{Shape: shape, Values: make([]float32, k*elements(shape))}
	for i := range bag.Values {
		bag.Values[i] = float32(r.NormFloat64())
	}
	return bag
}

// readBag reads a bag of float32 from an .npy file, in which its instances lie along an axis: the
// first, or the second behind one of one place.
func readBag(t *testing.T, file string, axis int) *core.Bag {
	t.Helper()
	data := must.Get(os.ReadFile(file))(t)
	set := must.Get(bagio.Read(filepath.Base(file), data, bagio.Options{}))(t)
	bag := must.Get(set.Bag(0))(t)
	if axis == 1 {
		bag.Shape = append([]int{1}, bag.Shape[1:]...)
	}
	return bag
}
