package cohort

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/bagscope/bagscope/internal/msg"
)

// A Line is a line of a manifest, with a model and a bag.
type Line struct {
	// Model is the path of an .onnx file: absolute, in a bucket, or relative to the manifest's
	// folder. A local folder of such files is one model, see core.Ensemble.
	Model string `json:"model"`
	// Bag is the path of a bag file, likewise, in any format that bagscope reads.
	Bag   string  `json:"bag"`
	Index int     `json:"index,omitempty"` // index of the bag in a set of bags, from 0
	Site  string  `json:"site,omitempty"`  // origin of the bag; tables have rows for each site
	Label string  `json:"label,omitempty"` // true label of the bag, which its result repeats
	Seed  *uint64 `json:"seed,omitempty"`  // overrides the seed of the request
	// Labels has a label for each instance, -1 if it is unknown. It overrides the bag's labels.
	Labels []int `json:"labels,omitempty"`
	// Inputs states what inputs of the model beside the instances take for this bag, such as
	// age=63. It overrides the request and the bag's file.
	Inputs  string          `json:"inputs,omitempty"`
	Request json.RawMessage `json:"request,omitempty"` // settings that override those of the run
	Number  int             `json:"-"`                 // number of the line in the file, from 1
}

// A LineError describes an invalid line of a manifest.
type LineError struct {
	Line   int
	Reason string
}

// Error names the line.
func (e *LineError) Error() string {
	return msg.Sprintf("line %d of the manifest: %s", e.Line, msg.Text(e.Reason))
}

// A ManifestError describes why a manifest cannot be read.
type ManifestError struct{ Reason string }

// Error returns a sentence about the manifest.
func (e *ManifestError) Error() string {
	return msg.Sprintf("the manifest %s", msg.Text(e.Reason))
}

// maxLine is the largest number of bytes of a line, enough for labels of a million instances.
const maxLine = 16 << 20

// columns are the names of the columns of a CSV, which equal the keys of a JSON line.
var columns = []string{"model", "bag", "index", "site", "label", "seed", "labels", "inputs",
	"request"}

// ReadManifest reads JSON lines, or CSV if the first line does not begin with a brace. It yields
// every line in order. An invalid line is yielded with a *LineError, its number and the parts that
// could be read, and reading continues. Any other error ends the sequence.
func ReadManifest(r io.Reader) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		in := bufio.NewReaderSize(r, 1<<16)
		// Spreadsheets write a byte order mark.
		if mark, _ := in.Peek(3); string(mark) == "\ufeff" {
			in.Discard(3)
		}
		first, err := in.Peek(1)
		switch {
		case errors.Is(err, io.EOF):
			yield(Line{}, &ManifestError{"is empty"})
		case err != nil:
			yield(Line{}, err)
		case first[0] == '{':
			readJSONLines(in, yield)
		default:
			readCSV(in, yield)
		}
	}
}

// readJSONLines yields the lines of a manifest of JSON objects. Empty lines are skipped but
// counted.
func readJSONLines(in io.Reader, yield func(Line, error) bool) {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxLine)
	number := 0
	for lines.Scan() {
		number++
		text := bytes.TrimSpace(lines.Bytes())
		if len(text) == 0 {
			continue
		}
		l, err := parseLine(text, number)
		if !yield(l, err) {
			return
		}
	}
	// A line that is too long ends the sequence, because its end is unknown.
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		yield(Line{}, &ManifestError{fmt.Sprintf(
			"has more than %d bytes in line %d; split the line's labels or request", maxLine,
			number+1)})
	} else if lines.Err() != nil {
		yield(Line{}, lines.Err())
	}
}

// parseLine decodes a line of JSON lines.
func parseLine(text []byte, number int) (Line, error) {
	var l Line
	err := decodeObject(text, &l)
	l.Number = number // also of a line that cannot be decoded
	if err != nil {
		return l, &LineError{number, err.Error()}
	}
	return l, l.check()
}

// check returns a *LineError unless the line names a model and a bag.
func (l *Line) check() error {
	switch {
	case l.Model == "":
		return &LineError{l.Number, "the key model is missing"}
	case l.Bag == "":
		return &LineError{l.Number, "the key bag is missing"}
	case l.Index < 0:
		return &LineError{l.Number, fmt.Sprintf("index must not be negative, got %d", l.Index)}
	}
	return nil
}

// readCSV yields the rows of a CSV, whose first row names the columns. A row with broken quotes is
// an invalid line, and reading continues behind it.
func readCSV(in io.Reader, yield func(Line, error) bool) {
	rows := csv.NewReader(in)
	// Cells are copied or converted before the next row is read.
	rows.ReuseRecord = true
	header, err := rows.Read()
	header = slices.Clone(header)
	if err != nil {
		yield(Line{}, &ManifestError{msg.Sprintf("must be JSON lines or CSV: %v", err)})
		return
	}
	for i, name := range header {
		header[i] = strings.ToLower(strings.TrimSpace(name))
		if !slices.Contains(columns, header[i]) {
			yield(Line{}, &ManifestError{msg.Sprintf(
				"has an unknown column %q; a CSV must begin with the names of its columns, from %s",
				name, strings.Join(columns, ", "))})
			return
		}
		if slices.Contains(header[:i], header[i]) {
			yield(Line{}, &ManifestError{msg.Sprintf("has two columns %q", name)})
			return
		}
	}
	if !slices.Contains(header, "model") || !slices.Contains(header, "bag") {
		yield(Line{}, &ManifestError{"needs the columns model and bag"})
		return
	}
	for {
		row, err := rows.Read()
		if err == io.EOF {
			return
		}
		var l Line
		var broken *csv.ParseError
		switch {
		// The row is invalid, but the reader continues behind it.
		case errors.As(err, &broken):
			l.Number = broken.StartLine
			err = &LineError{l.Number, broken.Err.Error()}
		case err != nil:
			yield(l, err)
			return
		default:
			number, _ := rows.FieldPos(0)
			l, err = rowLine(header, row, number)
		}
		if !yield(l, err) {
			return
		}
	}
}

// rowLine reads the cells of a row. An empty cell is absent.
func rowLine(header, row []string, number int) (Line, error) {
	l := Line{Number: number}
	for i, name := range header {
		cell := strings.TrimSpace(row[i])
		if cell == "" {
			continue
		}
		var err error
		switch name {
		case "model":
			l.Model = cell
		case "bag":
			l.Bag = cell
		case "index":
			l.Index, err = strconv.Atoi(cell)
		case "site":
			l.Site = cell
		case "label":
			l.Label = cell
		case "seed":
			l.Seed = new(uint64)
			*l.Seed, err = strconv.ParseUint(cell, 10, 64)
		case "labels":
			for word := range strings.FieldsSeq(cell) {
				label, wrong := strconv.Atoi(word)
				l.Labels = append(l.Labels, label)
				err = errors.Join(err, wrong)
			}
		case "inputs":
			l.Inputs = cell
		case "request":
			if l.Request = json.RawMessage(cell); !json.Valid(l.Request) {
				err = errors.New("it is not valid JSON")
			}
		}
		if err != nil {
			return l, &LineError{number, msg.Sprintf("%s has the invalid value %.40q", name, cell)}
		}
	}
	return l, l.check()
}
