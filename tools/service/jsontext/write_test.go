package jsontext

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/internal/must"
)

// JSON has no hidden character that encoding/json leaves as it is, and means the same.
func TestWriteEscapesControls(t *testing.T) {
	const text = "\x1b\u009b\x7f<ü\u202e\U000e0041می\u200cخواهم"
	var b bytes.Buffer
	must.Do(t, Write(&b, text))
	got := b.String()
	must.Equal(t, got, (`"\u001b\u009b\u007f<ü\u202e\udb40\udc41` + "می\u200cخواهم\"\n"))
	must.Equal(t, msg.Lines(got), got, "a terminal shows")
	var again string
	must.Do(t, json.Unmarshal(b.Bytes(), &again))
	must.Equal(t, again, text, "it is read as")
}
