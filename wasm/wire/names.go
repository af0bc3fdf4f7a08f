package wire

import "unicode"

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
