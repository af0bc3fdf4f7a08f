package main

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/bagscope/bagscope/internal/source"
	"github.com/bagscope/bagscope/onnxbackend/ask"
)

// A schemaOf is an OpenAPI schema with the keys that answers need, in the order of the document.
type schemaOf struct {
	Ref         string          `json:"$ref,omitempty"`
	AllOf       []schemaOf      `json:"allOf,omitempty"`
	Type        string          `json:"type,omitempty"`
	Items       *schemaOf       `json:"items,omitempty"`
	Properties  json.RawMessage `json:"properties,omitempty"`
	Additional  *bool           `json:"additionalProperties,omitempty"`
	Required    []string        `json:"required,omitempty"`
	Nullable    bool            `json:"nullable,omitempty"`
	Description string          `json:"description,omitempty"`
}

// schemas are the schemas of structs of package ask, by their names.
type schemas struct {
	comments map[string]string // see source.Comments
	known    map[string]bool   // names of the structs that have a schema
	list     []member
}

// reference returns the reference to a schema.
func reference(name string) string { return "#/components/schemas/" + name }

// add adds the schema of a struct, before those of its fields.
func (s *schemas) add(t reflect.Type) error {
	if s.known[t.Name()] {
		return nil
	}
	s.known[t.Name()] = true
	at := len(s.list)
	s.list = append(s.list, member{key: t.Name()})
	one, err := s.fields(t)
	if err != nil {
		return err
	}
	s.list[at].value, err = encode(one)
	return err
}

// fields returns the schema of a struct.
func (s *schemas) fields(t reflect.Type) (schemaOf, error) {
	out := schemaOf{Type: "object", Additional: new(bool)}
	var list []member
	for _, f := range reflect.VisibleFields(t) {
		if f.Anonymous {
			continue
		}
		key, omit := strings.CutSuffix(f.Tag.Get("json"), ",omitempty")
		if !omit {
			out.Required = append(out.Required, key)
		}
		one, err := s.of(f.Type, omit)
		if err != nil {
			return out, fmt.Errorf("%v.%s: %w", t, f.Name, err)
		}
		owner := t
		if len(f.Index) > 1 { // the field of an embedded struct
			owner = t.Field(f.Index[0]).Type
		}
		one.Description = source.Sentence(s.comments[owner.Name()+"."+f.Name])
		if one.Ref != "" && one.Description != "" { // keys beside a reference have no effect
			one = schemaOf{AllOf: []schemaOf{{Ref: one.Ref}}, Description: one.Description}
		}
		text, err := encode(one)
		if err != nil {
			return out, err
		}
		list = append(list, member{key, text})
	}
	var err error
	out.Properties, err = object(list)
	return out, err
}

// of returns the schema of the values of a type. A pointer that is not omitted may be null.
func (s *schemas) of(t reflect.Type, omitted bool) (schemaOf, error) {
	if t == reflect.TypeFor[ask.Number]() { // null for a number that JSON lacks
		return schemaOf{Type: "number", Nullable: true}, nil
	}
	switch t.Kind() {
	case reflect.Bool:
		return schemaOf{Type: "boolean"}, nil
	case reflect.Int, reflect.Uint64:
		return schemaOf{Type: "integer"}, nil
	case reflect.String:
		return schemaOf{Type: "string"}, nil
	case reflect.Slice:
		items, err := s.of(t.Elem(), true)
		return schemaOf{Type: "array", Items: &items}, err
	case reflect.Struct:
		return schemaOf{Ref: reference(t.Name())}, s.add(t)
	case reflect.Pointer:
		if !omitted && t.Elem().Kind() == reflect.Struct { // a reference cannot be null
			one, err := s.fields(t.Elem())
			one.Nullable = true
			return one, err
		}
		one, err := s.of(t.Elem(), true)
		one.Nullable = one.Nullable || !omitted
		return one, err
	}
	return schemaOf{}, fmt.Errorf("a %v has no schema", t)
}
