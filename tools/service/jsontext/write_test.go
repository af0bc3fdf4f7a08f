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
	if want := `"\u001b\u009b\u007f<ü\u202e\udb40\udc41` + "می\u200cخواهم\"\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if msg.Lines(got) != got {
		t.Errorf("a terminal shows %q", msg.Lines(got))
	}
	var again string
	if err := json.Unmarshal(b.Bytes(), &again); err != nil || again != text {
		t.Errorf("it is read as %q, %v", again, err)
	}
}
