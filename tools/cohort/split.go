package cohort

import (
	"cmp"
	"encoding/csv"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/bagscope/bagscope/internal/msg"
)

// splitParts are the columns of CLAM's splits.
var splitParts = []string{"train", "val", "test"}

// split returns the lines of the slides in the part of the split. A slide of the part without
// features is an *OptionError: the part would not be what it says.
func (f *Folder) split(lines []Line, slides []string) ([]Line, error) {
	if f.Split == "" {
		return lines, nil
	}
	part := cmp.Or(f.Part, "test")
	if !slices.Contains(splitParts, part) {
		return nil, &OptionError{"part", msg.Sprintf("%q is none of train, val and test", part)}
	}
	file, err := os.Open(f.Split)
	if err != nil {
		return nil, &FileError{Path: f.Split, Err: err}
	}
	defer file.Close()
	chosen, err := readSplit(file, part)
	if err != nil {
		return nil, &OptionError{"split", msg.Sprintf("%s %v", f.Split, err)}
	}
	var kept []Line
	for i, slide := range slides {
		if chosen[slide] {
			kept = append(kept, lines[i])
			delete(chosen, slide)
		}
	}
	if len(chosen) > 0 {
		var missing []string
		for slide := range chosen {
			missing = append(missing, slide)
		}
		slices.Sort(missing)
		return nil, &OptionError{"split", msg.Sprintf("%s has %d slides in %s without features, "+
			"such as %s; encode them, or remove them from the split", f.Split, len(missing), part,
			missing[0])}
	}
	return kept, nil
}

// readSplit reads the slides of a part from splits_0.csv of CLAM, which has a column of slides for
// each part, or from splits_0_bool.csv, which has a row for each slide and True or False in the
// columns of the parts. The text of an error follows the name of the file.
func readSplit(r io.Reader, part string) (map[string]bool, error) {
	rows, err := csv.NewReader(r).ReadAll()
	if err != nil {
		return nil, msg.Errorf("cannot be read as CSV: %w", err)
	}
	if len(rows) == 0 {
		return nil, msg.Errorf("is empty")
	}
	at := slices.IndexFunc(rows[0], func(h string) bool {
		return strings.ToLower(strings.TrimSpace(strings.TrimPrefix(h, "\ufeff"))) == part
	})
	if at < 0 {
		return nil, msg.Errorf("needs a column %s; it has %s", part, msg.List(rows[0]))
	}
	chosen := map[string]bool{}
	for _, row := range rows[1:] {
		switch cell := strings.TrimSpace(row[at]); cell {
		case "", "False":
		case "True":
			chosen[withoutEnding(strings.TrimSpace(row[0]))] = true
		default:
			chosen[withoutEnding(cell)] = true
		}
	}
	if len(chosen) == 0 {
		return nil, msg.Errorf("has no slide in %s", part)
	}
	return chosen, nil
}
