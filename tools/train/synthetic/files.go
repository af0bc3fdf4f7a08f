package synthetic

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"github.com/bagscope/bagscope/internal/csvfile"
	ot "github.com/bagscope/bagscope/onnxbackend/onnxtest"
)

// A writer writes files below a folder until one fails.
type writer struct {
	folder string
	err    error // the first
}

// file writes a file, and its folders.
func (w *writer) file(name string, write func(io.Writer) error) {
	if w.err != nil {
		return
	}
	path := filepath.Join(w.folder, filepath.FromSlash(name))
	if w.err = os.MkdirAll(filepath.Dir(path), 0o755); w.err != nil {
		return
	}
	var data bytes.Buffer
	if w.err = write(&data); w.err == nil {
		w.err = os.WriteFile(path, data.Bytes(), 0o644)
	}
}

func (w *writer) bytes(name string, data []byte) {
	w.file(name, func(to io.Writer) error {
		_, err := to.Write(data)
		return err
	})
}

func (w *writer) table(name string, rows [][]string) {
	w.file(name, func(to io.Writer) error { return csvfile.Write(to, rows) })
}

// clamTables returns the table of labels and the splits of CLAM.
func clamTables(list []row) map[string][][]string {
	labels := [][]string{{"case_id", "slide_id", "label"}}
	parts := [][]string{{"", "train", "val", "test"}}
	truths := [][]string{{"", "train", "val", "test"}}
	next := map[string]int{} // rows of a part
	for i, r := range list {
		label := map[bool]string{true: "tumor_tissue", false: "normal_tissue"}[r.positive]
		labels = append(labels, []string{patient(i), r.name, label})
		next[r.part]++
		if n := next[r.part]; n >= len(parts) {
			parts = append(parts, []string{strconv.Itoa(n - 1), "", "", ""})
		}
		truth := []string{r.name}
		for column, part := range parts[0] {
			if part == r.part {
				parts[next[part]][column] = r.name
			}
			if part != "" {
				truth = append(truth, map[bool]string{true: "True", false: "False"}[part == r.part])
			}
		}
		truths = append(truths, truth)
	}
	return map[string][][]string{"labels.csv": labels, "splits/splits_0.csv": parts,
		"splits/splits_0_bool.csv": truths}
}

// patient returns the patient of a slide, by its index.
func patient(slide int) string { return fmt.Sprintf("patient_%03d", slide+1) }

// stampTables returns the tables of patients and slides of STAMP.
func stampTables(list []row) map[string][][]string {
	patients, files := [][]string{{"PATIENT", "label"}}, [][]string{{"PATIENT", "FILENAME"}}
	for i, r := range list {
		patients = append(patients, []string{patient(i),
			map[bool]string{true: "tumor", false: "normal"}[r.positive]})
		files = append(files, []string{patient(i), r.name + ".h5"})
	}
	return map[string][][]string{"clini_table.csv": patients, "slide_table.csv": files}
}

// folds is the number of folds: each has patients of both kinds among LeastSlides.
const folds = 4

// stampFolds returns splits.json of STAMP's cross-validation, in which each patient is tested once.
func stampFolds(list []row) []byte {
	type fold struct {
		Train []string `json:"train_patients"`
		Test  []string `json:"test_patients"`
	}
	splits := make([]fold, folds)
	for i := range list {
		for n := range splits {
			part := &splits[n].Train
			if i/2%folds == n {
				part = &splits[n].Test
			}
			*part = append(*part, patient(i))
		}
	}
	data, err := json.MarshalIndent(map[string]any{"splits": splits}, "", "    ")
	if err != nil {
		panic(err) // texts can always be marshalled
	}
	return data
}

// camelyonTables returns reference.csv of CAMELYON16, which has no heading.
func camelyonTables(list []row) map[string][][]string {
	var rows [][]string
	for _, r := range list {
		kinds := map[bool][]string{true: {"Tumor", "IDC", "Macro"},
			false: {"Normal", "None", "None"}}
		rows = append(rows, append([]string{r.name}, kinds[r.positive]...))
	}
	return map[string][][]string{"reference.csv": rows}
}

// asap returns annotations in the XML of ASAP, with the groups of CAMELYON16.
func asap(list []drawn) []byte {
	var b bytes.Buffer
	b.WriteString("<?xml version=\"1.0\"?>\n<ASAP_Annotations><Annotations>\n")
	for i, d := range list {
		fmt.Fprintf(&b, "<Annotation Name=\"%d\" Type=\"Polygon\" PartOfGroup=\"%s\" "+
			"Color=\"#F4FA58\"><Coordinates>", i, d.group)
		for n, at := range d.outline {
			fmt.Fprintf(&b, "<Coordinate Order=\"%d\" X=\"%g\" Y=\"%g\"/>", n, at[0], at[1])
		}
		b.WriteString("</Coordinates></Annotation>\n")
	}
	b.WriteString("</Annotations><AnnotationGroups/></ASAP_Annotations>\n")
	return b.Bytes()
}

// model returns a model of the classes normal and tumor: the logit of tumor is 1.4 plus four times
// the mean of the first feature over the patches.
func model(features int) []byte {
	weights := make([]float32, features*2)
	weights[1] = 4
	m := ot.Model{Opset: 17, Inputs: []ot.Value{ot.In("features", "patches", features)},
		Outputs:      []ot.Value{ot.In("logits", 2)},
		Initializers: []ot.Tensor{ot.F("w", weights, features, 2), ot.F("b", []float32{0, 1.4}, 2)},
		Metadata: map[string]string{"bagscope": `{"output": "logits", "classes": ["normal", ` +
			`"tumor"], "truth": [{}, {"support": [1]}]}`},
		Nodes: []ot.Node{
			ot.N("ReduceMean", []string{"features"}, []string{"mean"}, ot.Ints("axes", 0),
				ot.Int("keepdims", 0)),
			ot.N("MatMul", []string{"mean", "w"}, []string{"product"}),
			ot.N("Add", []string{"product", "b"}, []string{"logits"})}}
	return m.Bytes()
}
