package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
)

// A source is what the source files of a package say and reflection does not.
type source struct {
	comments map[string]string   // of types, and of fields by "Type.Field"
	words    map[string][]string // the constants of each type of strings, in their order
}

// readSource reads the files of a package in a folder.
func readSource(folder string) (*source, error) {
	names, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		return nil, err
	}
	s := &source{map[string]string{}, map[string][]string{}}
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
func (s *source) declaration(decl *ast.GenDecl) {
	for _, spec := range decl.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			name := spec.Name.Name
			s.comments[name] = decl.Doc.Text()
			if decl.Lparen.IsValid() {
				s.comments[name] = spec.Doc.Text()
			}
			if t, ok := spec.Type.(*ast.StructType); ok {
				for _, f := range t.Fields.List {
					for _, id := range f.Names {
						s.comments[name+"."+id.Name] = f.Doc.Text() + f.Comment.Text()
					}
				}
			}
		case *ast.ValueSpec:
			t, _ := spec.Type.(*ast.Ident)
			for _, v := range spec.Values {
				if text, ok := v.(*ast.BasicLit); ok && t != nil && text.Kind == token.STRING {
					word, _ := strconv.Unquote(text.Value) // a literal that was parsed
					s.words[t.Name] = append(s.words[t.Name], word)
				}
			}
		}
	}
}
