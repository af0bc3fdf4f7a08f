// Package source reads what Go source files say and reflection does not: comments, and the words of
// types of strings. Generators use it.
package source

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Package is what the source files of a package say.
type Package struct {
	Comments map[string]string   // comments of types, and of fields by "Type.Field"
	Words    map[string][]string // the constants of each type of strings, in their order
}

// Read reads the files of a package in a folder, without its tests. Errors are those of go/parser.
func Read(folder string) (*Package, error) {
	names, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		return nil, err
	}
	s := &Package{map[string]string{}, map[string][]string{}}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil,
			parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, d := range file.Decls {
			if decl, ok := d.(*ast.GenDecl); ok {
				s.declaration(decl)
			}
		}
	}
	return s, nil
}

// declaration records the types or the constants of a declaration.
func (s *Package) declaration(decl *ast.GenDecl) {
	for _, spec := range decl.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			name := spec.Name.Name
			s.Comments[name] = decl.Doc.Text()
			if decl.Lparen.IsValid() {
				s.Comments[name] = spec.Doc.Text()
			}
			if t, ok := spec.Type.(*ast.StructType); ok {
				for _, f := range t.Fields.List {
					for _, id := range f.Names {
						s.Comments[name+"."+id.Name] = f.Doc.Text() + f.Comment.Text()
					}
				}
			}
		case *ast.ValueSpec:
			t, _ := spec.Type.(*ast.Ident)
			for _, v := range spec.Values {
				if text, ok := v.(*ast.BasicLit); ok && t != nil && text.Kind == token.STRING {
					word, _ := strconv.Unquote(text.Value) // a literal that was parsed
					s.Words[t.Name] = append(s.Words[t.Name], word)
				}
			}
		}
	}
}

// Sentence returns a comment on one line, with a capital and a full stop; "" for none.
func Sentence(comment string) string {
	text := strings.Join(strings.Fields(comment), " ")
	if text == "" {
		return ""
	}
	if !strings.HasSuffix(text, ".") {
		text += "."
	}
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}
