package train

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/tools/train/dataset"
)

func TestCheckUnseenRejectsModelsOfOtherSplits(t *testing.T) {
	model := filepath.Join(t.TempDir(), "mi-net.onnx")
	set, split := &dataset.Set{Name: "musk1", Title: "Musk1"}, &dataset.Split{Repeat: 1, Seen: "a"}
	must.Do(t, CheckUnseen(model, set, split, "test"), "without a report")
	for _, c := range []struct {
		report Report
		says   string // "" where the model is let pass
	}{
		{Report{Dataset: "musk1", Repeat: 1, Split: "a"}, ""},
		{Report{Dataset: "musk1", Repeat: 1, Split: "b"},
			"on another split of Musk1, so its training bags may include test bags of repeat 1"},
		{Report{Dataset: "musk1", Repeat: 0, Split: "b"}, "for repeat 0 of Musk1"},
		{Report{Dataset: "tiger", Repeat: 0, Split: "b"}, ""},
		{Report{Dataset: "musk1", Repeat: 1}, ""}, // of an older program, which wrote no split
		{Report{Dataset: "musk1", Repeat: 0}, "for repeat 0 of Musk1"},
	} {
		data, err := json.Marshal(c.report)
		must.Do(t, err)
		must.Do(t, os.WriteFile(strings.TrimSuffix(model, ".onnx")+".json", data, 0o644))
		err = CheckUnseen(model, set, split, "test")
		if seen := (*SeenError)(nil); errors.As(err, &seen) != (c.says != "") || err != nil &&
			!strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: %v, want %q", c.report, err, c.says)
		}
		// every part draws instances of its own
		must.Do(t, CheckUnseen(model, set, &dataset.Split{Repeat: 1}, "test"), c.report)
	}
}
