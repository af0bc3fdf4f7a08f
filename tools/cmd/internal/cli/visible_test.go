package cli

import (
	"bytes"
	"io"
	"testing"
	"testing/iotest"

	"github.com/bagscope/bagscope/internal/must"
)

// The result does not depend on how the text is divided into writes.
func TestVisibleWriter(t *testing.T) {
	const text = "ü 漢 😀\n\tred: \x1b[31m, \u009b31m, \x7f"
	const want = "ü 漢 😀\n\tred: \\x1b[31m, \\x9b31m, \\x7f"
	var whole, pieces bytes.Buffer
	for to, from := range map[*bytes.Buffer]io.Reader{
		&whole: bytes.NewBufferString(text), &pieces: iotest.OneByteReader(
			bytes.NewBufferString(text)),
	} {
		v := &visibleWriter{to: to}
		must.Get(io.CopyBuffer(struct{ io.Writer }{v}, struct{ io.Reader }{from}, make([]byte,
			64)))(t)
		must.Do(t, v.flush())
		must.Equal(t, to.String(), want, to)
	}
	var cut bytes.Buffer
	v := &visibleWriter{to: &cut}
	v.Write([]byte("a\xc2"))
	if v.flush(); cut.String() != "a\ufffd" {
		t.Errorf("an incomplete character gives %q", &cut)
	}
}
