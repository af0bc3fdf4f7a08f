package core

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/bagscope/bagscope/internal/msg"
)

// A Noun is what an instance is called. The zero value says that nothing is known.
type Noun struct {
	One, Several string // singular and plural, such as "nucleus" and "nuclei"
}

// longestNoun is the largest number of characters of a noun's singular or plural.
const longestNoun = 40

// ParseNoun reads a noun: its singular, such as "digit", or singular and plural with a comma
// between them, such as "nucleus, nuclei". Without a plural, that of English is formed. It returns
// a *SettingError for an empty or long word, or one with characters that are not printed.
func ParseNoun(text string) (Noun, error) {
	one, several, both := strings.Cut(text, ",")
	n := Noun{strings.TrimSpace(one), strings.TrimSpace(several)}
	if !both {
		n.Several = plural(n.One)
	}
	for _, word := range []string{n.One, n.Several} {
		hidden := strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsPrint(r) })
		if word == "" || hidden || strings.Contains(word, ",") ||
			utf8.RuneCountInString(word) > longestNoun {
			return Noun{}, &SettingError{Setting: "instance", Reason: msg.Sprintf("%q is not a "+
				"noun of up to %d characters, such as digit, or its singular and plural, such "+
				"as nucleus, nuclei", text, longestNoun)}
		}
	}
	return n, nil
}

// plural returns the regular plural of an English noun.
func plural(one string) string {
	end := func(suffixes ...string) bool {
		for _, s := range suffixes {
			if strings.HasSuffix(one, s) {
				return true
			}
		}
		return false
	}
	switch {
	case one == "":
		return ""
	case end("s", "x", "z", "ch", "sh"):
		return one + "es"
	case end("y") && !end("ay", "ey", "oy", "uy"):
		return one[:len(one)-1] + "ies"
	}
	return one + "s"
}

// String returns the singular and the plural as ParseNoun reads them, or "" for the zero value.
func (n Noun) String() string {
	if n == (Noun{}) {
		return ""
	}
	return n.One + ", " + n.Several
}

// Or returns the noun, or another one if nothing is known.
func (n Noun) Or(other Noun) Noun {
	if n == (Noun{}) {
		return other
	}
	return n
}

// NounOf returns what instances of a bag are called: the noun of the model's card, that of the
// bag, "patch" for instances that have places, or "instance".
func NounOf(card Noun, b *Bag) Noun {
	known := card.Or(b.Noun)
	if b.Boxes != nil {
		known = known.Or(Noun{"patch", "patches"})
	}
	return known.Or(Noun{"instance", "instances"})
}

// Number returns the number by which people name instance i of a bag: they count from 1. Sentences,
// tables for readers and pictures show it, behind the noun. Data and what programs are given, such
// as JSON, CSV, flags, options and addresses, have indices, which count from 0.
func Number(i int) int { return i + 1 }

// Of returns the form of the noun for a number.
func (n Noun) Of(number int) string {
	if number == 1 {
		return n.One
	}
	return n.Several
}
