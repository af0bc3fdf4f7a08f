package wire

import (
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

// JSOption returns the name that JavaScript uses for an option of core.MethodInfo: mean-bag
// meanBag.
func JSOption(flag string) string {
	first, rest, more := strings.Cut(flag, "-")
	if !more || rest == "" {
		return first
	}
	return first + JSOption(strings.ToUpper(rest[:1])+rest[1:])
}
