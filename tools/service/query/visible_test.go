package query

import (
	"bytes"
	"encoding/json"
	"testing"
)

// JSON has no hidden character that encoding/json leaves as it is, and means the same.
func TestWriteJSONEscapesControls(t *testing.T) {
	const text = "\x1b\u009b\x7f<ü\u202e\U000e0041می\u200cخواهم"
	var b bytes.Buffer
	if err := WriteJSON(&b, text); err != nil {
		t.Fatal(err)
	}
	got := b.String()
	if want := `"\u001b\u009b\u007f<ü\u202e\udb40\udc41` + "می\u200cخواهم\"\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if Visible(got) != got {
		t.Errorf("a terminal shows %q", Visible(got))
	}
	var again string
	if err := json.Unmarshal(b.Bytes(), &again); err != nil || again != text {
		t.Errorf("it is read as %q, %v", again, err)
	}
}
