package cohort

import (
	"encoding/csv"
	"errors"
	"io"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/bagscope/bagscope/internal/msg"
)

// slideColumns are the names of the column of slides: those of CLAM and TRIDENT.
var slideColumns = []string{"slide_id", "slide", "wsi"}

// A slideLabel is a row of a table of labels.
type slideLabel struct{ label, site string }

// label adds labels and sites to the lines of slides. A slide without a row keeps none. A table
// without any of the slides is an *OptionError.
func (f *Folder) label(lines []Line, slides []string) error {
	if f.Labels == "" {
		return nil
	}
	file, err := os.Open(f.Labels)
	if err != nil {
		return &FileError{Path: f.Labels, Err: err}
	}
	defer file.Close()
	table, err := readLabels(file)
	if err != nil {
		return &OptionError{"slide-labels", msg.Sprintf("%s %v", f.Labels, err)}
	}
	found := false
	for i, slide := range slides {
		if row, ok := table[slide]; ok {
			lines[i].Label, lines[i].Site = row.label, row.site
			found = true
		}
	}
	if !found {
		return &OptionError{"slide-labels", msg.Sprintf("%s names none of the slides, such as %s",
			f.Labels, slides[0])}
	}
	return nil
}

// slideEndings are the endings of slides that a table may have and the files of features lack.
var slideEndings = []string{".svs", ".ndpi", ".tif", ".tiff", ".mrxs", ".scn", ".vms", ".bif",
	".czi", ".dcm", ".isyntax", ".vsi", ".qptiff"}

// withoutEnding returns the name of a slide without the ending of its file. Names may contain dots,
// so that not every ending is one of a file.
func withoutEnding(slide string) string {
	if ending := path.Ext(slide); slices.Contains(slideEndings, strings.ToLower(ending)) {
		return strings.TrimSuffix(slide, ending)
	}
	return slide
}

// readLabels reads a CSV with a column of slideColumns and a column label, site or both. Names of
// slides may end in one of slideEndings. Other columns are ignored. The text of an error follows
// the name of the file.
func readLabels(r io.Reader) (map[string]slideLabel, error) {
	rows := csv.NewReader(r)
	header, err := rows.Read()
	if err != nil {
		return nil, msg.Errorf("cannot be read as CSV: %w", err)
	}
	column := func(names ...string) int {
		return slices.IndexFunc(header, func(h string) bool {
			h = strings.ToLower(strings.TrimSpace(strings.TrimPrefix(h, "\ufeff")))
			return slices.Contains(names, h)
		})
	}
	slide, label, site := column(slideColumns...), column("label"), column("site")
	if slide < 0 || label < 0 && site < 0 {
		return nil, msg.Errorf("needs a column slide_id and a column label or site; it has %s",
			msg.List(header))
	}
	table := map[string]slideLabel{}
	for {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return table, nil
		}
		if err != nil {
			return nil, msg.Errorf("cannot be read as CSV: %w", err)
		}
		var l slideLabel
		if label >= 0 {
			l.label = strings.TrimSpace(row[label])
		}
		if site >= 0 {
			l.site = strings.TrimSpace(row[site])
		}
		name := withoutEnding(strings.TrimSpace(row[slide]))
		if old, ok := table[name]; ok && old != l {
			return nil, msg.Errorf("has two different rows of the slide %s", name)
		}
		table[name] = l
	}
}
