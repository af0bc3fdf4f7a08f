package cli

import (
	"io"
	"unicode/utf8"

	"github.com/bagscope/bagscope/internal/msg"
)

// A visibleWriter replaces control characters as msg.Lines does. Everything that a command
// prints passes through it, because names in models, bags and cards come from files of others. JSON
// passes unchanged: jsontext.Write has no control characters.
type visibleWriter struct {
	to   io.Writer
	rest []byte // the first bytes of a character whose other bytes have not been written
}

// Write implements io.Writer.
func (v *visibleWriter) Write(p []byte) (int, error) {
	text := append(v.rest, p...)
	end := len(text)
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if last := text[len(text)-n:]; utf8.RuneStart(last[0]) {
			if !utf8.FullRune(last) {
				end -= n
			}
			break
		}
	}
	v.rest = append([]byte(nil), text[end:]...)
	if _, err := io.WriteString(v.to, msg.Lines(string(text[:end]))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// flush writes the rest of an incomplete character.
func (v *visibleWriter) flush() error {
	_, err := io.WriteString(v.to, msg.Lines(string(v.rest)))
	v.rest = nil
	return err
}
