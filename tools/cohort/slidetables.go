package cohort

import (
	"cmp"
	"os"
	"slices"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/tools/service/slidetable"
)

// label adds labels and sites to the lines of slides. A slide without a row keeps none. A table
// without any of the slides is an *OptionError.
func (f *Folder) label(lines []Line, slides []string) error {
	if f.Labels == "" {
		return nil
	}
	var failed *FileError
	table, err := slidetable.LoadLabels(f.Labels, func(path string) ([]byte, error) {
		data, err := os.ReadFile(path)
		if err != nil {
			failed = &FileError{Path: path, Err: err}
		}
		return data, err
	})
	switch {
	case failed != nil:
		return failed
	case err != nil:
		return wrong("slide-labels", "%s %v", f.Labels, err)
	}
	found := false
	for i, slide := range slides {
		if row, ok := table[slide]; ok {
			lines[i].Label, lines[i].Site = row.Label, row.Site
			found = true
		}
	}
	if !found {
		return wrong("slide-labels", "%s names none of the slides, such as %s; it needs a column "+
			"slide_id and a column label or site, or rows of a name and a label", f.Labels,
			slides[0])
	}
	return nil
}

// split returns the lines of the slides in the part of the split. A slide of the part without
// features is an *OptionError.
func (f *Folder) split(lines []Line, slides []string) ([]Line, error) {
	if f.Split == "" {
		return lines, nil
	}
	part := cmp.Or(f.Part, "test")
	if !slices.Contains(slidetable.Parts, part) {
		return nil, wrong("part", "%q is none of train, val and test", part)
	}
	file, err := os.Open(f.Split)
	if err != nil {
		return nil, &FileError{Path: f.Split, Err: err}
	}
	defer file.Close()
	chosen, err := slidetable.ReadSplit(file, part)
	var kept []int
	if err == nil {
		kept, err = slidetable.Select(slides, chosen, part)
	}
	if err != nil {
		return nil, &OptionError{"split", msg.Sprintf("%s %v", f.Split, err)}
	}
	out := make([]Line, len(kept))
	for n, i := range kept {
		out[n] = lines[i]
	}
	return out, nil
}
