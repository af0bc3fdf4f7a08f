package ask

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/enginetest"
)

// topics matches what sentences say about a file.
var topics = map[string]*regexp.Regexp{
	"8 bits":        regexp.MustCompile(`integers of 8 bits`),
	"16 bits":       regexp.MustCompile(`integers of 16 bits from`),
	"ARFF":          regexp.MustCompile(`ARFF`),
	"Excel":         regexp.MustCompile(`Excel`),
	"Git LFS":       regexp.MustCompile(`Git LFS`),
	"LIBSVM":        regexp.MustCompile(`LIBSVM`),
	"MATLAB":        regexp.MustCompile(`MATLAB`),
	"NIfTI":         regexp.MustCompile(`NIfTI`),
	"ONNX as text":  regexp.MustCompile(`(text|JSON) form of`),
	"Arrow":         regexp.MustCompile(`Arrow`),
	"bfloat16":      regexp.MustCompile(`bfloat16`),
	"copies":        regexp.MustCompile(`are copies of others`),
	"damage":        regexp.MustCompile(`broken|damaged|incomplete|truncated|follow the header`),
	"data of R":     regexp.MustCompile(`data of R`),
	"huge":          regexp.MustCompile(`no encoder returns`),
	"larger bag":    regexp.MustCompile(`larger bag`),
	"multiples":     regexp.MustCompile(`multiples of`),
	"no answer":     regexp.MustCompile(`no answer|have no score`),
	"one size":      regexp.MustCompile(`exactly \d+ instances|for one number|\d+ instances alone`),
	"padding":       regexp.MustCompile(`as padding does`),
	"percentages":   regexp.MustCompile(`percentages`),
	"pickle":        regexp.MustCompile(`pickle`),
	"training":      regexp.MustCompile(`turns on training`),
	"true or false": regexp.MustCompile(`true or false`),
	"vector":        regexp.MustCompile(`a vector of`),
	"web page":      regexp.MustCompile(`web page`),
}

// A tally counts the sentences that must be said, and faults.
type tally struct{ expected, missing, untrue int }

// compare counts what sentences about a file say, and reports faults. read is whether the file was
// read.
func (c *tally) compare(t *testing.T, door string, f madeFile, sentences []string, read bool) {
	t.Helper()
	// The list of what is read says nothing about the file.
	all := strings.ReplaceAll(strings.Join(sentences, "\n"), bagio.FormatList("and"), "")
	if read != (f.instances > 0) {
		c.untrue++
		t.Errorf("%s, %s: read %v, want %d instances: %s", f.name, door, read, f.instances, all)
	}
	for _, topic := range slices.Sorted(maps.Keys(topics)) {
		says, want := topics[topic].MatchString(all), slices.Contains(f.truth, topic)
		if want {
			c.expected++
		}
		switch {
		case want && !says:
			c.missing++
			t.Errorf("%s, %s: nothing about %s: %s", f.name, door, topic, all)
		case says && !want:
			c.untrue++
			t.Errorf("%s, %s: untrue about %s: %s", f.name, door, topic, all)
		}
	}
	if f.says != "" {
		if c.expected++; !strings.Contains(all, f.says) {
			c.missing++
			t.Errorf("%s, %s: it does not say %q: %s", f.name, door, f.says, all)
		}
	}
}

// TestSentencesOfMadeFiles makes files of each kind in random sizes, opens each as a bag and as a
// model, and compares the notes and errors with the truth.
func TestSentencesOfMadeFiles(t *testing.T) {
	var c tally
	for name, kind := range madeKinds {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(4 * *enginetest.Thorough) {
				f := kind(t, rand.New(rand.NewPCG(seed, 44)))
				sentences, k, err := bagSentences(f)
				c.compare(t, fmt.Sprintf("seed %d, as a bag", seed), f, sentences, err == nil)
				if err == nil && k != f.instances {
					t.Errorf("seed %d: %d instances, want %d", seed, k, f.instances)
				}
				if _, err := onnxbackend.Open(f.data, onnxbackend.Options{}); err == nil {
					t.Errorf("seed %d: it is opened as a model", seed)
				} else if f.instances == 0 && !slices.ContainsFunc(f.truth, inside) {
					c.compare(t, fmt.Sprintf("seed %d, as a model", seed), f,
						[]string{err.Error()}, false)
				}
			}
		})
	}
	for name, kind := range madeModels {
		t.Run("model of "+name, func(t *testing.T) {
			for seed := range uint64(4 * *enginetest.Thorough) {
				f := kind(t, rand.New(rand.NewPCG(seed, 45)))
				f.name = "model.onnx"
				sentences, opened := modelSentences(t, f)
				c.compare(t, fmt.Sprintf("seed %d, as a model", seed), f, sentences, opened)
				if _, _, err := bagSentences(f); err == nil {
					t.Errorf("seed %d: it is read as a bag", seed)
				}
			}
		})
	}
	t.Logf("of %d sentences %d are missing, and %d others are untrue", c.expected, c.missing,
		c.untrue)
}

// inside reports whether a topic is about what a file holds, which is not read as a model.
func inside(topic string) bool {
	return slices.Contains([]string{"bfloat16", "damage", "data of R"}, topic)
}

// bagSentences reads a file as bags and returns the notes or the error, and the number of instances
// of all.
func bagSentences(f madeFile) (sentences []string, k int, err error) {
	set, err := bagio.ReadFiles([]bagio.File{{Name: f.name, Data: f.data}}, bagio.Options{})
	if err != nil {
		return []string{err.Error()}, 0, err
	}
	for i := range set.Len() {
		bag, err := set.Bag(i)
		if err != nil {
			return []string{err.Error()}, 0, err
		}
		k += bag.Len()
	}
	return set.Notes(), k, nil
}

// modelSentences opens a model, and explains a random bag without a method, by Consensus and by
// Single. It returns the notes and errors, and whether the model was opened.
func modelSentences(t *testing.T, f madeFile) (sentences []string, opened bool) {
	m, err := onnxbackend.Open(f.data, onnxbackend.Options{})
	if err != nil {
		return []string{err.Error()}, false
	}
	bag := enginetest.SmallBag(f.instances, f.width)
	// A model with a gate has an answer for the bag, and none for its second instance.
	bag.Values[0], bag.Values[f.width] = 1, -1
	for _, names := range [][]string{nil, {"consensus"}, {"single"}} {
		x, err := must.Get((&Settings{Methods: names}).Plan())(t).Explain(t.Context(),
			&Input{Engine: m, Bag: bag, Whole: bag}, nil)
		if err != nil {
			sentences = append(sentences, err.Error())
			continue
		}
		notes := x.Notes()
		for _, e := range x.Report.Explanations {
			notes = append(notes, e.Notes...)
		}
		for _, note := range notes {
			if fault := noteFault(note); fault != "" {
				t.Errorf("%s: %s", fault, note)
			}
		}
		sentences = append(sentences, notes...)
	}
	return sentences, true
}
