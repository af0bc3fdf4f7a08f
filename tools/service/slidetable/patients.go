package slidetable

import (
	"bytes"
	"io"
	"os"
	"strings"

	"github.com/bagscope/bagscope/internal/msg"
)

// LoadLabels reads the labels at a path: one table, see [ReadLabels], or the paths of the two
// tables of STAMP with a comma between them, see [ReadPatients]. read returns the bytes of a file,
// and its errors are returned. The text of other errors follows the path.
func LoadLabels(path string, read func(path string) ([]byte, error)) (Labels, error) {
	first, second, two := strings.Cut(path, ",")
	if _, err := os.Stat(path); err == nil || !two { // the name of a file may have a comma
		first, two = path, false
	}
	data, err := read(first)
	if err != nil {
		return nil, err
	}
	if !two {
		return ReadLabels(bytes.NewReader(data))
	}
	other, err := read(second)
	if err != nil {
		return nil, err
	}
	return ReadPatients(bytes.NewReader(data), bytes.NewReader(other))
}

// patientColumns and fileColumns are the names of the columns that join the tables of STAMP.
var (
	patientColumns = []string{"PATIENT"}
	fileColumns    = []string{"FILENAME"}
)

// ReadPatients reads the two tables of STAMP in any order: clini_table.csv has PATIENT and the
// label of each patient, slide_table.csv PATIENT and FILENAME, the file of features of each slide.
// The label is in the column label, or in the only other one. A slide of a patient without a label,
// or with an empty one, has none. The text of an error follows the names of the files.
func ReadPatients(a, b io.Reader) (Labels, error) {
	patients, err := readRows(a)
	if err != nil {
		return nil, err
	}
	slides, err := readRows(b)
	if err != nil {
		return nil, err
	}
	if column(patients[0], fileColumns...) >= 0 {
		patients, slides = slides, patients
	}
	who, file := column(slides[0], patientColumns...), column(slides[0], fileColumns...)
	patient, label, site := column(patients[0], patientColumns...), column(patients[0], "label"),
		column(patients[0], "site")
	if who < 0 || file < 0 || patient < 0 {
		return nil, msg.Errorf("are not the two tables of STAMP: one needs columns PATIENT and " +
			"FILENAME, the other PATIENT and label")
	}
	if label < 0 && len(patients[0]) == 2 {
		label = 1 - patient
	}
	if label < 0 {
		return nil, msg.Errorf("have no column label of the patients; call the column of the "+
			"ground truth label (it has %s)", msg.List(patients[0]))
	}
	of := map[string]Label{}
	for _, row := range patients[1:] {
		l, id := Label{cell(row, label), cell(row, site)}, cell(row, patient)
		if old, ok := of[id]; ok && old != l {
			return nil, msg.Errorf("have two different rows of the patient %s", id)
		}
		of[id] = l
	}
	table := Labels{}
	for _, row := range slides[1:] {
		l, name := of[cell(row, who)], Name(strings.TrimSuffix(cell(row, file), ".h5"))
		if old, ok := table[name]; ok && old != l {
			return nil, msg.Errorf("have two different patients of the slide %s", name)
		}
		if l != (Label{}) {
			table[name] = l
		}
	}
	return table, nil
}
