package bagio

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/bagscope/bagscope/internal/msg"
)

// A libsvmFile holds the instances of a file of LIBSVM.
type libsvmFile struct {
	file   string
	limits Limits
	labels []float64
	bags   []int // (k), by qid; nil if lines have none
	// The numbers of each line, by where they begin.
	starts  []int
	indices []int32
	values  []float32
	least   int32 // smallest index
	most    int32 // largest index
}

// setFromLIBSVM reads lines of a label, an optional qid, and numbered features, of which those that
// are 0 may be missing:
//
//	+1 qid:7 1:0.5 3:-2 # a comment
//
// Features count from 1, or from 0 if one has the number 0. Their number is that of the model's
// input, or the largest in the file. Lines of one qid are a bag; without, all lines are one bag.
func setFromLIBSVM(file string, data []byte, o Options) (*Set, error) {
	f := &libsvmFile{file: file, limits: o.Limits.withDefaults(), least: math.MaxInt32}
	if err := f.limits.lines(file, data); err != nil {
		return nil, err
	}
	row := 0
	for raw := range bytes.Lines(data) {
		row++
		line, _, _ := strings.Cut(string(raw), "#")
		if words := strings.Fields(line); len(words) > 0 {
			if err := f.add(row, words); err != nil {
				return nil, err
			}
		}
	}
	return f.set(o)
}

// lineShare is how many bytes the words and cells of a line take for each of its bytes, at most.
const lineShare = 48

// lines reserves the memory of the longest line of a text while it is read.
func (l Limits) lines(file string, data []byte) error {
	longest := 0
	for line := range bytes.Lines(data) {
		longest = max(longest, len(line))
	}
	return l.reserve(file, lineShare*int64(longest))
}

// add adds the words of a line.
func (f *libsvmFile) add(row int, words []string) error {
	wrong := func(format string, args ...any) error {
		return &FormatError{File: f.file, Row: row, Reason: msg.Sprintf(format, args...)}
	}
	k := int64(len(f.labels) + 1)
	if err := f.limits.instances(f.file, k); err != nil {
		return err
	}
	// Lists grow to twice their length.
	if err := f.limits.reserve(f.file, 2*(32+8*int64(len(words)))); err != nil {
		return err
	}
	label, err := strconv.ParseFloat(words[0], 64)
	if err != nil {
		return wrong("%q is not a label; a line begins with a number", words[0])
	}
	f.labels, f.starts = append(f.labels, label), append(f.starts, len(f.indices))
	words, last := words[1:], int32(-1)
	if len(words) > 0 && strings.HasPrefix(words[0], "qid:") {
		bag, err := strconv.Atoi(words[0][len("qid:"):])
		if err != nil || len(f.bags) != len(f.labels)-1 {
			return wrong("%q is not the number of a bag that each line has", words[0])
		}
		f.bags, words = append(f.bags, bag), words[1:]
	} else if f.bags != nil {
		return wrong("it has no qid, and lines before it have one")
	}
	for _, word := range words {
		number, value, _ := strings.Cut(word, ":")
		index, err := strconv.ParseInt(number, 10, 32)
		if err != nil || index < 0 || int32(index) <= last {
			return wrong("%q is not a feature after number %d; a line has their numbers in order",
				word, last)
		}
		v, err := strconv.ParseFloat(value, 32)
		if err != nil || v-v != 0 {
			return wrong("feature %d: %s", index, msg.Text(numberFault(value, v, err)))
		}
		last = int32(index)
		f.least, f.most = min(f.least, last), max(f.most, last)
		f.indices, f.values = append(f.indices, last), append(f.values, float32(v))
	}
	return nil
}

// set returns the bags.
func (f *libsvmFile) set(o Options) (*Set, error) {
	k, first := len(f.labels), int32(1)
	if f.least == 0 {
		first = 0
	}
	width := int(f.most) + 1 - int(first)
	if n := product(o.InstanceShape); len(o.InstanceShape) > 0 && n > width &&
		!slices.ContainsFunc(o.InstanceShape, func(side int) bool { return side <= 0 }) {
		width = n
	}
	if k == 0 || width <= 0 {
		return nil, bad(f.file, "it has no features")
	}
	n, err := f.limits.elements(f.file, []int{k, width})
	if err != nil {
		return nil, err
	}
	if err := f.limits.bytes(f.file, 4*int64(n)); err != nil {
		return nil, err
	}
	if err := f.limits.reserve(f.file, 4*int64(n)+32*int64(k)); err != nil {
		return nil, err
	}
	dense := make([]float32, n)
	for i, from := range f.starts {
		to := len(f.indices)
		if i+1 < k {
			to = f.starts[i+1]
		}
		for j := from; j < to; j++ {
			dense[i*width+int(f.indices[j]-first)] = f.values[j]
		}
	}
	s, err := oneBag(f.file, arrayOf(f.file, []int{k, width}, dense), o)
	if err != nil {
		return nil, err
	}
	by := map[role]*instanceColumn{}
	if f.bags != nil {
		by[roleBag] = &instanceColumn{name: "qid", codes: f.bags}
	}
	codes := make([]int, k)
	for i, v := range f.labels {
		if codes[i] = int(v); float64(codes[i]) != v {
			s.notes = append(s.notes, msg.Sprintf("%s: its labels are not whole numbers, and are "+
				"ignored.", f.file))
			codes = nil
			break
		}
	}
	if codes != nil {
		c := (&instanceColumn{name: "the first numbers of lines", codes: codes}).signless()
		if c.equalWithin(by[roleBag]) {
			by[roleLabel] = c
		} else {
			by[roleInstance] = c
		}
	}
	if len(by) == 0 {
		return s, nil
	}
	if err := s.group(f.file, by, Options{Limits: f.limits}); err != nil {
		return nil, err
	}
	return s, nil
}
