package bagio

import (
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/bagscope/bagscope/internal/msg"
)

// A tileName is the name of a picture: its numbers, and the texts around them, one more.
type tileName struct {
	texts   []string
	numbers []int
}

// mostDigits are those of a number in a name. Longer ones are ids.
const mostDigits = 9

// tileNameOf splits a name without its ending. A run of digits that is too long becomes text.
func tileNameOf(name string) tileName {
	stem := strings.TrimSuffix(path.Base(name), path.Ext(name))
	t := tileName{texts: []string{""}}
	for stem != "" {
		n := digits(stem)
		last := &t.texts[len(t.texts)-1]
		if n == 0 || n > mostDigits {
			n = max(n, 1)
			*last, stem = *last+stem[:n], stem[n:]
			continue
		}
		v, _ := strconv.Atoi(stem[:n])
		t.numbers, t.texts, stem = append(t.numbers, v), append(t.texts, ""), stem[n:]
	}
	return t
}

// A tilePattern says which numbers of names are what; -1 stands for none.
type tilePattern struct {
	x, y, width, height, label int
	lattice                    bool // numbers are columns and rows
}

// tileWords are the words before or behind a number, which say what it is.
var tileWords = map[string]func(*tilePattern) *int{
	"x": func(p *tilePattern) *int { return &p.x }, "y": func(p *tilePattern) *int { return &p.y },
	"col":    func(p *tilePattern) *int { return &p.x },
	"column": func(p *tilePattern) *int { return &p.x },
	"row":    func(p *tilePattern) *int { return &p.y },
	"w":      func(p *tilePattern) *int { return &p.width },
	"h":      func(p *tilePattern) *int { return &p.height },
	"class":  func(p *tilePattern) *int { return &p.label },
}

// tilePatternOf returns the pattern of names with these texts. Places are named by words, as in
// "x512_y1024", "01024x_00512y" and "[x=512,y=1024,w=256,h=256]"; or are in parentheses, "(x,y)";
// or are the whole name, "column_row", as Deep Zoom and the programs that cut tiles by it write
// them.
func tilePatternOf(texts []string) (p tilePattern, ok bool) {
	for _, behind := range []bool{false, true} {
		p = tilePattern{-1, -1, -1, -1, -1, false}
		for i := range texts[1:] {
			word := wordAt(texts[i+1], true)
			if !behind {
				word = wordAt(texts[i], false)
			}
			if of := tileWords[word]; of != nil && *of(&p) < 0 {
				*of(&p) = i
			}
		}
		if p.x >= 0 && p.y >= 0 {
			return p, true
		}
	}
	p = tilePattern{-1, -1, -1, -1, -1, false}
	for i := 0; i+2 < len(texts); i++ {
		if strings.HasSuffix(texts[i], "(") && strings.TrimSpace(texts[i+1]) == "," &&
			strings.HasPrefix(texts[i+2], ")") {
			p.x, p.y = i, i+1
			return p, true
		}
	}
	if slices.Equal(texts, []string{"", "_", ""}) {
		p.x, p.y, p.lattice = 0, 1, true
		return p, true
	}
	return p, false
}

// wordAt returns the word at the end or at the start of a text, in lower case.
func wordAt(text string, start bool) string {
	words := strings.FieldsFunc(strings.ToLower(text),
		func(c rune) bool { return !unicode.IsLetter(c) })
	if len(words) == 0 {
		return ""
	}
	word := words[len(words)-1]
	if start {
		if word = words[0]; !strings.HasPrefix(strings.ToLower(text), word) {
			return ""
		}
	}
	return word
}

// placesOfNames returns the places of pictures of width x height pixels, and the labels, that their
// names state, or nil. All names must have the pattern of the first one, and no two the same place.
// Numbers that are neighbours are columns and rows; others are pixels.
func placesOfNames(file string, names []string, width, height int) (*places, []int) {
	var parsed []tileName
	for _, name := range names {
		t := tileNameOf(name)
		if parsed = append(parsed, t); !slices.Equal(t.texts, parsed[0].texts) {
			return nil, nil
		}
	}
	p, ok := tilePatternOf(parsed[0].texts)
	if !ok || len(names) < 2 {
		return nil, nil
	}
	at := make([]float64, 0, 2*len(names))
	seen := map[[2]int]bool{}
	for _, t := range parsed {
		x, y := t.numbers[p.x], t.numbers[p.y]
		if seen[[2]int{x, y}] {
			return nil, nil
		}
		seen[[2]int{x, y}] = true
		at = append(at, float64(x), float64(y))
	}
	step := usualStep(at)
	lattice := step == 1 && fillsLattice(at)
	if p.lattice && !lattice {
		return nil, nil
	}
	out := &places{file: file, axes: 4}
	wide, high, unit := float64(width), float64(height), "pixels"
	scaleX, scaleY := 1., 1.
	switch {
	case lattice:
		scaleX, scaleY, unit = wide, high, "columns and rows of pictures"
	case width == height && step > wide: // the pictures were made smaller
		wide, high = step, step
	}
	for i, t := range parsed {
		x, y := at[2*i]*scaleX, at[2*i+1]*scaleY
		w, h := wide, high
		if p.width >= 0 && p.height >= 0 && t.numbers[p.width] > 0 && t.numbers[p.height] > 0 {
			w, h = float64(t.numbers[p.width]), float64(t.numbers[p.height])
		}
		out.corners = append(out.corners, x, y, x+w, y+h)
	}
	out.note("the names of the pictures state their places in %s: %s is at x %d and y %d, of %v x "+
		"%v pixels", msg.Text(unit), names[0], parsed[0].numbers[p.x], parsed[0].numbers[p.y],
		out.corners[2]-out.corners[0], out.corners[3]-out.corners[1])
	if p.label < 0 {
		return out, nil
	}
	labels := make([]int, len(parsed))
	for i, t := range parsed {
		labels[i] = t.numbers[p.label]
	}
	return out, labels
}

// mostSparse is how many places a lattice has for each picture at most.
const mostSparse = 64

// fillsLattice reports whether places, x and y of each, fill a part of their lattice of step 1.
func fillsLattice(at []float64) bool {
	low, high := [2]float64{at[0], at[1]}, [2]float64{at[0], at[1]}
	for i, v := range at {
		low[i%2], high[i%2] = min(low[i%2], v), max(high[i%2], v)
	}
	cells := (high[0] - low[0] + 1) * (high[1] - low[1] + 1)
	return cells <= mostSparse*float64(len(at)/2)
}
