package ask

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/internal/testfile"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
)

// Limits of a note.
const (
	noteRunes     = 240
	noteSentences = 1
)

var (
	sentenceEnd = regexp.MustCompile(`[a-z0-9)"]\.( [A-Z]|$)`)
	longNumbers = regexp.MustCompile(`(-?\d[\d.e+-]*,? ){6}`)
	longList    = regexp.MustCompile(`([^,.;:() ][^,.;:()]{0,30}, ){8}`)
)

// noteFault returns what is wrong with a note, or "".
func noteFault(note string) string {
	switch {
	case utf8.RuneCountInString(note) > noteRunes:
		return "too long"
	case len(sentenceEnd.FindAllString(note, -1)) > noteSentences:
		return "too many sentences"
	case longNumbers.MatchString(note):
		return "an array of numbers"
	case longList.MatchString(note):
		return "a long list"
	}
	return ""
}

// TestNoteFault checks that long notes are noticed.
func TestNoteFault(t *testing.T) {
	for note, want := range map[string]string{
		"The model takes bags of 4 instances; it is short.": "",
		strings.Repeat("long ", 49):                         "too long",
		"It is one. It is two.":                             "too many sentences",
		"the sums are 1 2 3 4 5 6 7":                        "an array of numbers",
		"it has a, b, c, d, e, f, g, h, i":                  "a long list",
	} {
		must.Equal(t, noteFault(note), want, note)
	}
}

// TestNotesAreShort explains a bag of each model of the tests and the examples, and reads each bag.
func TestNotesAreShort(t *testing.T) {
	for _, folder := range []string{testfile.Path(t, "."), "../testdata", "../../examples"} {
		notesIn(t, folder)
	}
	t.Run("restricted", func(t *testing.T) {
		for _, folder := range []string{"models", "cases"} {
			notesIn(t, testfile.Restricted(t, folder))
		}
	})
}

// notesIn checks the notes on the models and the bags of a folder.
func notesIn(t *testing.T, folder string) {
	must.Do(t, filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if err == nil && (d.Name() == "node_modules" || d.Name() == "fetched") {
				return fs.SkipDir
			}
			return err
		}
		var notes []string
		if strings.HasSuffix(path, ".onnx") {
			notes = notesOnModel(t, path)
		} else {
			notes = notesOnBags(t, path)
		}
		for _, note := range notes {
			if fault := noteFault(note); fault != "" {
				t.Errorf("%s: %s: %s", path, fault, note)
			}
		}
		return nil
	}))
}

// notesOnModel returns the notes on a model and on the explanation of a random bag of its shape.
func notesOnModel(t *testing.T, path string) []string {
	m, err := onnxbackend.Open(must.Get(os.ReadFile(path))(t), onnxbackend.Options{})
	if err != nil {
		return nil
	}
	shape, size := m.Info().InstanceShape(), 1
	for _, n := range shape {
		size *= n
	}
	if len(shape) == 0 || size <= 0 || size > 4096 {
		return m.Info().Notes
	}
	bag := enginetest.SmallBag(12, size)
	bag.Shape = shape
	x, err := must.Get((&Settings{}).Plan())(t).Explain(t.Context(),
		&Input{Engine: m, Bag: bag, Whole: bag}, nil)
	if err != nil {
		return m.Info().Notes
	}
	notes := x.Notes()
	for _, e := range x.Report.Explanations {
		notes = append(notes, e.Notes...)
	}
	return notes
}

// notesOnBags returns the notes on a file, if it is one of bags.
func notesOnBags(t *testing.T, path string) []string {
	bytes := must.Get(os.ReadFile(path))(t)
	set, err := bagio.ReadFiles([]bagio.File{{Name: filepath.Base(path), Data: bytes}},
		bagio.Options{})
	if err != nil {
		return nil
	}
	return set.Notes()
}
