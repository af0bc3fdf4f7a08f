package train

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/bagscope/bagscope/tools/dataset"
)

// A SeenError says that a model may have been trained on bags that it is to be judged on.
type SeenError struct {
	Model  string // its file
	Title  string // of the data set
	Repeat int    // whose test bags are to judge
	Was    int    // the repeat that it was trained for
}

func (e *SeenError) Error() string {
	how := fmt.Sprintf("for repeat %d", e.Was)
	if e.Was == e.Repeat {
		how = "on another split"
	}
	return fmt.Sprintf("%s was trained %s of %s, so that it may have seen test bags of repeat %d: train it for that repeat and split, or give it bags that it has not seen", e.Model, how, e.Title, e.Repeat)
}

// CheckUnseen wants a model not to have seen the test bags of a split. What it was trained on stands in the Report
// that Job.Run wrote beside the model's file; a model without one is let pass.
//
// Errors: *SeenError, and those of reading the report.
func CheckUnseen(model string, set *dataset.Set, split *dataset.Split) error {
	if split.Seen == "" {
		return nil
	}
	data, err := os.ReadFile(strings.TrimSuffix(model, filepath.Ext(model)) + ".json")
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var r Report
	if json.Unmarshal(data, &r) != nil || r.Dataset != set.Name || r.Split == split.Seen {
		return nil // the file says something else, or of other bags, or that all is well
	}
	return &SeenError{Model: model, Title: set.Title, Repeat: split.Repeat, Was: r.Repeat}
}
