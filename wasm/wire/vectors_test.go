package wire

import (
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
	"github.com/bagscope/bagscope/onnxbackend/ask"
)

var update = flag.Bool("update", false, "write testdata/vectors.json again")

const vectorFile = "testdata/vectors.json"

// vectors is the test file that Go and TypeScript share.
type vectors struct {
	About    string
	Messages []vector
	Refused  []refused
}

type vector struct {
	Kind string
	ID   uint32
	Hex  string
	Body any // the form that JavaScript sees, see plain
}

type refused struct {
	Name   string
	Hex    string
	Reason string // part of the error's text on both sides
}

func (r refused) bytes(t *testing.T) []byte {
	t.Helper()
	return must.Get(hex.DecodeString(r.Hex))(t)
}

func readVectors(t *testing.T) vectors {
	t.Helper()
	text := must.Get(os.ReadFile(vectorFile))(t)
	var v vectors
	must.Do(t, json.Unmarshal(text, &v))
	return v
}

// TestVectors holds the bytes of every message fast: a change of the messages shows as a change of
// the file, and must change Version.
func TestVectors(t *testing.T) {
	want := makeVectors(t)
	if *update {
		text := must.Get(json.MarshalIndent(want, "", " "))(t)
		must.Do(t, os.WriteFile(vectorFile, append(text, '\n'), 0o666))
	}
	got := readVectors(t)
	must.Equal(t, len(got.Messages), len(want.Messages), vectorFile)
	for i, m := range got.Messages {
		must.Equal(t, m.Hex, want.Messages[i].Hex, i, want.Messages[i].Kind, vectorFile)
		must.Equal(t, m.Kind, want.Messages[i].Kind, i, vectorFile)
	}
}

func makeVectors(t *testing.T) vectors {
	t.Helper()
	v := vectors{
		About: "Written by go test ./wasm/wire -update. Read by the tests of wasm/wire and of " +
			"wasm/npm."}
	for _, m := range samples() {
		data := must.Get(Append(nil, m))(t)
		v.Messages = append(v.Messages, vector{JSName(reflect.TypeOf(m.Body).Name()), m.ID,
			hex.EncodeToString(data), plain(reflect.ValueOf(m.Body))})
	}
	release := hex.EncodeToString([]byte{Version, kindNumber(t, Release{}), 0, 0, 0, 0})
	failure := hex.EncodeToString([]byte{Version, kindNumber(t, Failure{}), 0, 0, 0, 0})
	predict := hex.EncodeToString([]byte{Version, kindNumber(t, Predicted{}), 0, 0, 0, 0})
	explain := hex.EncodeToString([]byte{Version, kindNumber(t, BagOpened{}), 0, 0, 0, 0})
	judged := hex.EncodeToString([]byte{Version, kindNumber(t, ask.Judged{}), 0, 0, 0, 0})
	value := "01000000" + "61" + "0000000000000000"
	v.Refused = []refused{
		{"empty", "", "bytes are needed"},
		{"no kind", fmt.Sprintf("%02x0000000000", Version), "the kind of message 0 is unknown"},
		{"unknown kind", fmt.Sprintf("%02xff00000000", Version),
			"the kind of message 255 is unknown"},
		{"other version", "630100000000", "different releases"},
		{"cut number", release + "0102", "8 bytes are needed"},
		{"number beyond 2^53", release + "0000000000002000", "is outside"},
		{"number below -2^53", release + "000000000000e0ff", "is outside"},
		{"left over", release + "010000000000000000", "1 bytes follow the message"},
		{"text beyond the end", failure + "ffffffff", "a list has 4294967295 elements"},
		{"text that is no UTF-8", failure + "01000000ff" + "00000000" + "00000000", "not UTF-8"},
		{"list beyond the end", predict + "02000000" + "0000000000000000", "a list has 2 elements"},
		{"unknown type of value", failure + "00000000" + "00000000" + "01000000" + "00000000" +
			"07" + "00", "unknown type 7"},
		{"key twice", judged + "01000000" + strings.Repeat("00000000", 3) + "02000000" + value +
			value, "a key is there twice"},
		{"flag of 2", explain + "0100000000000000" + "00000000" + "0100000000000000" + "00000000" +
			"02" + "000000", "a flag is 2"},
	}
	return v
}

// plain turns a body into what encoding/json writes as the JavaScript side compares it: names of
// JavaScript, fields of embedded structs as own ones, null where the tag ts says so, and as strings
// the whole numbers beyond 2^53 and the numbers that JSON lacks.
func plain(v reflect.Value) any {
	switch v.Kind() {
	case reflect.Struct:
		fields := map[string]any{}
		for _, f := range reflect.VisibleFields(v.Type()) {
			value := v.FieldByIndex(f.Index)
			switch {
			case f.Anonymous:
			case f.Tag.Get("ts") == "number[] | null" && value.Len() == 0:
				fields[FieldName(f)] = nil
			default:
				fields[FieldName(f)] = plain(value)
			}
		}
		return fields
	case reflect.Slice:
		list := make([]any, v.Len())
		for i := range list {
			list[i] = plain(v.Index(i))
		}
		return list
	case reflect.Map:
		values := map[string]any{}
		for key, value := range v.Seq2() {
			values[key.String()] = plain(value)
		}
		return values
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return nil
		}
		return plain(v.Elem())
	case reflect.Uint64:
		if v.Uint() > maxInt {
			return strconv.FormatUint(v.Uint(), 10)
		}
	case reflect.Float64, reflect.Float32:
		if x := v.Float(); math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Sprint(x)
		}
	}
	return v.Interface()
}
