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
	"8 bits":       regexp.MustCompile(`integers of 8 bits`),
	"16 bits":      regexp.MustCompile(`integers of 16 bits from`),
	"ARFF":         regexp.MustCompile(`ARFF`),
	"Excel":        regexp.MustCompile(`Excel`),
	"Git LFS":      regexp.MustCompile(`Git LFS`),
	"LIBSVM":       regexp.MustCompile(`LIBSVM`),
	"MATLAB":       regexp.MustCompile(`MATLAB`),
	"NIfTI":        regexp.MustCompile(`NIfTI`),
	"ONNX as text": regexp.MustCompile(`(text|JSON) form of`),
	"bfloat16":     regexp.MustCompile(`bfloat16`),
	"Zarr":         regexp.MustCompile(`Zarr`),
	"complex":      regexp.MustCompile(`complex numbers`),
	"dark":         regexp.MustCompile(`which are dark`),
	"enlarged":     regexp.MustCompile(`patches are enlarged`),
	"few bits":     regexp.MustCompile(`would be black|nearly black`),
	"fractions":    regexp.MustCompile(`lie between 0 and 1`),
	"level":        regexp.MustCompile(`nothing states that they overlap`),
	"level order":  regexp.MustCompile(`a smaller one comes first`),
	"microns":      regexp.MustCompile(`pixels of slides cover`),
	"negative":     regexp.MustCompile(`begin left of or above`),
	"no features":  regexp.MustCompile(`and no features`),
	"one place":    regexp.MustCompile(`instances have the place`),
	"unit":         regexp.MustCompile(`one over the other`),
	"copies":       regexp.MustCompile(`are copies of others`),
	"damage": regexp.MustCompile(`broken|damaged|incomplete|truncated|follow the header|` +
		`cut off|not enough pixel data|over the end of the file|file ends before`),
	"Arrow":         regexp.MustCompile(`Arrow`),
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
	kinds := maps.Clone(madeKinds)
	maps.Copy(kinds, placedKinds)
	maps.Copy(kinds, pictureKinds)
	for name, kind := range kinds {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(4 * *enginetest.Thorough) {
				f := kind(t, rand.New(rand.NewPCG(seed, 44)))
				sentences, got, err := bagSentences(f)
				c.compare(t, fmt.Sprintf("seed %d, as a bag", seed), f, sentences, err == nil)
				if err == nil && got.instances != f.instances {
					t.Errorf("seed %d: %d instances, want %d", seed, got.instances, f.instances)
				}
				if err == nil && got.second != f.second && f.options.Patch.Size == 0 {
					t.Errorf("seed %d: the second instance is at %v, want %v", seed, got.second,
						f.second)
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
	for name, kind := range slideKinds {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(4 * *enginetest.Thorough) {
				f := kind(t, rand.New(rand.NewPCG(seed, 46)))
				sentences, err := slideSentences(t, f)
				c.compare(t, fmt.Sprintf("seed %d, as a slide", seed), f, sentences, err == nil)
			}
		})
	}
	t.Logf("of %d sentences %d are missing, and %d others are untrue", c.expected, c.missing,
		c.untrue)
}

// TestVectorsAreNoAnswers expects a question for a target, and no sentence about a vector that
// names one of its numbers as the answer.
func TestVectorsAreNoAnswers(t *testing.T) {
	f := madeModels["a vector"](t, rand.New(rand.NewPCG(1, 45)))
	m := must.Get(onnxbackend.Open(f.data, onnxbackend.Options{}))(t)
	bag := enginetest.SmallBag(f.instances, f.width)
	in := &Input{Engine: m, Bag: bag, Whole: bag}
	_, err := must.Get((&Settings{}).Plan())(t).Explain(t.Context(), in, nil)
	must.Fail(t, err, "alike to what?")
	_, err = (&Ask{}).Sets(t.Context(), in, SetsOptions{}, nil)
	must.Fail(t, err, "alike to what?")
	class := "3"
	x := must.Get(must.Get((&Settings{Class: &class}).Plan())(t).Explain(t.Context(), in, nil))(t)
	text := strings.Join(x.Summary, " ")
	must.Equal(t, strings.HasPrefix(text, "The model gives “"), true, text)
	must.Equal(t, strings.Contains(text, "say"), false, text)
	_, err = (&Ask{Class: &class}).Sets(t.Context(), in, SetsOptions{}, nil)
	must.Fail(t, err, "a number without a threshold")
}

// inside reports whether a topic is about what a file holds, which is not read as a model.
func inside(topic string) bool {
	return slices.Contains([]string{"bfloat16", "complex", "damage", "data of R",
		"few bits", "no features", "unit"}, topic)
}

// bagSentences reads a file as bags and returns the notes or the error, and what was read: the
// number of instances, and the place of the second one.
func bagSentences(f madeFile) (sentences []string, got madeFile, err error) {
	set, err := bagio.ReadFiles([]bagio.File{{Name: f.name, Data: f.data}}, f.options)
	if err != nil {
		return []string{err.Error()}, got, err
	}
	for i := range set.Len() {
		bag, err := set.Bag(i)
		if err != nil {
			return []string{err.Error()}, got, err
		}
		got.instances += bag.Len()
		if len(bag.Boxes) > 1 && i == 0 {
			got.second = bag.Boxes[1]
		}
	}
	return set.Notes(), got, nil
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
			must.Equal(t, noteFault(note), "", note)
		}
		sentences = append(sentences, notes...)
	}
	return sentences, true
}
