package train

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/bagscope/bagscope/tools/train/dataset"
)

// A SeenError means that a model may have been trained on the bags that it is evaluated on.
type SeenError struct {
	Model  string // its file
	Title  string // of the data set
	Part   string // "test", of the split
	Repeat int    // whose bags are to judge
	Was    int    // the repeat that it was trained for
}

func (e *SeenError) Error() string {
	how := fmt.Sprintf("for repeat %d", e.Was)
	if e.Was == e.Repeat {
		how = "on another split"
	}
	return fmt.Sprintf("%s was trained %s of %s, so its training bags may include %s bags of "+
		"repeat %d; train it for that repeat and split, or use other bags", e.Model, how, e.Title,
		e.Part, e.Repeat)
}

// CheckUnseen wants a model to have seen of a split what it is to have seen: to be judged on its
// part, "validation" or "test", the model must come of a training with that very split. What it was
// trained on stands in the Report that Job.Run wrote beside the model's file. A model without one
// is let pass, and so is one of the same repeat whose report does not say what the split was.
//
// Errors: *SeenError, and those of reading the report.
func CheckUnseen(model string, set *dataset.Set, split *dataset.Split, part string) error {
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
	if r.Split == "" && r.Repeat == split.Repeat {
		return nil // reports of older programs do not say it
	}
	return &SeenError{Model: model, Title: set.Title, Part: part, Repeat: split.Repeat,
		Was: r.Repeat}
}
