package jsontext

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/bagscope/bagscope/internal/msg"
)

// maxOpenKeys bounds the keys of the objects around one place in a JSON text, which CheckKeys holds
// in memory. Requests have less than a hundred.
const maxOpenKeys = 10_000

// A KeyError is an object in JSON whose keys have no single meaning.
type KeyError struct {
	Key    string
	Reason string
}

// Error names the key and the reason.
func (e *KeyError) Error() string {
	return msg.Sprintf("the key %q %s", e.Key, msg.Text(e.Reason))
}

// DecodeStrict decodes one JSON object into the structs to which to points. Keys that no struct
// has, keys that CheckKeys rejects, and data behind the object are errors. If there are several
// structs, each key belongs to one of them, and their fields have JSON names.
func DecodeStrict(data []byte, to ...any) error {
	v := joined(to)
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return err
	}
	// More would miss a bracket that closes nothing.
	if _, err := d.Token(); err != io.EOF {
		return errors.New("there is data after its JSON object")
	}
	return CheckKeys(data, v)
}

// joined returns a pointer to a struct that has the fields of all structs, as pointers into them.
// encoding/json would need a declared type that embeds them.
func joined(structs []any) any {
	if len(structs) == 1 {
		return structs[0]
	}
	var fields []reflect.StructField
	var places []reflect.Value
	for _, one := range structs {
		v := reflect.ValueOf(one).Elem()
		for _, f := range reflect.VisibleFields(v.Type()) {
			if f.Anonymous || f.Tag.Get("json") == "-" {
				continue
			}
			place := v.FieldByIndex(f.Index).Addr()
			fields = append(fields, reflect.StructField{
				Name: fmt.Sprintf("F%d", len(fields)), Type: place.Type(), Tag: f.Tag})
			places = append(places, place)
		}
	}
	all := reflect.New(reflect.StructOf(fields))
	for n, place := range places {
		all.Elem().Field(n).Set(place)
	}
	return all.Interface()
}

// CheckKeys returns a *KeyError for a key that occurs twice in one object, and for a key that
// equals a key of the struct *v except for upper and lower case. encoding/json accepts both: the
// last of several keys wins, and "SEED" is read as "seed". A client and the server could then
// disagree about what was requested. data must be valid JSON, which json.Unmarshal has accepted.
//
// The function scans bytes instead of tokens, because a request of the Open Inference Protocol can
// hold millions of numbers.
func CheckKeys(data []byte, v any) error {
	known := map[string]string{}
	addNames(known, reflect.TypeOf(v), map[reflect.Type]bool{})
	s := keyScanner{known: known}
	for at := 0; at < len(data); {
		next, err := s.step(data, at)
		if err != nil {
			return err
		}
		at = next
	}
	return nil
}

// A keyScanner follows the objects and lists of a JSON text.
type keyScanner struct {
	known map[string]string // names of struct fields, by their lower-case form
	open  []map[string]bool // keys of each object around the place; nil for a list
	isKey bool              // the next string is a key
	keys  int               // number of keys in open
}

// step reads the string or the byte at a place and returns the next place.
func (s *keyScanner) step(data []byte, at int) (int, error) {
	switch data[at] {
	case '"':
		end := endOfString(data, at)
		if !s.isKey {
			return end, nil
		}
		s.isKey = false
		return end, s.add(data[at:end])
	case '{':
		s.open, s.isKey = append(s.open, map[string]bool{}), true
	case '[':
		s.open, s.isKey = append(s.open, nil), false
	case '}', ']':
		if last := len(s.open) - 1; last >= 0 {
			s.keys -= len(s.open[last])
			s.open = s.open[:last]
		}
		s.isKey = false
	case ',':
		s.isKey = len(s.open) > 0 && s.open[len(s.open)-1] != nil
	}
	return at + 1, nil
}

// endOfString returns the place behind the string that begins at a quote.
func endOfString(data []byte, at int) int {
	for at++; at < len(data); at++ {
		switch data[at] {
		case '\\':
			at++
		case '"':
			return at + 1
		}
	}
	return len(data)
}

// add checks a key, given with its quotes, and stores it.
func (s *keyScanner) add(quoted []byte) error {
	var key string
	if err := json.Unmarshal(quoted, &key); err != nil {
		return err
	}
	keys := s.open[len(s.open)-1]
	if keys[key] {
		return &KeyError{key, "occurs twice in one object; send it once"}
	}
	if name, ok := s.known[fold(key)]; ok && name != key {
		return &KeyError{key, msg.Sprintf("is unknown; keys are case-sensitive, use %q", name)}
	}
	if s.keys++; s.keys > maxOpenKeys {
		return &KeyError{key, fmt.Sprintf("is one of more than %d keys; send fewer", maxOpenKeys)}
	}
	keys[key] = true
	return nil
}

// fold returns a form that is equal for keys that encoding/json does not distinguish. The two
// letters beside ASCII that fold to ASCII are the long s and the Kelvin sign.
func fold(key string) string {
	return strings.NewReplacer("ſ", "s", "\u212a", "k").Replace(strings.ToLower(key))
}

// addNames adds the JSON names of the fields of a type, and of the types inside it.
func addNames(to map[string]string, t reflect.Type, seen map[reflect.Type]bool) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || seen[t] {
		return
	}
	seen[t] = true
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" || !f.IsExported() && !f.Anonymous {
			continue
		}
		if name != "" {
			to[fold(name)] = name
		}
		addNames(to, f.Type, seen)
	}
}
