package train

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/bagscope/bagscope/tools/train/dataset"
)

// A SeenError means that a model may have been trained on the bags that should evaluate it.
type SeenError struct {
	Model  string // path of the model
	Title  string // title of the data set
	Part   string // part of the split that should evaluate it, such as "test"
	Repeat int    // repeat that should evaluate it
	Was    int    // repeat that it was trained for
}

// Error implements error.
func (e *SeenError) Error() string {
	how := fmt.Sprintf("for repeat %d", e.Was)
	if e.Was == e.Repeat {
		how = "on another split"
	}
	return fmt.Sprintf("%s was trained %s of %s, so its training bags may include %s bags of "+
		"repeat %d; train it for that repeat and split, or use other bags", e.Model, how, e.Title,
		e.Part, e.Repeat)
}

// CheckUnseen checks that a model was trained with the given split, so that its validation or test
// bags are new to the model. It reads the Report that Job.Run wrote beside the model's file. It
// accepts a model without a report, and one of the same repeat whose report states no split.
//
// Errors: *SeenError, and those of reading the report.
func CheckUnseen(model string, set *dataset.Set, split *dataset.Split, part string) error {
	if split.Seen == "" {
		return nil
	}
	data, err := readIfExists(strings.TrimSuffix(model, filepath.Ext(model)) + ".json")
	if data == nil || err != nil {
		return err
	}
	var r Report
	// The file may be another kind of JSON, or a report of another data set.
	if json.Unmarshal(data, &r) != nil || r.Dataset != set.Name || r.Split == split.Seen ||
		r.Split == "" && r.Repeat == split.Repeat {
		return nil
	}
	return &SeenError{Model: model, Title: set.Title, Part: part, Repeat: split.Repeat,
		Was: r.Repeat}
}
