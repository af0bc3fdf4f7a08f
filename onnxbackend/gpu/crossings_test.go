//go:build gpu && !js

package gpu

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/internal/testfile"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/device"
)

// A watched device remembers its last session.
type watched struct {
	*processor
	last device.Session
}

type watchedModel struct {
	device.Loaded
	d *watched
}

func (d *watched) Load() device.Loaded { return watchedModel{d.processor.Load(), d} }

func (l watchedModel) Session(dry bool) device.Session {
	s := l.Loaded.Session(dry)
	if !dry {
		l.d.last = s
	}
	return s
}

// TestTransformers counts how often the CPU waits for the device: once, at the end, where all that
// has no kernel computes sizes. The second number is how often it is without kernels for Slice,
// Gather, Split, Where, Expand and products of vectors.
func TestTransformers(t *testing.T) {
	for _, c := range []struct {
		file           string
		waits, without int
	}{
		{"set_transformer/dynamo-18.onnx", 1, 5},
		{"keras_transformer/tf2onnx-18.onnx", 1, 2},
		// the side of the square in which it lays instances out comes from a root
		{"transmil/dynamo-18.onnx", 2, 7},
		{"transformer_cls/model.onnx", 1, 4},
	} {
		t.Run(c.file, func(t *testing.T) {
			file := filepath.Join("../testdata/zoo", c.file)
			if _, err := os.Stat(file); err != nil {
				file = testfile.Path(t, "models/zoo/"+c.file)
			}
			data := must.Get(os.ReadFile(file))(t)
			d := &watched{processor: processorFor(t)}
			m := must.Get(onnxbackend.Open(data, onnxbackend.Options{Device: d,
				DeviceAlways: true}))(t)
			// one of them has no class scores, of which it says so after the run
			m.Predict(t.Context(), randomBag(t, m, 17))
			if d.last == nil {
				t.Fatal("the device was not used")
			}
			if cost := d.last.Cost(); cost.Waits != c.waits {
				t.Errorf("%+v: %d waits, want %d and not %d", cost, cost.Waits, c.waits, c.without)
			}
		})
	}
}
