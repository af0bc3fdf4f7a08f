package main

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"

	"github.com/bagscope/bagscope/onnxbackend/signature"
)

// schema is a JSON Schema of 2020-12 with the keywords that cards need.
type schema struct {
	Schema      string    `json:"$schema,omitempty"`
	Title       string    `json:"title,omitempty"`
	Description string    `json:"description,omitempty"`
	Type        string    `json:"type,omitempty"`
	Const       string    `json:"const,omitempty"`
	AnyOf       []schema  `json:"anyOf,omitempty"`
	Minimum     *float64  `json:"minimum,omitempty"`
	Maximum     *float64  `json:"maximum,omitempty"`
	Above       *float64  `json:"exclusiveMinimum,omitempty"`
	MaxLength   int       `json:"maxLength,omitempty"`
	Items       *schema   `json:"items,omitempty"`
	MinItems    int       `json:"minItems,omitempty"`
	MaxItems    int       `json:"maxItems,omitempty"`
	Properties  keySchema `json:"properties,omitempty"`
	Required    []string  `json:"required,omitempty"`
	Additional  any       `json:"additionalProperties,omitempty"` // a schema, or false
}

// A keySchema lists the schemas of keys in the order of the declaration.
type keySchema []struct {
	key   string
	value schema
}

// MarshalJSON implements json.Marshaler.
func (k keySchema) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, m := range k {
		key, err := json.Marshal(m.key)
		if err != nil {
			return nil, err
		}
		value, err := encode(m.value)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(append(b, key...), ':'), value...)
	}
	return append(b, '}'), nil
}

// schemaText returns the JSON Schema of cards.
func schemaText(keys []signature.CardKey) ([]byte, error) {
	s := objectSchema(signature.CardForm{Type: signature.CardObject, Keys: keys})
	s.Schema = "https://json-schema.org/draft/2020-12/schema"
	s.Title = "Model card of bagscope"
	s.Description = "What a model file cannot state about its inputs and outputs. When a model " +
		"is opened, its card is compared with these rules and with the graph."
	compact, err := encode(s)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := json.Indent(&b, compact, "", "  "); err != nil {
		return nil, err
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}

// encode returns the JSON of a value. It does not escape <, > and &, which descriptions contain.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}

// keySchemaOf returns the schema of a key's value. Keys that may be absent may be null.
func keySchemaOf(key signature.CardKey) schema {
	s := schema{Description: sentence(key.Help)}
	if !key.Required {
		s.Description += " Without it: " + key.Without + "."
	}
	for _, form := range key.Forms {
		s.AnyOf = append(s.AnyOf, formSchemas(form)...)
	}
	if !key.Required {
		s.AnyOf = append(s.AnyOf, schema{Type: "null"})
	}
	return s
}

// sentence writes a phrase as a sentence.
func sentence(phrase string) string {
	return strings.ToUpper(phrase[:1]) + phrase[1:] + "."
}

// formSchemas returns the schemas of a form: one for each word of a text, else one.
func formSchemas(f signature.CardForm) []schema {
	switch f.Type {
	case signature.CardText:
		var words []schema
		for _, w := range f.Words {
			words = append(words, schema{Const: w.Word, Description: sentence(w.Help)})
		}
		if words != nil {
			return words
		}
		return []schema{{Type: "string", MaxLength: f.Longest}}
	case signature.CardNumber:
		return []schema{bounded(schema{Type: "number"}, f)}
	case signature.CardWhole:
		least, most := -math.Exp2(31), math.Exp2(31)
		return []schema{bounded(schema{Type: "integer", Minimum: &least, Maximum: &most}, f)}
	case signature.CardTruth:
		return []schema{{Type: "boolean"}}
	case signature.CardList:
		entries := schema{}
		for _, e := range f.Entries {
			entries.AnyOf = append(entries.AnyOf, formSchemas(e)...)
		}
		if len(entries.AnyOf) == 1 {
			entries = entries.AnyOf[0]
		}
		return []schema{{Type: "array", Items: &entries, MinItems: f.Least, MaxItems: f.Most}}
	}
	return []schema{objectSchema(f)}
}

// bounded adds the range of a number.
func bounded(s schema, f signature.CardForm) schema {
	r := f.Range
	if r == nil {
		return s
	}
	if r.Open {
		s.Above = &r.Least
	} else {
		s.Minimum = &r.Least
	}
	if !math.IsInf(r.Most, 1) {
		s.Maximum = &r.Most
	}
	return s
}

// objectSchema returns the schema of an object.
func objectSchema(f signature.CardForm) schema {
	s := schema{Type: "object", Additional: false}
	if f.Kind != "" {
		s.Description = sentence(f.KindHelp)
		s.Properties = append(s.Properties, keySchema{{"kind", schema{Const: f.Kind}}}...)
		s.Required = append(s.Required, "kind")
	}
	for _, key := range f.Keys {
		if key.Name == signature.AnyName {
			s.Additional = keySchemaOf(key)
			continue
		}
		s.Properties = append(s.Properties, keySchema{{key.Name, keySchemaOf(key)}}...)
		if key.Required {
			s.Required = append(s.Required, key.Name)
		}
	}
	return s
}
