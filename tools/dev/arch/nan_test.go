package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// TestNaNFails finds tests that pass if a number is not a number: those that fail if
// math.Abs(x) > y. NaN is not above y; it fails !(math.Abs(x) <= y), and so coretest.Near.
func TestNaNFails(t *testing.T) {
	eachTracked(t, "_test.go", func(file, text string) {
		for _, line := range passingNaN(t, text) {
			t.Errorf("%s:%d: write !(math.Abs(..) <= ..), which NaN fails", file, line)
		}
	})
}

// TestPassingNaN checks what TestNaNFails finds.
func TestPassingNaN(t *testing.T) {
	got := passingNaN(t, `package x
func f() {
	if a || math.Abs(x-y) > 1 {
		t.Errorf("far")
	}
	if !(math.Abs(x-y) <= 1) || math.Abs(x) > 1 && b {
		t.Error("far")
	}
	if math.Abs(x) >= 1 {
		count++
	}
}`)
	must.EqualSlices(t, got, []int{3, 6})
}

// passingNaN returns the lines of a Go file on which a condition of a failure has math.Abs on the
// left of > or >=.
func passingNaN(t *testing.T, text string) (lines []int) {
	files := token.NewFileSet()
	f := must.Get(parser.ParseFile(files, "", text, parser.SkipObjectResolution))(t)
	var condition func(e ast.Expr)
	condition = func(e ast.Expr) {
		switch e := e.(type) {
		case *ast.ParenExpr:
			condition(e.X)
		case *ast.BinaryExpr:
			switch e.Op {
			case token.LOR, token.LAND:
				condition(e.X)
				condition(e.Y)
			case token.GTR, token.GEQ:
				if c, ok := e.X.(*ast.CallExpr); ok && calls(c, "Abs") {
					lines = append(lines, files.Position(e.Pos()).Line)
				}
			}
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.IfStmt); ok && failsTest(s.Body) {
			condition(s.Cond)
		}
		return true
	})
	return lines
}

// failsTest reports whether a block calls a method that fails a test.
func failsTest(b *ast.BlockStmt) (fails bool) {
	ast.Inspect(b, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok {
			fails = fails || calls(c, "Error", "Errorf", "Fatal", "Fatalf")
		}
		return !fails
	})
	return fails
}

// calls reports whether a call is of a method or a package's function with one of the names.
func calls(c *ast.CallExpr, names ...string) bool {
	s, ok := c.Fun.(*ast.SelectorExpr)
	return ok && slices.Contains(names, s.Sel.Name)
}
