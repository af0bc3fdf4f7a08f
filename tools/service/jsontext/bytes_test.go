package jsontext

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend/ask"
)

// TestEncodingBytes compares the bound with the bytes of JSON.
func TestEncodingBytes(t *testing.T) {
	long := make([]ask.Number, 10_000)
	for i := range long {
		long[i] = -2.2250738585072014e-308
	}
	type inner struct {
		Name string `json:"a_name_that_is_longer_than_the_field"`
	}
	type flags struct {
		A bool `json:"a_name_that_is_much_longer_than_the_field_and_than_its_value"`
		B bool `json:"b_name_that_is_much_longer_than_the_field_and_than_its_value"`
		C bool `json:"c_name_that_is_much_longer_than_the_field_and_than_its_value"`
	}
	for _, v := range []any{
		nil, true, math.MaxUint64 - uint64(1), -math.MaxFloat64, "", "\x00\x7f\u0080\u2028<",
		strings.Repeat("\x01", 1000), []any{}, map[string]any{}, &ask.Explanation{}, time.Now(),
		map[string]any{"\x00": []any{nil, nil, false}}, [2][]bool{{true, false}, nil},
		make([]bool, 1000), flags{},
		json.RawMessage(`{"a":[1,2,3]}`), []byte("base64"), inner{"x"}, []inner{{}, {"y"}},
		ask.Explanation{Boxes: make([]ask.Box, 1000), Attributions: ask.Attributions{
			Explanations: []ask.Scored{{Scores: long}}}},
		ask.Prediction{Outputs: map[string]ask.Tensor{
			"attention": {Shape: []int{10_000}, Data: long}}},
	} {
		var b bytes.Buffer
		must.Do(t, Write(&b, v))
		if got, n := Bytes(v), int64(b.Len()); got < n {
			t.Errorf("%.80q: the bound of %d bytes is %d", b.String(), n, got)
		}
	}
	if got := Bytes(long); got > 10_000*27 {
		t.Errorf("the bound of numbers is %d", got)
	}
}

// TestEncodingBytesOfCopies adds explanations like the largest: each adds the copies of its scores,
// 8 bytes a number, while the text of one is held at a time.
func TestEncodingBytesOfCopies(t *testing.T) {
	const scores, errs = 1000, 100
	x := &ask.Explanation{}
	more := func() int64 {
		x.Explanations = append(x.Explanations, ask.Scored{Scores: make([]ask.Number, scores),
			StdErr: make([]ask.Number, errs)})
		return EncodingBytes(x)
	}
	first := more()
	if least := int64(growth * (scores + errs) * jsonNumber); first < least {
		t.Errorf("one explanation takes %d bytes, at least %d", first, least)
	}
	const want = int64(growth * 8 * (scores + errs))
	must.Equal(t, more()-first, want)
}

// TestWriteInParts checks that an explanation written in parts has the bytes of one written at
// once, and that its encoding takes less memory.
func TestWriteInParts(t *testing.T) {
	one := ask.Scored{Method: `"explanations":null`, Notes: []string{"<a>"}}
	for _, list := range [][]ask.Scored{nil, {}, {one},
		{one, {Scores: make([]ask.Number, 1000)}, one}} {
		x := &ask.Explanation{Bag: ask.Bag{Name: `,"explanations":null,`},
			Attributions: ask.Attributions{Explanations: list, Notes: []string{"\u0085"}}}
		var parts, whole bytes.Buffer
		must.Do(t, errors.Join(Write(&parts, x), Write(&whole, *x)))
		must.Equal(t, parts.String(), whole.String(), len(list), &parts, &whole)
	}
	x := &ask.Explanation{}
	for range 20 {
		x.Explanations = append(x.Explanations, ask.Scored{Scores: make([]ask.Number, 1000)})
	}
	if parts, whole := EncodingBytes(x), EncodingBytes(*x); parts > whole/2 {
		t.Errorf("encoding 20 explanations takes %d bytes in parts and %d at once", parts, whole)
	}
}

// TestWriteEscapes checks that no control character is in the result, and that it is the same
// text.
func TestWriteEscapes(t *testing.T) {
	text := "\x00\x7fa\u0080\u0080é\u009f"
	var b bytes.Buffer
	must.Do(t, Write(&b, text))
	must.Equal(t, b.String(), (`"\u0000\u007fa\u0080\u0080é\u009f"` + "\n"))
}
