package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
)

// A member is a key of a JSON object with its value. Objects are lists of members, because a map
// would lose the order of the document.
type member struct {
	key   string
	value json.RawMessage
}

// edit replaces the value at a path of keys by the result of change.
func edit(text []byte, path []string, change func([]byte) ([]byte, error)) ([]byte, error) {
	if len(path) == 0 {
		return change(text)
	}
	list, err := members(text)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(list, func(m member) bool { return m.key == path[0] })
	if at < 0 {
		return nil, fmt.Errorf("the key %q is missing", path[0])
	}
	// The recursion replaces one value; all other values stay.
	if list[at].value, err = edit(list[at].value, path[1:], change); err != nil {
		return nil, err
	}
	return object(list)
}

// set replaces the value at a path of keys.
func set(text []byte, value any, path ...string) ([]byte, error) {
	return edit(text, path, func([]byte) ([]byte, error) { return encode(value) })
}

// valueAt returns the value at a path of keys.
func valueAt(text []byte, path ...string) (value []byte, err error) {
	_, err = edit(text, path, func(v []byte) ([]byte, error) {
		value = v
		return v, nil
	})
	return value, err
}

// members returns the members of a JSON object.
func members(text []byte) (list []member, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, fmt.Errorf("%.20q is not an object", text)
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		m := member{key: key.(string)} // a key is always a string
		if err := d.Decode(&m.value); err != nil {
			return nil, err
		}
		list = append(list, m)
	}
	return list, nil
}

// object returns the JSON of an object.
func object(list []member) ([]byte, error) {
	b := []byte{'{'}
	for i, m := range list {
		if i > 0 {
			b = append(b, ',')
		}
		key, err := encode(m.key)
		if err != nil {
			return nil, err
		}
		b = append(append(append(b, key...), ':'), m.value...)
	}
	return append(b, '}'), nil
}

// encode returns the JSON of a value. It does not escape <, > and &, which descriptions contain.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}
