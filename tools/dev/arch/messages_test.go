package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// goName matches a name that only Go programs can use: Limits.Elements.
var goName = regexp.MustCompile(`\b[A-Z][A-Za-z]*[a-z]\.[A-Z][A-Za-z]*[a-z]\b`)

// TestMessagesNameNoGo: no text of the programs that users run names a type and field of Go. The
// texts reach users of the command line, the server, npm and Python, who cannot set a field.
func TestMessagesNameNoGo(t *testing.T) {
	files, texts := 0, 0
	for _, name := range trackedFiles(t) {
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		switch top, _, _ := strings.Cut(name, "/"); {
		case top != "core" && top != "onnxbackend" && top != "wasm" && top != "tools",
			strings.HasPrefix(name, "tools/gen/"), strings.HasPrefix(name, "tools/dev/"),
			strings.HasPrefix(name, "wasm/wire/gen/"):
			continue
		}
		files++
		f := must.Get(parser.ParseFile(token.NewFileSet(), "../../../"+name, nil,
			parser.SkipObjectResolution))(t)
		ast.Inspect(f, func(n ast.Node) bool {
			text, ok := n.(*ast.BasicLit)
			if !ok || text.Kind != token.STRING {
				return true
			}
			texts++
			if found := goName.FindString(text.Value); found != "" {
				t.Errorf("%s names %s: %s", name, found, text.Value)
			}
			return true
		})
	}
	must.Equal(t, files >= 300, true, texts, files)
	must.Equal(t, texts >= 3000, true, texts, files)
	for text, want := range map[string]bool{"raise Limits.Elements": true, "use 0.5. Then": false,
		"the ReadOptions.Array": true, "a.Relu": false, "SET.REPEAT": false} {
		must.Equal(t, goName.MatchString(text), want, text, !want)
	}
}
