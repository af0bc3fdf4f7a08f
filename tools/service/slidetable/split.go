package slidetable

import (
	"bufio"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/bagscope/bagscope/internal/msg"
)

// Parts are the parts of a split.
var Parts = []string{"train", "val", "test"}

// ReadSplit reads the slides of a part: from splits_0.csv of CLAM, which has a column of slides for
// each part, from splits_0_bool.csv, which has a row for each slide and True or False in the
// columns of the parts, or from splits.csv of torchmil, which has a column of slides and a column
// split with the name of the part. The text of an error follows the name of the file.
func ReadSplit(r io.Reader, part string) (map[string]bool, error) {
	in := bufio.NewReader(r)
	if first, _ := in.Peek(1); string(first) == "{" {
		return nil, msg.Errorf("is JSON, as splits.json of STAMP, whose folds list patients; " +
			"write the slides of a fold as CSV with columns slide_id and split")
	}
	rows, err := readRows(in)
	if err != nil {
		return nil, err
	}
	heading := rows[0]
	slide, split, at := column(heading, slideColumns...), column(heading, "split"),
		column(heading, part)
	if at < 0 && (slide < 0 || split < 0) {
		return nil, msg.Errorf("needs a column %s, as CLAM writes it, or columns bag_name and "+
			"split, as torchmil does; it has %s", part, msg.List(heading))
	}
	chosen := map[string]bool{}
	for _, row := range rows[1:] {
		switch text := cell(row, at); {
		case at < 0 && strings.EqualFold(cell(row, split), part):
			chosen[Name(cell(row, slide))] = true
		case text == "" || strings.EqualFold(text, "false"):
		case strings.EqualFold(text, "true"):
			chosen[Name(row[0])] = true
		default:
			chosen[Name(text)] = true
		}
	}
	if len(chosen) == 0 {
		return nil, msg.Errorf("has no slide in %s", part)
	}
	return chosen, nil
}

// Select returns the indexes of the slides in a part, in the order of slides. A slide of the part
// that is not among them is an error, because the part would not be what it says; its text follows
// the name of the file.
func Select(slides []string, chosen map[string]bool, part string) ([]int, error) {
	var kept []int
	missing := maps.Clone(chosen)
	for i, slide := range slides {
		if chosen[slide] {
			kept = append(kept, i)
			delete(missing, slide)
		}
	}
	if len(missing) > 0 {
		first := slices.Min(slices.Collect(maps.Keys(missing)))
		return nil, msg.Errorf("has %d slides in %s without features, such as %s; encode them, "+
			"or remove them from the split", len(missing), part, first)
	}
	return kept, nil
}
