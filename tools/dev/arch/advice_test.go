package arch

import (
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/advice"
	"github.com/bagscope/bagscope/internal/must"
)

var update = flag.Bool("update", false, "write testdata/advice.txt")

const adviceFile = "../../../testdata/advice.txt"

// advises matches texts that advise something that can be done word for word: a verb and behind it
// a flag, an axis or a key of the card, or a command.
var advises = regexp.MustCompile(`(?i)\b(add|choose|export|give|keep the|lower|mend|name|omit|` +
	`pass|raise|rank|remove|say|select|set [n"]|start|state|turn|use|write)\b[^;]*(--[a-z]|` +
	`model card|\bcard\b|"[a-z_.]+": |\baxis [0-9%d]|\baxis dynamic|\baxes\b|\bslide-mpp\b|` +
	`\bthreshold\b|whole-slide|\bmin-tissue\b|\(samples\))|` +
	`\b(vips|h5clear|run git lfs|bagscope tiles) [a-z-]|python3? -[cm]|\(gunzip\)`)

// TestAdvice compares testdata/advice.txt with the texts of the code that advise something. Each
// needs a test that follows it.
func TestAdvice(t *testing.T) {
	tests := map[string][]string{}
	for _, line := range advice.Lines(t) {
		tests[line.Text] = line.Tests
	}
	texts := advisingTexts(t)
	must.Equal(t, len(texts) >= 50, true, len(texts))
	if *update {
		out := adviceHead
		for _, text := range texts {
			followers := strings.Join(tests[text], " ")
			if followers == "" {
				followers = "?"
			}
			out += followers + " | " + text + "\n"
		}
		must.Do(t, os.WriteFile(adviceFile, []byte(out), 0o644))
		return
	}
	followers := adviceFollowers(t)
	for _, text := range texts {
		if len(tests[text]) == 0 || slices.ContainsFunc(tests[text], func(test string) bool {
			return followers[test] != 1 && !quotesAdvice(t, test, text)
		}) {
			t.Errorf("no test follows %q; name one in testdata/advice.txt that calls advice.Of, "+
				"or a file of tests in TypeScript or Python that quotes the words", text)
		}
		delete(tests, text)
	}
	for text := range tests {
		t.Errorf("testdata/advice.txt lists what no code says: %q; "+
			"run go test ./tools/dev/arch -run TestAdvice -update", text)
	}
}

const adviceHead = `# What messages advise: the test that follows it | the text.
# go test ./tools/dev/arch -run TestAdvice -update lists the texts; name the test of a new one.

`

// advisingTexts returns the texts that advise something, sorted.
func advisingTexts(t *testing.T) (texts []string) {
	for _, name := range trackedFiles(t) {
		top, _, _ := strings.Cut(name, "/")
		switch {
		case !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"),
			top == "examples", strings.HasPrefix(name, "tools/gen/"),
			strings.HasPrefix(name, "tools/dev/"), strings.Contains(name, "/gen/"),
			top == "internal" && !strings.HasPrefix(name, "internal/otherfile/"),
			strings.Contains(name, "/enginetest/"):
			continue
		}
		f := must.Get(parser.ParseFile(token.NewFileSet(), "../../../"+name, nil,
			parser.SkipObjectResolution))(t)
		ast.Inspect(f, func(n ast.Node) bool {
			e, ok := n.(ast.Expr)
			if !ok || isHelp(n) {
				return !isHelp(n)
			}
			text, ok := adviceText(e)
			if ok && advises.MatchString(text) && !strings.Contains(text, "Usage:") &&
				!strings.Contains(text, " = ") { // a graph in the words of its nodes
				texts = append(texts, strings.ReplaceAll(text, "\n", `\n`))
			}
			return !ok
		})
	}
	texts = append(texts, scriptAdvice(t)...)
	slices.Sort(texts)
	return slices.Compact(texts)
}

// isHelp reports whether a node declares a flag or a command: its texts describe and do not advise.
func isHelp(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.CallExpr:
		name := ""
		switch f := n.Fun.(type) {
		case *ast.SelectorExpr:
			name = f.Sel.Name
		case *ast.Ident:
			name = f.Name
		}
		return regexp.MustCompile(`Var$|VarP$|^(String|Bool|Int|Float64)P?$|^Command$`).
			MatchString(name)
	case *ast.KeyValueExpr:
		key, ok := n.Key.(*ast.Ident)
		return ok && slices.Contains([]string{"Short", "Long", "Use", "Example", "Help", "Text"},
			key.Name)
	}
	return false
}

// adviceText returns a literal, or a sum with … for each term that is none.
func adviceText(e ast.Expr) (text string, ok bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind == token.STRING {
			text, err := strconv.Unquote(e.Value)
			return text, err == nil
		}
	case *ast.BinaryExpr:
		x, isText := adviceText(e.X)
		y, alsoText := adviceText(e.Y)
		if !isText {
			x = "…"
		}
		if !alsoText {
			y = "…"
		}
		return x + y, e.Op == token.ADD && (isText || alsoText)
	}
	return "", false
}

// adviceFollowers counts the tests of each name that follow advice.
func adviceFollowers(t *testing.T) map[string]int {
	count := map[string]int{}
	for _, name := range trackedFiles(t) {
		if !strings.HasSuffix(name, "_test.go") {
			continue
		}
		f := must.Get(parser.ParseFile(token.NewFileSet(), "../../../"+name, nil,
			parser.SkipObjectResolution))(t)
		for _, d := range f.Decls {
			if function, ok := d.(*ast.FuncDecl); ok {
				ast.Inspect(function, func(n ast.Node) bool {
					if s, ok := n.(*ast.SelectorExpr); ok && s.Sel.Name == "Of" {
						if x, ok := s.X.(*ast.Ident); ok && x.Name == "advice" {
							count[function.Name.Name]++
						}
					}
					return true
				})
			}
		}
	}
	return count
}
