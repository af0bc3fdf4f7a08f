//go:build gpu && !js

package gpu

import (
	"context"
	flags "flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/device"
)

var update = flags.Bool("update", false, "write testdata/counts.txt again")

// A blocked device is a processor that takes small blocks, and counts them.
type blocked struct {
	*processor
	memory int // bytes that decide how large a block is
	blocks int
}

type blockedModel struct {
	device.Loaded
	d *blocked
}

type blockedSession struct {
	device.Session
	d *blocked
}

func (d *blocked) Memory() int { return d.memory }

func (d *blocked) Load() device.Loaded { return blockedModel{d.processor.Load(), d} }

func (l blockedModel) Session(dry bool) device.Session {
	return blockedSession{l.Loaded.Session(dry), l.d}
}

func (s blockedSession) Turn(ctx context.Context) error {
	s.d.blocks++
	return s.Session.Turn(ctx)
}

// counted are encoders of pictures and of features: convolutions, and transformers over the parts
// of an instance with several kinds of attention. memory makes several blocks of 96 instances.
var counted = []struct {
	name, file string
	memory     int
}{
	{"digits", "../../examples/digits/model.onnx", 4 << 20},
	{"pictures", "../testdata/zoo/pictures/dynamo-18.onnx", 1 << 17},
	{"jax_pictures", "../testdata/zoo/jax_pictures/jax2onnx-18.onnx", 1 << 16},
	{"encoder_transformer", "../testdata/zoo/encoder_transformer/dynamo-18.onnx", 1 << 16},
	{"encoder_fused_attention", "../testdata/zoo/encoder_fused_attention/dynamo-18.onnx", 1 << 16},
	{"encoder_merged_heads", "../testdata/zoo/encoder_merged_heads/dynamo-18.onnx", 1 << 16},
	{"encoder_rotary", "../testdata/zoo/encoder_rotary/dynamo-18.onnx", 1 << 15},
	{"encoder_windows", "../testdata/zoo/encoder_windows/dynamo-18.onnx", 1 << 17},
	{"encoder_sequence_first", "../testdata/zoo/encoder_sequence_first/dynamo-18.onnx", 1 << 16},
}

// countsFile says what the columns of testdata/counts.txt are.
const countsFile = `# What a bag of 96 instances takes of a device, after the first bag: blocks, bytes of values up and
# down, times that the CPU waits until the device has nothing to compute, dispatches of kernels, and
# steps that the CPU computes. No number after the blocks may rise.
`

// TestCounts predicts a bag in blocks on the device. The scores are those of the CPU, and what
// crosses may only fall: see testdata/counts.txt. The CPU waits at most twice, however many blocks
// there are: for the first one, and for the scores.
func TestCounts(t *testing.T) {
	const path = "testdata/counts.txt"
	recorded := map[string][]int{}
	if !*update {
		for line := range strings.Lines(string(must.Get(os.ReadFile(path))(t))) {
			if f := strings.Fields(line); !strings.HasPrefix(line, "#") {
				row := make([]int, len(f)-1)
				for i := range row {
					must.Get(fmt.Sscan(f[1+i], &row[i]))(t)
				}
				recorded[f[0]] = row
			}
		}
	}
	table := countsFile
	for _, c := range counted {
		t.Run(c.name, func(t *testing.T) {
			row := countsOf(t, c.file, c.memory)
			table += fmt.Sprintln(append([]any{c.name}, toAny(row)...)...)
			if row[0] < 3 || row[3] > 2 {
				t.Errorf("%d blocks and %d waits, want at least 3 and at most 2", row[0], row[3])
			}
			for i, was := range recorded[c.name] {
				if i > 0 && row[i] > was {
					t.Errorf("column %d has risen from %d to %d", 1+i, was, row[i])
				}
			}
			if len(recorded[c.name]) != len(row) && !*update {
				t.Error("it is not recorded; run with -update")
			}
		})
	}
	if *update {
		must.Do(t, os.WriteFile(path, []byte(table), 0o644))
	}
}

// toAny returns numbers as values for Sprintln.
func toAny(v []int) (out []any) {
	for _, x := range v {
		out = append(out, x)
	}
	return out
}

// stepsNote is the note that says how many steps a device computed.
var stepsNote = regexp.MustCompile(`computed (\d+) of (\d+) steps`)

// countsOf predicts a bag twice, and returns the columns of the second prediction.
func countsOf(t *testing.T, file string, memory int) []int {
	data := must.Get(os.ReadFile(file))(t)
	d := &blocked{processor: narrowed(t, limits{}, 0), memory: memory}
	cpu := must.Get(onnxbackend.Open(data, onnxbackend.Options{}))(t)
	m := must.Get(onnxbackend.Open(data, onnxbackend.Options{Device: d, DeviceAlways: true}))(t)
	bag := randomBag(t, cpu, 96)
	want := must.Get(cpu.Predict(t.Context(), bag))(t)
	sameScores(t, cpu, m, bag)
	d.counts, d.blocks = counts{}, 0
	got := must.Get(m.Predict(t.Context(), bag))(t)
	if off := apart(got.Scores, want.Scores); !(off <= tolerance) {
		t.Errorf("the scores are off by %g of the largest", off)
	}
	steps := stepsNote.FindStringSubmatch(strings.Join(got.Notes, " "))
	if steps == nil {
		t.Fatalf("the device was not used: %q", got.Notes)
	}
	var on, all int
	must.Get(fmt.Sscan(steps[1], &on))(t)
	must.Get(fmt.Sscan(steps[2], &all))(t)
	return []int{d.blocks, d.counts.up, d.counts.down, d.counts.waits, d.counts.dispatches,
		all - on}
}
