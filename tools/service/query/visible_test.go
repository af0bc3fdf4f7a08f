package query

import (
	"bytes"
	"testing"
)

// JSON has no control character that encoding/json leaves as it is.
func TestWriteJSONEscapesControls(t *testing.T) {
	var b bytes.Buffer
	if err := WriteJSON(&b, "\x1b\u009b\x7f<ü"); err != nil {
		t.Fatal(err)
	}
	if got, want := b.String(), `"\u001b\u009b\u007f<ü"`+"\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
