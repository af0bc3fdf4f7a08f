package wire

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// TestNoStructIsRepeated fails on a struct of messages that has all fields of a struct of another
// package, and no other: the message can hold that struct.
func TestNoStructIsRepeated(t *testing.T) {
	own := structsOf(t, ".")
	for _, folder := range []string{"core", "core/bagio", "core/draw", "core/methods",
		"core/metric", "core/slide", "core/whatif", "onnxbackend", "onnxbackend/ask"} {
		for fields, name := range structsOf(t, filepath.Join("../..", folder)) {
			if repeat := own[fields]; repeat != "" && strings.Count(fields, "\n") > 1 {
				t.Errorf("%s has the fields of %s in %s", repeat, name, folder)
			}
		}
	}
}

// qualifier is the name of the package before that of a type.
var qualifier = regexp.MustCompile(`\w+\.`)

// structsOf returns the names of the structs that the files of a folder declare, by their fields: a
// line for each.
func structsOf(t *testing.T, folder string) map[string]string {
	t.Helper()
	names := map[string]string{}
	for _, file := range must.Get(filepath.Glob(filepath.Join(folder, "*.go")))(t) {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		tree := must.Get(parser.ParseFile(token.NewFileSet(), file, nil, 0))(t)
		ast.Inspect(tree, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			s, ok := spec.Type.(*ast.StructType)
			if !ok {
				return true
			}
			var fields strings.Builder
			for _, f := range s.Fields.List {
				for _, id := range f.Names {
					kind := qualifier.ReplaceAllString(types.ExprString(f.Type), "")
					fields.WriteString(id.Name + " " + kind + "\n")
				}
			}
			names[fields.String()] = spec.Name.Name
			return true
		})
	}
	return names
}
