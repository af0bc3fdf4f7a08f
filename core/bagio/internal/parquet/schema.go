package parquet

import (
	"strings"

	"github.com/bagscope/bagscope/core/bagio/internal/frame"
	"github.com/bagscope/bagscope/internal/msg"
)

// Physical types.
const (
	typeBoolean = 0
	typeInt32   = 1
	typeInt64   = 2
	typeInt96   = 3
	typeFloat   = 4
	typeDouble  = 5
	typeBytes   = 6
	typeFixed   = 7
)

// Repetitions of a field.
const (
	repetitionOptional = 1
	repetitionRepeated = 2
)

// Converted types, and the fields of the union of logical types, that change how values are read.
const (
	convertedUTF8   = 0
	convertedEnum   = 4
	convertedUint8  = 11
	convertedUint64 = 14
	convertedInt8   = 15
	convertedInt64  = 18
	convertedJSON   = 19

	logicalString  = 1
	logicalEnum    = 4
	logicalInteger = 10
	logicalUnknown = 11
	logicalJSON    = 12
	logicalFloat16 = 15
)

// An element is a node of the schema.
type element struct {
	name       string
	kind       int // physical type, or -1 for a group
	width      int // bytes of a typeFixed
	repetition int
	children   int
	converted  int // or -1
	logical    int // field of the union, or 0
	unsigned   bool
}

// readElement reads a SchemaElement.
func (t *thrift) readElement(kind byte) element {
	e := element{kind: -1, converted: -1}
	t.fields(kind, func(id int, kind byte) bool {
		switch id {
		case 1:
			e.kind = int(t.number(kind))
		case 2:
			e.width = int(t.number(kind))
		case 3:
			e.repetition = int(t.number(kind))
		case 4:
			e.name = t.text(kind)
		case 5:
			e.children = int(t.number(kind))
		case 6:
			e.converted = int(t.number(kind))
		case 10:
			t.fields(kind, func(id int, kind byte) bool {
				e.logical = id
				if id != logicalInteger {
					return false
				}
				t.fields(kind, func(id int, kind byte) bool {
					e.unsigned = e.unsigned || id == 2 && kind == thriftFalse
					return id == 2 && (kind == thriftTrue || kind == thriftFalse)
				})
				return true
			})
		default:
			return false
		}
		return true
	})
	if e.converted >= convertedUint8 && e.converted <= convertedUint64 {
		e.unsigned = true
	}
	return e
}

// A leaf is a column of the schema. A value exists if its definition level is maxDef. An entry of a
// list exists if it is at least entryDef.
type leaf struct {
	frame.Column
	element
	maxDef, maxRep, entryDef int
}

// leaves returns the columns of a schema, whose first element is the root.
func leaves(schema []element) ([]leaf, error) {
	if len(schema) == 0 || schema[0].kind >= 0 {
		return nil, msg.Errorf("its schema has no root")
	}
	w := &walk{schema: schema[1:]}
	for range schema[0].children {
		if err := w.node(leaf{}, nil, false, 0); err != nil {
			return nil, err
		}
	}
	if len(w.schema) > 0 {
		return nil, msg.Errorf("its schema has %d elements beside those of the root", len(w.schema))
	}
	return w.leaves, nil
}

// A walk reads the elements of a schema, which are in the order of a depth-first walk.
type walk struct {
	schema []element
	leaves []leaf
}

// node reads an element and those below it. path are the names above it, without those of a list's
// inside; records states that it is a field of a record in a list.
func (w *walk) node(above leaf, path []string, records bool, depth int) error {
	if len(w.schema) == 0 || depth > mostDepth {
		return msg.Errorf("its schema ends too early, or is nested too deep")
	}
	e := w.schema[0]
	w.schema = w.schema[1:]
	l := above
	inList := l.maxRep > 0
	switch e.repetition {
	case repetitionOptional:
		l.maxDef++
	case repetitionRepeated:
		l.maxDef++
		l.maxRep++
		l.entryDef = l.maxDef
	}
	// A list is a group of one repeated group (list) of one element, or has the name of a field
	// that is itself repeated.
	if !inList && (e.repetition != repetitionRepeated || len(path) == 0) {
		path = append(path[:len(path):len(path)], e.name)
	}
	if e.kind < 0 {
		if e.children < 1 || e.children > len(w.schema) {
			return msg.Errorf("a group of its schema has %d children", e.children)
		}
		records = records || l.maxRep > 0 && e.children > 1
		for range e.children {
			if err := w.node(l, path, records, depth+1); err != nil {
				return err
			}
		}
		return nil
	}
	if e.kind > typeFixed || e.kind == typeFixed && (e.width < 1 || e.width > 1<<20) {
		return msg.Errorf("column %s has the physical type %d of %d bytes", e.name, e.kind, e.width)
	}
	l.element = e
	l.Column = frame.Column{Name: strings.Join(path, "."), Kind: e.frameKind(),
		List: l.maxRep > 0}
	if records {
		l.Name += "." + e.name
	}
	if l.maxRep > 1 || records {
		l.Kind, l.Type = frame.Other, "lists of lists or records"
	} else if l.Kind == frame.Other {
		l.Type = e.typeName()
	}
	w.leaves = append(w.leaves, l)
	return nil
}

// frameKind returns what values are, frame.Other for dates, times and decimals.
func (e element) frameKind() frame.Kind {
	plain := e.logical == 0 && e.converted < 0
	switch e.kind {
	case typeBoolean:
		return frame.Whole
	case typeInt32, typeInt64:
		if plain || e.logical == logicalInteger || e.logical == logicalUnknown ||
			e.logical == 0 && e.converted >= convertedUint8 && e.converted <= convertedInt64 {
			return frame.Whole
		}
	case typeFloat, typeDouble:
		return frame.Real
	case typeBytes:
		if plain || e.logical == logicalString || e.logical == logicalEnum ||
			e.logical == logicalJSON || e.logical == 0 && (e.converted == convertedUTF8 ||
			e.converted == convertedEnum || e.converted == convertedJSON) {
			return frame.Text
		}
	case typeFixed:
		if e.logical == logicalFloat16 && e.width == 2 {
			return frame.Real
		}
	}
	return frame.Other
}

// typeName names the type of a column that no bag has.
func (e element) typeName() string {
	if e.kind == typeInt96 {
		return "times"
	}
	return "dates, times, decimals or bytes"
}
