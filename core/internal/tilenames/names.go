// Package tilenames reads the places that the names of a slide's tiles state, as the programs write
// them that cut slides.
package tilenames

import (
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// A name is that of a picture: its numbers, and the texts around them, one more.
type name struct {
	texts   []string
	numbers []int
}

// mostDigits are those of a number in a name. Longer ones are ids.
const mostDigits = 9

// nameOf splits a name without its ending. A run of digits that is too long becomes text.
func nameOf(file string) name {
	stem := strings.TrimSuffix(path.Base(file), path.Ext(file))
	t := name{texts: []string{""}}
	for stem != "" {
		n := strings.IndexFunc(stem, func(c rune) bool { return c < '0' || c > '9' })
		if n < 0 {
			n = len(stem)
		}
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

// namesOf splits names that have the same texts, or returns nil.
func namesOf(files []string) []name {
	out := make([]name, len(files))
	for i, file := range files {
		if out[i] = nameOf(file); !slices.Equal(out[i].texts, out[0].texts) {
			return nil
		}
		out[i].texts = out[0].texts // one copy for all
	}
	return out
}

// A pattern says which numbers of names are what; -1 stands for none.
type pattern struct {
	x, y, width, height, label int
	ordered                    bool // words say which number is x
	shaped                     bool // no other names look so
}

// words are those before or behind a number, which say what it is.
var words = map[string]func(*pattern) *int{
	"x": func(p *pattern) *int { return &p.x }, "y": func(p *pattern) *int { return &p.y },
	"col":    func(p *pattern) *int { return &p.x },
	"column": func(p *pattern) *int { return &p.x },
	"row":    func(p *pattern) *int { return &p.y },
	"w":      func(p *pattern) *int { return &p.width },
	"h":      func(p *pattern) *int { return &p.height },
	"class":  func(p *pattern) *int { return &p.label },
}

// patternOf returns the pattern of names. Places are named by words, as in "x512_y1024",
// "01024x_00512y" and "[x=512,y=1024,w=256,h=256]"; or are in parentheses, "(512,1024)"; or are the
// last two numbers, "3_5", which differ from name to name while all others are equal.
func patternOf(names []name) (p pattern, ok bool) {
	texts := names[0].texts
	for _, behind := range []bool{false, true} {
		p = pattern{-1, -1, -1, -1, -1, true, true}
		for i := range texts[1:] {
			word := wordAt(texts[i+1], true)
			if !behind {
				word = wordAt(texts[i], false)
			}
			if of := words[word]; of != nil && *of(&p) < 0 {
				*of(&p) = i
			}
		}
		if p.x >= 0 && p.y >= 0 {
			return p, true
		}
	}
	p = pattern{-1, -1, -1, -1, -1, false, true}
	for i := 0; i+2 < len(texts); i++ {
		if strings.HasSuffix(texts[i], "(") && strings.TrimSpace(texts[i+1]) == "," &&
			strings.HasPrefix(texts[i+2], ")") {
			p.x, p.y = i, i+1
			return p, true
		}
	}
	last := len(texts) - 1
	if last < 2 || texts[last] != "" || !slices.Contains([]string{"_", "-", ","}, texts[last-1]) {
		return p, false
	}
	p.x, p.y, p.shaped = last-2, last-1, slices.Equal(texts, []string{"", "_", ""})
	for i := range names[0].numbers {
		if !p.shaped && differs(names, i) != (i >= p.x) {
			return p, false
		}
	}
	return p, true
}

// differs reports whether a number is not the same in all names.
func differs(names []name, number int) bool {
	return slices.ContainsFunc(names, func(n name) bool {
		return n.numbers[number] != names[0].numbers[number]
	})
}

// wordAt returns the word at the end or at the start of a text, in lower case.
func wordAt(text string, start bool) string {
	list := strings.FieldsFunc(strings.ToLower(text),
		func(c rune) bool { return !unicode.IsLetter(c) })
	if len(list) == 0 {
		return ""
	}
	word := list[len(list)-1]
	if start {
		if word = list[0]; !strings.HasPrefix(strings.ToLower(text), word) {
			return ""
		}
	}
	return word
}
