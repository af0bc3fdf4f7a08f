package jsontext

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

type strictRequest struct {
	strictCut
	Seed  int                   `json:"seed"`
	Bags  []strictBag           `json:"bags"`
	Extra map[string]any        `json:"extra"`
	Names BoundedList[string]   `json:"names"`
	More  map[string]*strictBag `json:"more"`
}

type (
	strictCut struct {
		Index int `json:"index"`
	}
	strictBag struct {
		File string `json:"file"`
	}
)

func TestDecodeStrict(t *testing.T) {
	for _, c := range []struct{ text, says string }{
		{`{"seed":1,"index":2,"bags":[{"file":"a"},{"file":"b"}]}`, ""},
		{`{"extra":{"a":{"a":1},"b":["a","a","{\"a\":1,\"a\":2}"]},"names":["seed","seed"]}`, ""},
		{`{"seed":1,"seed":2}`, `"seed" occurs twice`},
		{`{"seed":1,"s\u0065ed":2}`, `"seed" occurs twice`},
		{`{"SEED":1}`, `"SEED" is unknown; keys are case-sensitive, use "seed"`},
		{`{"ſeed":1}`, `use "seed"`},
		{`{"Index":1}`, `use "index"`},
		{`{"bags":[{"file":"a","FILE":"b"}]}`, `use "file"`},
		{`{"more":{"a":{"File":"b"}}}`, `use "file"`},
		{`{"extra":{"a":1,"b":[{}],"a":2}}`, `"a" occurs twice`},
		{`{"sed":1}`, `unknown field "sed"`},
		{`{}]`, "data after its JSON object"},
		{`{}{}`, "data after its JSON object"},
	} {
		t.Run(c.text, func(t *testing.T) {
			var q strictRequest
			err := DecodeStrict([]byte(c.text), &q)
			if c.says == "" && err != nil || c.says != "" &&
				(err == nil || !strings.Contains(err.Error(), c.says)) {
				t.Errorf("got %v, want %q", err, c.says)
			}
		})
	}
}

// One object fills several structs, and is rejected like that of one.
func TestDecodeStrictSeveral(t *testing.T) {
	type nested struct {
		Unused int        `json:"-"`
		File   *strictBag `json:"file"`
	}
	for _, c := range []struct{ text, says string }{
		{`{"SEED":1}`, `use "seed"`},
		{`{"seed":1,"seed":2}`, `"seed" occurs twice`},
		{`{"Unused":1}`, `unknown field "Unused"`},
		{`{"file":{"fill":"a"}}`, `unknown field "fill"`},
		{`{"seed":"a"}`, "cannot unmarshal string"},
		{`[]`, "cannot unmarshal array"},
		{`{}{}`, "data after its JSON object"},
	} {
		t.Run(c.text, func(t *testing.T) {
			var q strictRequest
			var n struct{ nested }
			err := DecodeStrict([]byte(c.text), &q, &n)
			must.Fail(t, err, c.says)
		})
	}
	var q strictRequest
	var n struct{ nested }
	must.Do(t, DecodeStrict([]byte(`{"file":{"file":"a"},"index":2,"seed":null}`), &q, &n))
	must.Equal(t, n.File.File, "a", q, n)
	must.Equal(t, q.Index, 2, q, n)
}

// The keys that CheckKeys holds are bounded, not the objects one after the other.
func TestCheckKeysBoundsMemory(t *testing.T) {
	many := func(object string, n int) []byte {
		return []byte("[" + strings.Repeat(object+",", n) + "0]")
	}
	must.Do(t, CheckKeys(many(`{"a":1,"b":2}`, maxOpenKeys), &struct{}{}))
	nested := strings.Repeat(`{"a":`, maxOpenKeys+1)
	var key *KeyError
	must.Equal(t, errors.As(CheckKeys([]byte(nested), &struct{}{}), &key), true, maxOpenKeys+1)
}

// FuzzCheckKeys compares the scan of bytes with a walk over the tokens of encoding/json.
func FuzzCheckKeys(f *testing.F) {
	for _, s := range []string{`{"seed":1,"SEED":2}`, `{"a":{"b":[1,{"c":"\\\""}]},"a":null}`,
		`[{"a":1},{"a":2}]`, `"{"`, ` { "a" : "," , "b" : { } } `, `{"\u0061":1,"a":2}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if !json.Valid(data) {
			return
		}
		got := CheckKeys(data, &strictRequest{})
		must.Equal(t, got == nil, checkTokens(data) == nil, data, got)
	})
}

// checkTokens is the slow twin of CheckKeys for strictRequest.
func checkTokens(data []byte) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	return checkValue(d)
}

func checkValue(d *json.Decoder) error {
	token, err := d.Token()
	if err != nil {
		return err
	}
	delim, ok := token.(json.Delim)
	if !ok {
		return nil
	}
	seen := map[string]bool{}
	for d.More() {
		if delim == '{' {
			name, err := d.Token()
			if err != nil {
				return err
			}
			key := name.(string)
			for _, known := range []string{"index", "seed", "bags", "extra", "names", "more",
				"file"} {
				if seen[key] || key != known && strings.EqualFold(key, known) {
					return &KeyError{Key: key}
				}
			}
			seen[key] = true
		}
		if err := checkValue(d); err != nil {
			return err
		}
	}
	_, err = d.Token()
	return err
}
