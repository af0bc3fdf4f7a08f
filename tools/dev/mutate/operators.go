package main

import (
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"
)

// A change replaces the source from pos to end by text. shown is the part of the source that the
// table prints before and after the change.
type change struct {
	operator string
	pos, end token.Pos
	text     string
	shown    ast.Node
}

// swaps lists what replaces a binary operator. Types that do not have the replacement, such as
// strings for "-", fail the type check.
var swaps = map[token.Token]struct {
	operator string
	to       []token.Token
}{
	token.LSS:  {"compare", []token.Token{token.LEQ, token.GEQ}},
	token.LEQ:  {"compare", []token.Token{token.LSS, token.GTR}},
	token.GTR:  {"compare", []token.Token{token.GEQ, token.LEQ}},
	token.GEQ:  {"compare", []token.Token{token.GTR, token.LSS}},
	token.EQL:  {"equality", []token.Token{token.NEQ}},
	token.NEQ:  {"equality", []token.Token{token.EQL}},
	token.LAND: {"logic", []token.Token{token.LOR}},
	token.LOR:  {"logic", []token.Token{token.LAND}},
	token.ADD:  {"arithmetic", []token.Token{token.SUB}},
	token.SUB:  {"arithmetic", []token.Token{token.ADD}},
	token.MUL:  {"arithmetic", []token.Token{token.QUO}},
	token.QUO:  {"arithmetic", []token.Token{token.MUL}},
	token.REM:  {"arithmetic", []token.Token{token.MUL}},
	token.SHL:  {"arithmetic", []token.Token{token.SHR}},
	token.SHR:  {"arithmetic", []token.Token{token.SHL}},
	token.AND:  {"arithmetic", []token.Token{token.OR}},
	token.OR:   {"arithmetic", []token.Token{token.AND}},
}

// changes returns the changes of a node whose parent is given. text returns a node's source.
func changes(n, parent ast.Node, text func(ast.Node) string) []change {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		var list []change
		swap := swaps[n.Op]
		for _, to := range swap.to {
			end := n.OpPos + token.Pos(len(n.Op.String()))
			list = append(list, change{swap.operator, n.OpPos, end, to.String(), n})
		}
		return list
	case *ast.UnaryExpr:
		_, literal := n.X.(*ast.BasicLit)
		if n.Op == token.NOT || n.Op == token.SUB && !literal {
			return []change{{"negation", n.OpPos, n.OpPos + 1, "", n}}
		}
	case *ast.BasicLit:
		return constants(n)
	case *ast.SliceExpr:
		var list []change
		if n.Low != nil {
			list = append(list, change{"slice", n.Low.End(), n.Low.End(), "+1", n})
		}
		if n.High != nil {
			list = append(list, change{"slice", n.High.End(), n.High.End(), "-1", n})
		}
		return list
	case *ast.IfStmt:
		operator := "branch"
		if n.Else == nil && leaves(n.Body) {
			operator = "guard"
		}
		never := "(" + text(n.Cond) + ") && false"
		return []change{{operator, n.Cond.Pos(), n.Cond.End(), never, n.Cond}}
	case *ast.ExprStmt:
		if _, call := n.X.(*ast.CallExpr); call && inList(parent) {
			return []change{{"call", n.Pos(), n.End(), "", n}}
		}
	case *ast.AssignStmt:
		if n.Tok != token.DEFINE && inList(parent) {
			return []change{{"assignment", n.Pos(), n.End(), "", n}}
		}
	case *ast.IncDecStmt:
		if inList(parent) {
			return []change{{"assignment", n.Pos(), n.End(), "", n}}
		}
	}
	return nil
}

// constants returns the changes of a number: one more and 0 of an integer, a tenth more of a float.
func constants(n *ast.BasicLit) []change {
	to := func(text string) change { return change{"constant", n.Pos(), n.End(), text, n} }
	switch n.Kind {
	case token.INT:
		v, err := strconv.ParseInt(n.Value, 0, 64)
		if err != nil {
			return nil
		}
		list := []change{to(strconv.FormatInt(v+1, 10))}
		if v != 0 {
			list = append(list, to("0"))
		}
		return list
	case token.FLOAT:
		v, err := strconv.ParseFloat(n.Value, 64)
		if err == nil && v != 0 {
			return []change{to(strconv.FormatFloat(v*1.1, 'g', -1, 64))}
		}
	}
	return nil
}

// leaves reports whether a block ends by leaving the function or the loop.
func leaves(b *ast.BlockStmt) bool {
	if len(b.List) == 0 {
		return false
	}
	switch b.List[len(b.List)-1].(type) {
	case *ast.ReturnStmt, *ast.BranchStmt:
		return true
	}
	return false
}

// inList reports whether the statements of a node can be left out.
func inList(parent ast.Node) bool {
	switch parent.(type) {
	case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
		return true
	}
	return false
}

// isMessage reports whether a call makes the text of an error, which is not changed.
func isMessage(call *ast.CallExpr, text func(ast.Node) string) bool {
	name := text(call.Fun)
	return slices.Contains([]string{"panic", "fmt.Errorf", "errors.New"}, name) ||
		strings.HasPrefix(name, "msg.")
}
