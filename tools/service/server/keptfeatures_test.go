package server

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/tools/service/jobs"
)

// errKilled ends the work as a killed process does: nothing is returned to the store.
var errKilled = errors.New("killed")

// TestJobContinuesSlide kills a server while it encodes a slide. The next one takes the features
// that are kept, which are recognised by values that no patch has, and encodes the other patches.
// Those of another description are removed.
func TestJobContinuesSlide(t *testing.T) {
	root := must.Get(os.OpenRoot("../../../core/slide/testdata"))(t)
	defer root.Close()
	models := slideModels(t)
	child := must.Get(New(Options{Models: models, Bags: root}))(t)
	child.keepEvery = 0
	for _, c := range []struct {
		name     string
		same     bool // the description of what is kept is that of the slide
		kept     int  // patches whose features are kept
		isolated bool // the bag is computed in a process of its own
	}{{"kept", true, 3, false}, {"nothing is kept", true, 0, false},
		{"other description", false, 3, false}, {"kept for a process", true, 3, true},
		{"other description for a process", false, 3, true}} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			store := must.Get(jobs.Open(dir, jobs.Limits{}))(t)
			options := Options{Models: models, Bags: root, Jobs: store}
			s, url := serve(t, options) // without workers
			_, answer := postJob(t, url,
				`{"models": ["head"], "bags": [{"path": "none_big_endian.tif"}]}`)
			var j jobs.Job
			must.Do(t, json.Unmarshal(answer, &j))
			killWhileEncoding(t, s, c.same, c.kept)
			store.Close()
			var bags atomic.Int32
			options = Options{Models: models, Bags: root}
			if c.isolated {
				options.Isolate = withoutProcess(child, &bags)
			}
			_, url, _ = keeping(t, dir, options, jobs.Limits{})
			if now := ended(t, url, j.ID); now.Failed > 0 || c.isolated != (bags.Load() == 1) {
				t.Fatalf("%+v, %d processes", now, bags.Load())
			}
			var got struct {
				Bag        struct{ Instances int }
				Prediction []float64
			}
			line := results(t, url, j.ID)[0]
			must.Do(t, json.Unmarshal(line.Result, &got))
			// Strange features make the last class certain; blue is the least colour of the slide.
			must.Equal(t, (c.same && c.kept > 0), got.Prediction[2] > .99, got.Prediction)
		})
	}
}

// TestKeptPartsOfAnySize reads parts of kept features of one number and of several, and rejects
// those of a damaged store.
func TestKeptPartsOfAnySize(t *testing.T) {
	part := func(size uint32, numbers int, more ...byte) []byte {
		return append(binary.LittleEndian.AppendUint32(nil, size),
			append(make([]byte, 4*numbers), more...)...)
	}
	for _, c := range []struct {
		part      []byte
		instances int // 0 for an error
	}{
		{part(1, 3), 3}, {part(3, 6), 2}, {part(0, 3), 0}, {part(2, 3), 0}, {part(1, 3, 9), 0},
		{[]byte{1, 0, 0}, 0},
	} {
		bag, err := decodePart(c.part)
		if (err != nil) != (c.instances == 0) || err == nil && bag.Len() != c.instances {
			t.Errorf("%v: %v, %v, want %d instances", c.part, bag, err, c.instances)
		}
	}
}

// strange is a feature that no patch has.
const strange = 1e6

// killWhileEncoding takes the item of a job, keeps strange features for its first patches, and ends
// as a killed server does.
func killWhileEncoding(t *testing.T, s *Server, same bool, kept int) {
	t.Helper()
	w := must.Get(s.Jobs.Take(t.Context()))(t)
	must.Do(t, s.Jobs.Begin(w))
	open := must.Get(s.openJob(w.Job))(t)
	defer open.close()
	s.keepEvery = 0
	open.keeper = func(o *opened, description []byte) ask.Keeper {
		if !same {
			description = append(description, 1)
		}
		return &killer{o.keepFeatures(description).(*keptFeatures), kept}
	}
	line, failed := open.answer(context.Background(), w, jobItem{}, func(int, int) {})
	must.Equal(t, failed, true, line)
	must.Equal(t, strings.Contains(string(line), "internal"), true, line)
}

// A killer keeps strange features of some patches one by one, and then fails.
type killer struct {
	*keptFeatures
	left int
}

// Keep implements ask.Keeper.
func (k *killer) Keep(features *core.Bag) error {
	for range k.left {
		one := &core.Bag{Shape: features.Shape, Values: make([]float32, features.Stride())}
		one.Values[2] = strange
		if err := k.keptFeatures.Keep(one); err != nil {
			return err
		}
	}
	return errKilled
}
