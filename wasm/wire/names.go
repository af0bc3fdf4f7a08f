package wire

import (
	"reflect"
	"strings"
	"unicode"
)

// JSName returns the name that JavaScript uses for a Go name: SHA256 sha256, MeanBag meanBag,
// EncodePNG encodePNG.
func JSName(name string) string {
	runes := []rune(name)
	for i, r := range runes {
		if !unicode.IsUpper(r) || i > 0 && i+1 < len(runes) && unicode.IsLower(runes[i+1]) {
			break
		}
		runes[i] = unicode.ToLower(r)
	}
	return string(runes)
}

// FieldName returns the name that JavaScript uses for a field of a message: its tag js, its JSON
// name without underscores, or JSName.
func FieldName(f reflect.StructField) string {
	if name := f.Tag.Get("js"); name != "" {
		return name
	}
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	if name == "" {
		return JSName(f.Name)
	}
	first, rest, _ := strings.Cut(name, "_")
	for word := range strings.SplitSeq(rest, "_") {
		if word != "" {
			first += strings.ToUpper(word[:1]) + word[1:]
		}
	}
	return first
}
