package arch

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// readers are the places that read what others wrote: files, requests, responses and arguments.
var readers = []string{"core", "onnxbackend", "tools/service", "tools/cmd/bagscope",
	"tools/cmd/internal", "tools/cohort", "wasm"}

// writers are places and files below readers whose texts are no messages: drawings, programs'
// tables, keys, tests' helpers.
var writers = []string{"core/coretest", "core/draw", "core/heatmap", "core/metric",
	"core/slide/testdata", "onnxbackend/gpu", "onnxbackend/kernel", "onnxbackend/onnxgo",
	"onnxbackend/onnxtest",
	"onnxbackend/internal/enginetest", "tools/cmd/internal/clitest",
	"tools/cmd/bagscope/embed_picture.go", "tools/cmd/internal/inspection/text.go",
	"tools/service/server/crowd", "wasm/parity", "wasm/wire/gen"}

// notMessages are functions of readers that put texts together for other purposes.
var notMessages = map[string]string{
	"core/bagio/internal/hdf5/datatype.go String": "the name of a type: a kind and a size",
	"core/bagio/set.go bagNames":                  "names of bags",
	"core/bagio/writenpy.go npyHeaderBytes":       "the header of a file",
	"core/bagio/torch.go eachValue":               "names of arrays",
	"core/option.go Accept":                       "a value that refuse shortens",
	"onnxbackend/internal/decode/inline.go fresh": "names of values",
	"tools/cmd/internal/cli/options.go String":    "the value of a flag",
	"tools/cohort/attempts.go markOf":             "the name of a file",
	"tools/cohort/attempts.go lineMark":           "the key of a file",
	"tools/cohort/bags.go readBags":               "the key of a cache",
	"tools/service/server/events.go send":         "an event, whose data is a result",
	"tools/service/server/metrics.go text":        "a metric of a constant name",
	"tools/service/server/metrics.go bag":         "a metric of a constant name",
	"tools/service/server/metrics.go observe":     "a metric of a constant name",
}

// textVerb matches the verbs of package fmt that print texts of any length. Numbers are short.
var textVerb = regexp.MustCompile(`%[-+# 0-9.*\[\]]*[sqvwxX]`)

// TestMessagesAreShort: where files and requests of others are read, texts enter messages through
// package msg alone, which shortens and escapes them. Package fmt prints only numbers there.
func TestMessagesAreShort(t *testing.T) {
	files, used := 0, map[string]bool{}
	for _, name := range trackedFiles(t) {
		below := func(place string) bool { _, ok := within(name, place); return ok }
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") ||
			!slices.ContainsFunc(readers, below) || slices.ContainsFunc(writers, below) {
			continue
		}
		files++
		for _, f := range longMessages(name, read(t, name)) {
			at := name + " " + f.function
			if _, ok := notMessages[at]; ok {
				used[at] = true
				continue
			}
			t.Errorf("%s:%d: in %s, %s; use package msg", name, f.line, f.function, f.what)
		}
	}
	must.Equal(t, files >= 300, true, files)
	for at := range notMessages {
		must.Equal(t, used[at], true, at)
	}
}

// A longMessage is a place where a text of any length enters a message.
type longMessage struct {
	function string
	line     int
	what     string
}

// longMessages returns the faults of a file.
func longMessages(name, text string) (out []longMessage) {
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, name, text, 0)
	if err != nil {
		return []longMessage{{what: err.Error()}}
	}
	for _, d := range f.Decls {
		function := ""
		if fn, ok := d.(*ast.FuncDecl); ok {
			function = fn.Name.Name
			if isErrorMethod(fn) {
				ast.Inspect(fn.Body, func(n ast.Node) bool {
					if r, ok := n.(*ast.ReturnStmt); ok && !boundedText(r.Results[0]) {
						out = append(out, longMessage{function, set.Position(r.Pos()).Line,
							"Error returns a text that is not shortened"})
					}
					return true
				})
			}
		}
		ast.Inspect(d, func(n ast.Node) bool {
			if what := longText(n); what != "" {
				out = append(out, longMessage{function, set.Position(n.Pos()).Line, what})
			}
			return true
		})
	}
	return out
}

// isErrorMethod reports whether a function is the method Error of an error.
func isErrorMethod(fn *ast.FuncDecl) bool {
	return fn.Name.Name == "Error" && fn.Recv != nil && fn.Body != nil &&
		len(fn.Type.Params.List) == 0 && fn.Type.Results != nil
}

// boundedText reports whether an expression is a constant text, or made by package msg or by fmt,
// whose formats longText checks.
func boundedText(e ast.Expr) bool {
	if _, ok := constantText(e); ok {
		return true
	}
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return false
	}
	s, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	pkg, ok := s.X.(*ast.Ident)
	return ok && (pkg.Name == "msg" || pkg.Name == "fmt")
}

// longText returns what is wrong with an expression, or "".
func longText(n ast.Node) string {
	if sum, ok := n.(*ast.BinaryExpr); ok && sum.Op == token.ADD &&
		(isErrorText(sum.X) || isErrorText(sum.Y)) {
		return "the text of an error is joined with another"
	}
	call, ok := n.(*ast.CallExpr)
	if !ok {
		return ""
	}
	for _, function := range []string{"Sprintf", "Errorf"} {
		if isCall(call, "fmt", function) && printsText(call.Args[0]) {
			return fmt.Sprintf("fmt.%s prints a text", function)
		}
	}
	for _, function := range []string{"Sprint", "Sprintln"} {
		if isCall(call, "fmt", function) {
			return fmt.Sprintf("fmt.%s may print a text", function)
		}
	}
	if isCall(call, "fmt", "Fprintf") && isTerminal(call.Args[0]) && printsText(call.Args[1]) {
		return "fmt.Fprintf prints a text to standard error"
	}
	for _, function := range []string{"Fprint", "Fprintln"} {
		if isCall(call, "fmt", function) && isTerminal(call.Args[0]) &&
			slices.ContainsFunc(call.Args[1:], func(e ast.Expr) bool { return !boundedText(e) }) {
			return fmt.Sprintf("fmt.%s prints a text to standard error", function)
		}
	}
	if isCall(call, "errors", "New") {
		if _, ok := constantText(call.Args[0]); !ok {
			return "errors.New has a text that is not constant"
		}
	}
	if isCall(call, "strconv", "Quote") {
		return "strconv.Quote quotes a text"
	}
	return ""
}

// printsText reports whether a format prints texts, or is not constant.
func printsText(format ast.Expr) bool {
	text, ok := constantText(format)
	return !ok || textVerb.MatchString(strings.ReplaceAll(text, "%%", ""))
}

// isTerminal reports whether an expression is standard error, by its name.
func isTerminal(e ast.Expr) bool {
	if call, ok := e.(*ast.CallExpr); ok {
		e = call.Fun
	}
	name := ""
	switch e := e.(type) {
	case *ast.Ident:
		name = e.Name
	case *ast.SelectorExpr:
		name = e.Sel.Name
	}
	return slices.Contains([]string{"stderr", "Stderr", "errors", "Errors", "ErrOrStderr"}, name)
}

// isErrorText reports whether an expression is x.Error().
func isErrorText(e ast.Expr) bool {
	call, ok := e.(*ast.CallExpr)
	if !ok || len(call.Args) > 0 {
		return false
	}
	s, ok := call.Fun.(*ast.SelectorExpr)
	return ok && s.Sel.Name == "Error"
}

// constantText returns the text of literals that are joined by +.
func constantText(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return text, err == nil
	case *ast.BinaryExpr:
		left, ok := constantText(e.X)
		right, also := constantText(e.Y)
		return left + right, ok && also
	}
	return "", false
}

// TestLongMessages checks the rules with snippets that must fail and snippets that must pass.
func TestLongMessages(t *testing.T) {
	for _, c := range []struct {
		text   string
		faults int
	}{
		{`func f() { fmt.Sprintf("%q", s) }`, 1},
		{`func f() { fmt.Errorf("a" + " %[1]v", s) }`, 1},
		{`func f() { fmt.Errorf("%w", err) }`, 1},
		{`func f() { fmt.Sprintf(format, args...) }`, 1},
		{`func f() { fmt.Sprintf("%-3.2s", s) }`, 1},
		{`func f() { fmt.Sprintf("%d of %.2f %% and %c", a, b, c) }`, 0},
		{`func f() { msg.Sprintf("%q", s) }`, 0},
		{`func f() { errors.New("the file " + name) }`, 1},
		{`func f() { errors.New(fmt.Sprint("the file ", name)) }`, 2},
		{`func f() { g(fmt.Sprintln(name)) }`, 1},
		{`func f() { fmt.Fprintf(os.Stderr, "%s\n", err) }`, 1},
		{`func f() { fmt.Fprintf(os.Stderr, "%d\n", n) }`, 0},
		{`func f() { fmt.Fprintf(hash, "%q\n", name) }`, 0},
		{`func f() { fmt.Fprintln(c.ErrOrStderr(), err) }`, 1},
		{`func f() { fmt.Fprint(o.Errors, "the file "+name) }`, 1},
		{`func f() { fmt.Fprintln(stderr, msg.Sprintf("%v", err)) }`, 0},
		{`func f() { fmt.Fprintln(stderr, "it is wrong") }`, 0},
		{`func f() { fmt.Fprintln(stderr, "it is wrong:", err) }`, 1},
		{`func f() { errors.New("it is " + "wrong") }`, 0},
		{`func f() { g("it is wrong: " + err.Error()) }`, 1},
		{`func f() { g("tensor " + strconv.Quote(s)) }`, 1},
		{`func (e *E) Error() string { return e.File + ": " + e.Reason }`, 1},
		{`func (e *E) Error() string { return e.text }`, 1},
		{`func (e *E) Error() string { return msg.Sprintf("%s", e.text) }`, 0},
		{`func (e *E) Error() string { return "it is wrong" }`, 0},
	} {
		must.Equal(t, len(longMessages("a.go", "package p\n"+c.text)), c.faults, c.text)
	}
}
