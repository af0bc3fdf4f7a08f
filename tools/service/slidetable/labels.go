package slidetable

import (
	"io"
	"path"
	"slices"
	"strings"

	"github.com/bagscope/bagscope/internal/msg"
)

// slideColumns are the names of the column of slides: those of CLAM, TRIDENT, torchmil and
// CAMELYON.
var slideColumns = []string{"slide_id", "slide", "wsi", "bag_name", "image", "name", "filename"}

// slideEndings are the endings of slides that a table may have and the files of features lack.
var slideEndings = []string{".svs", ".ndpi", ".tif", ".tiff", ".mrxs", ".scn", ".vms", ".bif",
	".czi", ".dcm", ".isyntax", ".vsi", ".qptiff"}

// Name returns the name of a slide: without the folders and the ending of its file. Names may
// contain dots, so that not every ending is one of a file.
func Name(slide string) string {
	slide = path.Base(strings.ReplaceAll(strings.TrimSpace(slide), `\`, "/"))
	if ending := path.Ext(slide); slices.Contains(slideEndings, strings.ToLower(ending)) {
		return strings.TrimSuffix(slide, ending)
	}
	return slide
}

// A Label is what a table of labels states of a slide; "" is unknown.
type Label struct{ Label, Site string }

// negatives are the words for slides without lesions: those of CAMELYON, CLAM and usual ones.
var negatives = []string{"normal", "normal_tissue", "negative", "0", "benign"}

// Negative reports whether the label says that the slide has no lesions.
func (l Label) Negative() bool { return slices.Contains(negatives, strings.ToLower(l.Label)) }

// Labels are the labels of slides by their names.
type Labels map[string]Label

// ReadLabels reads a CSV with a column of slides and a column label (or type, as in CAMELYON), site
// or both: that of CLAM has case_id, slide_id and label. A table without such a heading, as
// reference.csv of CAMELYON16, has the name of a slide and its label in the first two cells of a
// row. Other columns are ignored. The text of an error follows the name of the file.
func ReadLabels(r io.Reader) (Labels, error) {
	rows, err := readRows(r)
	if err != nil {
		return nil, err
	}
	slide, label, site := column(rows[0], slideColumns...), column(rows[0], "label", "type"),
		column(rows[0], "site")
	if slide >= 0 && max(label, site) >= 0 {
		rows = rows[1:]
	} else {
		slide, label, site = 0, 1, -1
	}
	table := Labels{}
	for i, row := range rows {
		if len(row) <= max(slide, label, site) {
			return nil, msg.Errorf("has no label in row %d of slides; it needs a column slide_id "+
				"and a column label or site, or rows of a name and a label, such as "+
				"test_001,Tumor", i+1)
		}
		l := Label{cell(row, label), cell(row, site)}
		name := Name(row[slide])
		if old, ok := table[name]; ok && old != l {
			return nil, msg.Errorf("has two different rows of the slide %s", name)
		}
		table[name] = l
	}
	return table, nil
}
