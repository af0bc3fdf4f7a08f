// Package source reads what Go source files say and reflection does not: comments. Generators use
// it.
package source

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Comments returns the comments of the types of the package in a folder, by their names, and those
// of the fields of structs, by "Type.Field". Errors are those of go/parser.
func Comments(folder string) (map[string]string, error) {
	names, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		return nil, err
	}
	comments := map[string]string{}
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
				addTypes(comments, decl)
			}
		}
	}
	return comments, nil
}

// addTypes adds the comments of the types of a declaration.
func addTypes(comments map[string]string, decl *ast.GenDecl) {
	for _, spec := range decl.Specs {
		spec, ok := spec.(*ast.TypeSpec)
		if !ok {
			continue
		}
		name := spec.Name.Name
		comments[name] = spec.Doc.Text()
		if !decl.Lparen.IsValid() { // the comment of the only type is that of its declaration
			comments[name] = decl.Doc.Text()
		}
		if t, ok := spec.Type.(*ast.StructType); ok {
			for _, f := range t.Fields.List {
				for _, id := range f.Names {
					comments[name+"."+id.Name] = f.Doc.Text() + f.Comment.Text()
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
