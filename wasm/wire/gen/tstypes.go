package main

import (
	"fmt"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/internal/source"
	"github.com/bagscope/bagscope/onnxbackend/ask"
	"github.com/bagscope/bagscope/wasm/wire"
)

// module is the name of the Go module, which begins the paths of its packages.
const module = "github.com/bagscope/bagscope/"

// A translator finds the TypeScript types of Go types, and the expressions of their codecs.
type translator struct {
	root    string // the repository's root
	sources map[string]*source.Package
	// part returns the TypeScript type of a struct, or of another public type.
	part func(t reflect.Type) (string, error)
}

// source returns the source of the package that declares a type.
func (tr *translator) source(t reflect.Type) (*source.Package, error) {
	path := t.PkgPath()
	if s := tr.sources[path]; s != nil {
		return s, nil
	}
	folder := filepath.FromSlash(strings.TrimPrefix(path, module))
	s, err := source.Read(filepath.Join(tr.root, folder))
	if err != nil {
		return nil, err
	}
	if tr.sources == nil {
		tr.sources = map[string]*source.Package{}
	}
	tr.sources[path] = s
	return s, nil
}

// members returns the rest of the interface of a struct: what it extends, which are its embedded
// structs, and its fields, with comments by "Type.Field". Those of options may be absent.
func (tr *translator) members(t reflect.Type, comments map[string]string) (string, error) {
	var extends, fields strings.Builder
	for i := range t.NumField() {
		f := t.Field(i)
		ts, _, err := tr.field(f)
		if err != nil {
			return "", err
		}
		if f.Anonymous {
			extends.WriteString(separator(extends.Len(), " extends ", ", ") + ts)
			continue
		}
		name := wire.FieldName(f)
		if strings.HasSuffix(t.Name(), "Options") {
			name += "?"
		}
		fields.WriteString(jsdoc("  ", source.Sentence(comments[t.Name()+"."+f.Name])))
		fmt.Fprintf(&fields, "  %s: %s;\n", name, ts)
	}
	if fields.Len() == 0 {
		return extends.String() + " {}", nil
	}
	return extends.String() + " {\n" + fields.String() + "}", nil
}

// numberCodecs are those of numbers and lists of numbers where a tag says more than the Go type.
var numberCodecs = map[string]string{
	"number[]":          "c.numbers",
	"number | null":     "c.measured",
	"number[] | null":   "c.filled(c.numbers)",
	"(number | null)[]": "c.list(c.measured)",
}

// field returns the type and the codec of a field. A tag ts has the type if it says more than the
// Go type, with ' for quotes: which words a string can be, or that NaN or an empty list is null.
func (tr *translator) field(f reflect.StructField) (ts, codec string, err error) {
	ts, codec, err = tr.typeOf(f.Type)
	if err != nil {
		return "", "", fmt.Errorf("%s: %w", f.Name, err)
	}
	tag := strings.ReplaceAll(f.Tag.Get("ts"), "'", `"`)
	switch {
	case tag == "":
		return ts, codec, nil
	case numberCodecs[tag] != "":
		return tag, numberCodecs[tag], nil
	}
	return tag, codec + " as c.Codec<" + tag + ">", nil
}

// typeOf returns the type and the codec of a Go type.
func (tr *translator) typeOf(t reflect.Type) (ts, codec string, err error) {
	switch t.Kind() {
	case reflect.Bool:
		return "boolean", "c.bool", nil
	case reflect.Int:
		return "number", "c.int", nil
	case reflect.Uint64:
		return "number | bigint", "c.uint64", nil
	case reflect.Float64:
		return "number", "c.float64", nil
	case reflect.String:
		return tr.stringType(t)
	case reflect.Interface:
		return "string | number | boolean", "c.any", nil
	case reflect.Struct:
		ts, err = tr.part(t)
		return ts, t.Name(), err
	case reflect.Map:
		ts, codec, err = tr.typeOf(t.Elem())
		return "Record<string, " + ts + ">", "c.record(" + codec + ")", err
	case reflect.Pointer:
		ts, codec, err = tr.typeOf(t.Elem())
		return ts + " | null", "c.optional(" + codec + ")", err
	case reflect.Slice:
		switch t.Elem() {
		case reflect.TypeFor[byte]():
			return "Uint8Array<ArrayBuffer>", "c.bytes", nil
		case reflect.TypeFor[float32]():
			return "Float32Array", "c.float32s", nil
		case reflect.TypeFor[float64]():
			return "Float64Array", "c.float64s", nil
		case reflect.TypeFor[ask.Number]():
			return "number[]", "c.numbers", nil
		}
		ts, codec, err = tr.typeOf(t.Elem())
		return ts + "[]", "c.list(" + codec + ")", err
	}
	return "", "", fmt.Errorf("a %v cannot be sent in a message", t)
}

// stringType returns the type of strings of a Go type, which are its constants if it has some. A
// unit may also be one of a model card.
func (tr *translator) stringType(t reflect.Type) (ts, codec string, err error) {
	if t.PkgPath() == "" || t == reflect.TypeFor[core.Unit]() {
		return "string", "c.text", nil
	}
	s, err := tr.source(t)
	if err != nil || len(s.Words[t.Name()]) == 0 {
		return "string", "c.text", err
	}
	if ts = `"` + strings.Join(s.Words[t.Name()], `" | "`) + `"`; publicName(t) != "" {
		ts, err = tr.part(t)
	}
	return ts, "c.text as c.Codec<" + ts + ">", err
}
