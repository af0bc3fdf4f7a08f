package main

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/bagscope/bagscope/internal/source"
	"github.com/bagscope/bagscope/onnxbackend/ask"
)

// A valueSchema is an OpenAPI schema with the keys that answers need, in the order of the document.
type valueSchema struct {
	Type        string          `json:"type"`
	Items       *valueSchema    `json:"items,omitempty"`
	Properties  json.RawMessage `json:"properties,omitempty"`
	Additional  *bool           `json:"additionalProperties,omitempty"`
	Required    []string        `json:"required,omitempty"`
	Nullable    bool            `json:"nullable,omitempty"`
	Description string          `json:"description,omitempty"`
}

// answerSchema returns the schema of the values of a type. comments are those of package ask.
func answerSchema(t reflect.Type, comments map[string]string) (s valueSchema, err error) {
	if t == reflect.TypeFor[ask.Number]() { // null for a number that JSON lacks
		return valueSchema{Type: "number", Nullable: true}, nil
	}
	switch t.Kind() {
	case reflect.Bool:
		s.Type = "boolean"
	case reflect.Int, reflect.Uint64:
		s.Type = "integer"
	case reflect.String:
		s.Type = "string"
	case reflect.Slice:
		s.Type, s.Items = "array", new(valueSchema)
		*s.Items, err = answerSchema(t.Elem(), comments)
	case reflect.Pointer:
		s, err = answerSchema(t.Elem(), comments)
		s.Nullable = true
	case reflect.Struct:
		return structSchema(t, comments)
	default:
		err = fmt.Errorf("a %v has no schema", t)
	}
	return s, err
}

// structSchema returns the schema of a struct. A pointer that is omitted if it is nil is never
// null.
func structSchema(t reflect.Type, comments map[string]string) (valueSchema, error) {
	s := valueSchema{Type: "object", Additional: new(bool)}
	var list []member
	for _, f := range reflect.VisibleFields(t) {
		if f.Anonymous {
			continue
		}
		one, err := answerSchema(f.Type, comments)
		if err != nil {
			return s, fmt.Errorf("%v.%s: %w", t, f.Name, err)
		}
		key, omitted := strings.CutSuffix(f.Tag.Get("json"), ",omitempty")
		if omitted {
			one.Nullable = false
		} else {
			s.Required = append(s.Required, key)
		}
		owner := t
		if len(f.Index) > 1 { // the field of an embedded struct
			owner = t.Field(f.Index[0]).Type
		}
		one.Description = source.Sentence(comments[owner.Name()+"."+f.Name])
		text, err := encode(one)
		if err != nil {
			return s, err
		}
		list = append(list, member{key, text})
	}
	var err error
	s.Properties, err = object(list)
	return s, err
}
