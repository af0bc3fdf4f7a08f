package wire

import (
	"bytes"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
	"unsafe"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/must"
)

func TestRoundTrip(t *testing.T) {
	for _, m := range samples() {
		data, err := Append(nil, m)
		must.Do(t, err, m.Body)
		got, err := Decode(data)
		must.Do(t, err, m.Body)
		must.Equal(t, reflect.DeepEqual(got, m), true, m.Body, got, m)
	}
}

// TestBytesByHand writes messages byte by byte, as the format in the documentation of the package
// says: numbers of 1, 4 and 8 bytes, texts, lists, and values of each type.
func TestBytesByHand(t *testing.T) {
	for _, c := range []struct {
		m    Message
		body string
	}{
		{Message{ID: 0x01020304, Body: Release{Handle: -2}}, "\xfe\xff\xff\xff\xff\xff\xff\xff"},
		{Message{ID: 0x01020304, Body: Failure{Kind: "bag", Message: "µ", Details: []core.Setting{
			{Name: "a", Value: "x"}, {Name: "b", Value: true}, {Name: "c", Value: 258},
			{Name: "d", Value: 1.5}}}},
			"\x03\x00\x00\x00bag" + "\x02\x00\x00\x00\xc2\xb5" + "\x04\x00\x00\x00" +
				"\x01\x00\x00\x00a\x00\x01\x00\x00\x00x" +
				"\x01\x00\x00\x00b\x01\x01" +
				"\x01\x00\x00\x00c\x02\x02\x01\x00\x00\x00\x00\x00\x00" +
				"\x01\x00\x00\x00d\x03\x00\x00\x00\x00\x00\x00\xf8\x3f"},
	} {
		want := string([]byte{Version, kindNumber(t, c.m.Body)}) + "\x04\x03\x02\x01" + c.body
		must.Equal(t, string(must.Get(Append(nil, c.m))(t)), want, c.m.Body)
		if m := must.Get(Decode([]byte(want)))(t); !reflect.DeepEqual(m, c.m) {
			t.Errorf("%x is %+v, want %+v", want, m, c.m)
		}
	}
}

// Every prefix of a message, and a message with one more byte, is an error.
func TestTruncated(t *testing.T) {
	for _, m := range samples() {
		data := must.Get(Append(nil, m))(t)
		for n := range data {
			if _, err := Decode(data[:n:n]); !isFormatError(err) {
				t.Fatalf("%T cut to %d of %d bytes: %v", m.Body, n, len(data), err)
			}
		}
		must.Equal(t, isFormatError(must.Err(Decode(append(data, 0)))), true, m.Body)
	}
}

func TestRejectsInvalidMessages(t *testing.T) {
	for _, v := range readVectors(t).Refused {
		_, err := Decode(v.bytes(t))
		must.Equal(t, isFormatError(err), true, v.Name, err, v.Reason)
		must.Equal(t, strings.Contains(err.Error(), v.Reason), true, v.Name, err, v.Reason)
	}
}

// The ID of an invalid message is decoded, so that the failure reaches its request.
func TestIDOfInvalidMessages(t *testing.T) {
	m, err := Decode([]byte{Version + 1, 1, 9, 0, 0, 0})
	must.Equal(t, m.ID, 9)
	must.Fail(t, err)
}

// A short message that announces long lists must not make the decoder allocate for them.
func TestAnnouncedSizes(t *testing.T) {
	head := []byte{Version, kindNumber(t, Predicted{}), 0, 0, 0, 0}
	announced := append(head, 0xff, 0xff, 0xff, 0x0f)
	if got := testing.AllocsPerRun(10, func() {
		must.Fail(t, must.Err(Decode(announced)))
	}); got > 40 {
		t.Errorf("%v allocations", got)
	}
}

func TestAppendRejects(t *testing.T) {
	for name, body := range map[string]any{
		"a part":             Attribution{},
		"nil":                nil,
		"pointer":            &Hello{},
		"beyond 2^53":        Release{Handle: 1 << 53},
		"below -2^53":        Release{Handle: -1 << 53},
		"unknown any":        Failure{Details: []core.Setting{{Name: "x", Value: int8(1)}}},
		"missing any":        Failure{Details: []core.Setting{{Name: "x", Value: nil}}},
		"number beyond 2^53": Failure{Details: []core.Setting{{Name: "x", Value: 1 << 60}}},
	} {
		must.Equal(t, must.Err(Append(nil, Message{Body: body})) != nil, true, name)
	}
}

func TestReplacesInvalidUTF8(t *testing.T) {
	data := must.Get(Append(nil, Message{Body: Failure{Message: "a\xffb"}}))(t)
	m := must.Get(Decode(data))(t)
	must.Equal(t, m.Body.(Failure).Message, "a\uFFFDb")
}

func TestEncodesNumbersExactly(t *testing.T) {
	want := []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1),
		math.SmallestNonzeroFloat64, math.MaxFloat64}
	data := must.Get(Append(nil, Message{Body: Predicted{Read: core.Reading{Values: want}}}))(t)
	m := must.Get(Decode(data))(t)
	for i, got := range m.Body.(Predicted).Read.Values {
		must.Equal(t, math.Float64bits(got), math.Float64bits(want[i]), want[i], got)
	}
}

func TestJSName(t *testing.T) {
	for name, want := range map[string]string{
		"X": "x", "R2": "r2", "PNG": "png", "SHA256": "sha256", "RGBA": "rgba",
		"MeanBag": "meanBag", "EncodePNG": "encodePNG",
		"OpenModel": "openModel", "InstanceAxis": "instanceAxis", "URLOf": "urlOf",
	} {
		must.Equal(t, JSName(name), want, name)
	}
}

// A field with a JSON name has this name, so that answers are those of the command line.
func TestFieldName(t *testing.T) {
	for tag, want := range map[string]string{"": "patchSize", `json:"stderr"`: "stderr",
		`json:"patch_size,omitempty"`: "patchSize", `json:"aopc_r"`: "aopcR",
		`json:"aopc_r" js:"aopcr"`: "aopcr"} {
		f := reflect.StructField{Name: "PatchSize", Tag: reflect.StructTag(tag)}
		must.Equal(t, FieldName(f), want, tag)
	}
}

// FuzzDecode: whatever the bytes, no panic; and what is accepted is written again as the same
// bytes.
func FuzzDecode(f *testing.F) {
	for _, m := range samples() {
		data := must.Get(Append(nil, m))(f)
		f.Add(data)
		f.Add(data[:len(data)/2])
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := Decode(data)
		if err != nil {
			must.Equal(t, isFormatError(err), true, err)
			return
		}
		again, err := Append(nil, m)
		must.Do(t, err, "accepted and then not written")
		must.EqualSlices(t, again, data)
	})
}

func isFormatError(err error) bool {
	var f *FormatError
	return errors.As(err, &f)
}

func kindNumber(t *testing.T, body any) byte {
	t.Helper()
	data := must.Get(Append(nil, Message{Body: body}))(t)
	return data[1]
}

// The bytes of large files are aligned behind names of any length, and do not change.
func TestLargeBytesAreAligned(t *testing.T) {
	for _, name := range []string{"", "a", "ab", "abc"} {
		want := make([]byte, alignFrom+7)
		for i := range want {
			want[i] = byte(i * 7 / 3)
		}
		data := must.Get(Append(nil, Message{ID: 5, Body: ReadBags{Files: []BagFile{{Name: name,
			Bytes: want}, {Name: "last", Bytes: want[:3]}}, Model: 9}}))(t)
		m := must.Get(Decode(data))(t)
		got := m.Body.(ReadBags)
		must.Equal(t, uintptr(unsafe.Pointer(&got.Files[0].Bytes[0]))%4, 0, name)
		if !bytes.Equal(got.Files[0].Bytes, want) || !bytes.Equal(got.Files[1].Bytes, want[:3]) ||
			got.Files[0].Name != name || got.Model != 9 {
			t.Errorf("behind %q the message is another", name)
		}
	}
}
